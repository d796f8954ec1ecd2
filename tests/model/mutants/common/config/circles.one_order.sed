# All circles are in one order.
# test: unit/config/test_circles
s/uint64_t z = (circle << 32 | id) +/uint64_t z = (circle * 0 + id) +/
