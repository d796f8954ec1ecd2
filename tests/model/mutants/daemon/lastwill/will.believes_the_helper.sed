# A change of the settings clears as much as the helper has written.
# test: unit/lastwill/test_will
s/half_bytes(will->peers_counts\[will->filled\])/half_bytes(half->peers_count)/
