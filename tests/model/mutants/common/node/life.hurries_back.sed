# A node whose cable was just plugged in elects before it can hear the others.
# test: unit/world/test_world_cable
# case: node_whose_cable_is_back_listens_first
/^life_set_carrier(/,/^}/s/life_listen(node, now, node->setup.timing.startup);/;/
