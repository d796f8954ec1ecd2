# Under quorum settings come into effect that the disk has not.
# test: unit/host/test_rollout
s/if (!is_kept && r->is_quorum)$/if (!is_kept \&\& !r->is_quorum)/
