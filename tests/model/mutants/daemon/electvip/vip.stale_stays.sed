# What is left of an earlier electvip stays until its lifetime is over.
# test: unit/electvip/test_vip
s/^	if (v->state != VIP_HELD \&\& v->presence == VIP_OURS)$/	if (v->state == VIP_PROBING \&\& v->presence == VIP_OURS)/
