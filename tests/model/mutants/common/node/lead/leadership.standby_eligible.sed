# A node on standby is eligible.
# test: unit/node/test_standby
/^node_eligibility(/,/^}/s/if (standby_is_on(node))/if (false)/
