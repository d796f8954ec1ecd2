# A node that elects as it missed the leader goes on when it hears it again.
s/if (is_bound \&\& beacon_refutes_election(node, beacon))/if (false)/
