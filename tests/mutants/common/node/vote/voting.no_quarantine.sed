# A voter that has just started grants at once.
/^voting_init(/,/^}/s/node->vote.voting.bound_until);/now);/
