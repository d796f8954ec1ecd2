# A node waits for a nominee that it would not follow.
# test: unit/node/test_node_nominee
s/p->nominee.request.term >= node->election.term/p->nominee.request.term >= node->election.run_term/
