# A change of the settings forgets that the helper has declared the process dead.
# test: unit/world/test_world_will
# case: process_declared_dead_in_a_change_goes_on_as_new
/^will_end_change(/,/^}/s/^	atomic_store(.*/	atomic_store(\&will->memory->counting, will->filled); will->memory->beat = BEAT_NONE;/
