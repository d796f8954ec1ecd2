# A host that ends puts other settings into effect on its way.
# test: unit/host/test_proposal
s/^	if (node_status(node, now).is_leaving) {$/	if (false) {/
