# The kernel's timer, which kills the supervisor, stands still while the host is suspended.
# script: system/live/test_live_run_faults
# set: KINDS=SUSPEND TRIALS=20
s/timer_create(CLOCK_BOOTTIME/timer_create(CLOCK_MONOTONIC/
