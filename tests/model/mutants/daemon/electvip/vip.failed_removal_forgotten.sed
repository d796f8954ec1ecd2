# An address whose removal fails is taken for gone.
# test: unit/electvip/test_vip
s/^	if (error == 0 || error == -EADDRNOTAVAIL || error == -ENODEV) {$/	if (error <= 0) {/
