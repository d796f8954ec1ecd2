# A promise is granted without being written.
s/v->is_kept = false;/v->is_kept = true;/
