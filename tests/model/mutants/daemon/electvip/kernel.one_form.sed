# A claim of an address of IPv4 has one of the two forms of ARP.
# test: unit/electvip/test_kernel
s/ip->is_v6 ? 1 : 2/1/
