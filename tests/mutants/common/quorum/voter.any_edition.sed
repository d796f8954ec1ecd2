# A voter grants a nominee whose voters are those of an earlier edition.
# test: unit/world/test_world_steps
# case: voter_does_not_vote_by_an_earlier_edition
s/if (!edition_follows(&request->edition, &v->edition) ||/if (/
