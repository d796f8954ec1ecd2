# A request that took long gives a lifetime that ends too late.
# test: unit/electvip/test_vip
/^check_in_time(/,/^}/s/v->until = 0;/(void)now;/
