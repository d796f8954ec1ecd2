# A node does not replace a best rank that is worse than its own.
/^traversal_on_token(/,/^}/s/best = self;/;/
