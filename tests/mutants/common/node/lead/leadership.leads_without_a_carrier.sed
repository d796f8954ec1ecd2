# A leader whose cable is pulled leads on, where nobody hears it.
# test: unit/world/test_world_cable
/^leadership_flaw(/,/^}/s/life_lacks_carrier(node)/false/
