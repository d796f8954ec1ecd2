# The algorithm's winner leads without requesting votes.
# seed: 1
/^node_decide(/,/^}/s/if (node_is_quorum(node)) {/if (false) {/
