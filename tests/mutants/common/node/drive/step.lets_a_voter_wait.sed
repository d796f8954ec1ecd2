# A leader does not stamp its edition anew for a voter that waits for that.
# test: unit/world/test_world_proof
s/(stamp == 0 || (stamp != candidate_held(node) &&/(stamp == 0 || (false \&\&/
