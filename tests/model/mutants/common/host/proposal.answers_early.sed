# Under component an operator hears that a file is in effect before it is.
# test: unit/host/test_proposal
s/return !r->is_quorum \&\& r->ends/return false \&\& r->ends/
