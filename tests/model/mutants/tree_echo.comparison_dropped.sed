# A node does not compare the rank that an ECHO carries.
/^echo_on_echo(/,/^}/s/rank_better(.*))/false)/
