# A voter grants a nominee whose voters are those of an earlier edition.
# test: unit/world/test_world_steps
s/if (!edition_follows(&request->edition, &v->edition) ||/if (/
