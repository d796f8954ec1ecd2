# Each reign stamps the configuration at once, however short it is.
# test: unit/node/test_node_step
s/nsec_since(now, node->lead.since) >= node->setup.timing.lease/true/
