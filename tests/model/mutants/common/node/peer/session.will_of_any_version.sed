# A node takes a will of another version than that of its session.
# test: unit/node/test_node_versions
/^session_open_will(/,/^}/s/if (head->version != opener->version)/if (false)/
