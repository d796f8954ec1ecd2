# The wills of other settings count before all of them are there.
# test: unit/lastwill/test_will
/^will_begin_change(/,/^}/s/^	\*half = (struct will_half){/	atomic_store(\&will->memory->counting, will->filled);&/
