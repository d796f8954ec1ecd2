# After a change of the settings a node speaks the versions of their setup.
# test: unit/node/test_node_versions
/^setup_changed(/,/^}/s/s.versions = node->setup.versions;/;/
