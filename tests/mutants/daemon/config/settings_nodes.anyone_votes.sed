# A document may give a vote to a node that was met.
# test: unit/config/test_settings_document
s/else if (node->role.valid && node->role.number != ROLE_OBSERVER)/else if (false)/
