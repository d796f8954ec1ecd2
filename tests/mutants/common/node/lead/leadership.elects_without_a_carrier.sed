# A node whose cable is pulled begins elections, and so raises the term.
# test: unit/world/test_world_cable
/^leadership_may_succeed(/,/^}/s/!life_lacks_carrier(node) \&\& //
