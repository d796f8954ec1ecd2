# A file that is read ends what an operator has proposed besides.
# test: unit/host/test_proposal
s/r->has_proposal \&\& r->proposer == ORIGIN_FILE \&\&$/r->has_proposal \&\&/
