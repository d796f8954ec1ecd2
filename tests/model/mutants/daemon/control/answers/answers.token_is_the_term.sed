# is-leader tells the term as the token.
# test: unit/control/test_control_values
/^answer_is_leader(/,/^}/s/status.token/status.term/
