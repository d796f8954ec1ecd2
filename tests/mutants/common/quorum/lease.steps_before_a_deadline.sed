# A lead that was won again takes steps before a deadline of the lead before.
# test: unit/world/test_world_proof
s/if (l->handed > l->until && now < l->handed)/if (false)/
