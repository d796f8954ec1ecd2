# A leader admits a voter by grants from before that voter was lost.
# test: unit/world/test_world_quorum
# case: voter_whose_state_is_lost_is_admitted_by_a_leader
/^nominee_admits(/,/^}/s/nsec_after(p->link.changed, l->length)/0/
