# A leader admits a voter by an edition of an earlier term.
# test: unit/world/test_world_proof
# case: voter_is_admitted_by_an_edition_of_the_leaders_term_alone
s/node->setup.edition.stamp == l->held ||/node->setup.edition.stamp != 0 ||/
