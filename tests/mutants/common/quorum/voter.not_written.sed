# A voter grants a promise without writing it.
s/v->is_kept = false;/v->is_kept = true;/
