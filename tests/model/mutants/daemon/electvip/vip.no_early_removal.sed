# The address is removed when the deadline has come.
# test: unit/electvip/test_vip
s/nsec_since(v->until, VIP_REMOVE_EARLY);$/v->until;/
