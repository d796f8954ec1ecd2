# A node whose cable is pulled begins elections, and so raises the term.
# test: unit/world/test_world_cable
# case: node_whose_cable_is_back_listens_first
/^leadership_may_succeed(/,/^}/s/!life_lacks_carrier(node) \&\& //
