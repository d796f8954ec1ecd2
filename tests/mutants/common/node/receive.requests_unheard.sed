# What a node says of a claim is not heeded by those who do not hear the claimant.
/^body_take(/,/^}/s/p->sees_request = .*;/p->sees_request = false;/
