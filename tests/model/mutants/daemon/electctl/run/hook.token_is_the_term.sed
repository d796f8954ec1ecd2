# The command of `electctl follow` gets the term as its token.
# script: system/live/test_live_follow
# case: later_term_of_a_lead_is_no_end
s/snprintf(token, sizeof(token), "%" PRIu64, n->token)/snprintf(token, sizeof(token), "%" PRIu64, n->term)/
