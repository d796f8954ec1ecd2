# The reason of a check takes the place of an operator's.
# test: unit/electd/test_aside
s/return order.is_on ? order : sick/return sick.is_on ? sick : order/
