# What a node says of a claim is not heeded by those who do not hear the claimant.
/^body_take(/,/^}/s/(b->watch & WATCH_REQUEST)/false/
