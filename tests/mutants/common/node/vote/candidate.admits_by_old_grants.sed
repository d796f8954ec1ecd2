# A leader admits a voter by grants from before that voter was lost.
# test: unit/world/test_world_quorum
/^candidate_admits(/,/^}/s/nsec_after(p->link.changed, l->length)/0/
