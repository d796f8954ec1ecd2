# A node that has resigned stands again only once its disk has time.
# test: unit/host/test_rollout
s/if (r->has_resigned && !r->has_proposal) {/if (r->has_resigned \&\& !r->has_proposal \&\& !r->is_writing) {/
