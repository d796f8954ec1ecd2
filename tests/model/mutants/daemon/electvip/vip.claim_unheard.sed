# Nobody hears the host that has the address.
# test: unit/electvip/test_vip
s/^	if (v->state == VIP_PROBING && !takes_it(v))$/	if (v->state == VIP_IDLE \&\& !takes_it(v))/
