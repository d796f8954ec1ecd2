# A vote request is granted that comes after its release.
# test: unit/node/test_node_vote
s/return request->term > p->nominee.released \&\&/return/
