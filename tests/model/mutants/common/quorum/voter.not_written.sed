# A voter grants a promise without writing it.
# seed: 10
/^voter_promise(/,/^}/s/v->is_kept = false;/v->is_kept = true;/
