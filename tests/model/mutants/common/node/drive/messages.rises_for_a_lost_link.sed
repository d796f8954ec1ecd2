# A leader begins an election for a peer whose link is down.
# test: unit/node/test_node_link
/its term is over/{n;s/p->link.is_up/true/}
