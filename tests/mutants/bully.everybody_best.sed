# A node asks its betters, and thinks itself the best all the same.
/^bully_start(/,/^}/s/is_best = false;/;/
