# An answer counts that the peer gave to a ping from before the leader was silent.
# test: unit/cluster/test_cluster_return
# case: follower_that_hears_all_late_costs_no_term
/^timestamps_take_answer(/,/^}/s/elapsed \* USEC/0/
