# A node does not answer who asks, if it knows that node.
# seed: 16
# component
/^meet_peer(/,/^}/s/if (a->asks)/if (false)/
