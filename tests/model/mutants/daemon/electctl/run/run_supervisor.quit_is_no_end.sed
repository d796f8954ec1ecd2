# A SIGQUIT does not end who waits for the lead.
# script: system/live/test_live_run
# case: one_that_waits_ends_at_once
s/number == SIGQUIT || (number/(number/
