# A change of the settings forgets the last deadline of a client.
# test: unit/world/test_world_will
/^will_end_change(/,/^}/s/^	atomic_store(.*/	atomic_store(\&will->memory->counting, will->filled); will->memory->promised = 0;/
