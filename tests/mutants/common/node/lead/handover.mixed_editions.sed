# A planned handover does not wait for one edition.
# test: unit/node/test_node_editions
/^handover_deadline(/,/^}/s/handover->at < mixed_until/false/
