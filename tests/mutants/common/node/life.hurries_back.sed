# A node whose cable was just plugged in elects before it can hear the others.
# test: unit/world/test_world_cable
/^life_set_carrier(/,/^}/s/life_listen(node, now, node->setup.timing.startup);/;/
