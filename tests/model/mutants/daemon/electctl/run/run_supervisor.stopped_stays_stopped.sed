# A command that is stopped is not continued, so it cannot end when it is told to.
# script: system/live/test_live_run
# case: command_that_is_stopped_ends_when_it_is_told_to
/^tell_command(/,/^}/s/signal_command(s, SIGCONT);/(void)0;/
