# The announcement is not passed on.
/^ring_list_on_coordinator(/,/^}/s/ring_list_pass(m, out);/;/
