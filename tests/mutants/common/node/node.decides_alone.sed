# The algorithm decides, and nobody is asked.
/^node_decide(/,/^}/s/if (node_is_quorum(node)) {/if (false) {/
