# A file that is read ends what an operator has proposed besides.
# test: unit/host/test_proposal
s/r->has_wish \&\& r->wisher == ORIGIN_FILE \&\&$/r->has_wish \&\&/
