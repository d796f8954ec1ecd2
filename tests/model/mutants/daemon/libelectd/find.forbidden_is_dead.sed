# The socket of a daemon to which a user may not talk is taken for a dead one.
# script: system/live/test_live_control
# case: there_is_a_leader socket_that_a_user_may_not_open_is_a_choice
s/ || error == EACCES;/;/
