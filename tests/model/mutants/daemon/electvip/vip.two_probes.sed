# A host that is asked twice does not have the address.
# test: unit/electvip/test_vip
s/^#define PROBES    3$/#define PROBES    2/
