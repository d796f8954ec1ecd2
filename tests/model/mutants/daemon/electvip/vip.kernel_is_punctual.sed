# The kernel ends each lifetime to the second.
# test: unit/electvip/test_vip
s/^	most = nsec_since(left, VIP_ROUNDED_MOST) \/ SEC;$/	most = left \/ SEC;/
