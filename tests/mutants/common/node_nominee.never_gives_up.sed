# A claim that needs a disk that hangs is never given up.
# test: test_world_disk
s/nsec_after(now, CLAIM_PATIENCE << node->quorum.vain)/NSEC_NEVER/
