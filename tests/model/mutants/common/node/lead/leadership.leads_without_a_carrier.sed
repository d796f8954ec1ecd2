# A leader whose cable is pulled leads on, where nobody hears it.
# test: unit/world/test_world_cable
# case: leader_without_a_carrier_gives_up_at_once
/^leadership_flaw(/,/^}/s/life_lacks_carrier(node)/false/
