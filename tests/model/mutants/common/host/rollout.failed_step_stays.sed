# A leader takes a step that cannot be used again and again.
# test: unit/host/test_rollout
# case: proposal_of_a_step_that_cannot_be_used_has_failed
s/if (r->origin != ORIGIN_LEADER || !r->has_proposal ||/if (true ||/
