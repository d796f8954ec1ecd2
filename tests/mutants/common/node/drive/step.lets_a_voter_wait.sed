# A leader does not stamp its edition anew for a voter that waits for that.
# test: unit/world/test_world_proof
# case: voter_is_admitted_by_an_edition_of_the_leaders_term_alone
s/(stamp == 0 || (stamp != candidate_held(node) &&/(stamp == 0 || (false \&\&/
