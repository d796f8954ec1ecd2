# A deadline comes with the term as the token.
# test: unit/control/test_control_values
/^answer_deadline(/,/^}/s/status.token/status.term/
