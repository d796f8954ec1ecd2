# Under quorum a node that was met has the role that it says.
# test: unit/electd/test_discovery
s/return c->guarantee == GUARANTEE_QUORUM ? ROLE_OBSERVER : said;/return said;/
