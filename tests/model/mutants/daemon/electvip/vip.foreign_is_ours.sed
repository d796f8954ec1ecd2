# A network's address with a short lifetime is taken for ours.
# test: unit/electvip/test_vip
s/^		v->presence = is_whole \&\& lifetime <= VIP_LIFETIME_MAX$/		v->presence = is_whole || lifetime <= VIP_LIFETIME_MAX/
