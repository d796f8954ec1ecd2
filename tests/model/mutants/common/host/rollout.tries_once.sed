# What the disk does not take is never tried again.
# test: unit/host/test_rollout
s|^	if (r->has_next) {$|	if (false) {|
