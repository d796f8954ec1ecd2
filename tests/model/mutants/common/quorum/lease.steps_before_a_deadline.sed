# A lead that was won again takes steps before a deadline of the lead before.
# test: unit/world/test_world_proof
# case: lead_that_is_won_again_takes_no_step_before_an_old_deadline
s/if (l->handed > l->until && now < l->handed)/if (false)/
