# Only the first datagram of a peer counts.
# seed: 1
/^detector_heard(/,/^}/s/d->heard = now;/d->heard = d->heard == 0 ? now : d->heard;/
