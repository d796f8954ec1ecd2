# A leader changes voters before a majority has the edition in its own term.
# test: unit/world/test_world_steps
# case: leader_stamps_the_edition_in_effect_before_a_step
s/node->setup.edition.stamp != held/node->setup.edition.stamp == 0/
