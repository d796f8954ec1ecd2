# A document may give a vote to a node that was met.
# test: unit/config/test_config
s/else if (c->nodes\[i\].role != ROLE_OBSERVER)/else if (false)/
