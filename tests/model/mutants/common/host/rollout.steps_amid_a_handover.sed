# A leader that hands over takes a step, which its successor does not have.
# test: unit/host/test_rollout
s/s\.hands_over))$/false))/
