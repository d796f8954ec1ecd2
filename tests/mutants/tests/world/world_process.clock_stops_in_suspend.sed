# A suspended host's lease clock stands still.
/^world_pause(/,/^}/s/p->paused = true;/p->paused = p->frozen = true;/
