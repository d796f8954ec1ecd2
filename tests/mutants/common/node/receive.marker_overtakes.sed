# A marker is taken as it arrives: to markers no channel is FIFO.
# component
/^frames_read(/,/^}/s/if (!frame_has_size(&f, p))/if (f.size == SNAPSHOT_NAME_BYTES) marker_take(node, now, p, \&(struct reader){ f.bytes, f.size, false }); &/
