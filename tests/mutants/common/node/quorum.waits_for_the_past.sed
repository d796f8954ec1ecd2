# A node waits for a nominee that it would not follow.
# test: unit/node/test_node_candidate
s/p->voting.request.term >= node->election.term/p->voting.request.term >= node->election.run_term/
