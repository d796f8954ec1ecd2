# A voter that has just started grants at once.
# seed: 6
/^voting_init(/,/^}/s/node->vote.voting.bound_until);/now);/
