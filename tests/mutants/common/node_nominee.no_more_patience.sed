# A claimant has no more patience the next time.
# test: test_world_disk
s/CLAIM_PATIENCE << node->quorum.vain/CLAIM_PATIENCE/
