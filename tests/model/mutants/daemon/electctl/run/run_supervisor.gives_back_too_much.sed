# The deadline is given back although the supervisor has not ended the rest yet.
# script: system/live/test_live_run
/^run_supervise(/,/^}/s/if (!s.leaves_work)/if (true)/
