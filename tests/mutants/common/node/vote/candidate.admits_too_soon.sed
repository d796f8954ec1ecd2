# A leader admits a voter while what that had granted may count yet.
# test: unit/world/test_world_quorum
/^candidate_admits(/,/^}/s/nsec_after(p->link.changed, l->length)/p->link.changed/
