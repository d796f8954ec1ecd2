# A marker is taken as it arrives: to markers no channel is FIFO.
# seed: 20
# component
/^frames_read(/,/^}/s/if (!frame_has_size(&f))/if (f.size == SNAPSHOT_NAME_BYTES) { struct snapshot_name early; struct reader er = reader_of(f.bytes, f.size); if (snapshot_name_decode(\&er, \&early)) snapshot_take_marker(node, p, \&early); } &/
