# A leader admits a voter while what that had granted may count yet.
# test: unit/world/test_world_quorum
# case: voter_whose_state_is_lost_is_admitted_by_a_leader
/^nominee_admits(/,/^}/s/nsec_after(p->link.changed, l->length)/p->link.changed/
