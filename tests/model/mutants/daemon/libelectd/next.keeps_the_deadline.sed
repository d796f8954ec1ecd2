# A handover waits for a deadline that a program got before it acts.
# test: unit/libelectd/test_next
/^take_event(/,/^}/s/if (!e->acts)/if (false)/
