# A deadline that is over when it is read makes a leader.
# test: unit/libelectd/test_next
/^handle_may_act(/,/^}/s/clock_now() < handle_late_at(e)/clock_now() > 0/
