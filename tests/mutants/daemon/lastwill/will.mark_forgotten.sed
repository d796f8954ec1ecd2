# A change of the settings forgets that the helper has declared the process dead.
# test: unit/world/test_world_will
/^will_end_change(/,/^}/s/^	atomic_store(.*/	atomic_store(\&will->memory->counting, will->filled); will->memory->beat = BEAT_NONE;/
