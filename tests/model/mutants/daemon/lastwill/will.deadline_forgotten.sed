# A change of the settings forgets the last deadline of a client.
# test: unit/world/test_world_will
# case: leader_that_dies_after_a_change_keeps_its_word
/^will_end_change(/,/^}/s/^	atomic_store(.*/	atomic_store(\&will->memory->counting, will->filled); will->memory->handed_out = 0;/
