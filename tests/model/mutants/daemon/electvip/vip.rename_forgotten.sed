# An address on an interface that has got another name is taken for gone.
# test: unit/electvip/test_vip
/^vip_link(/,/^}/s/^	if (v->presence == VIP_OURS) {$/	if (v->presence == VIP_FOREIGN) {/
