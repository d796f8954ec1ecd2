# A node does not put itself in the place of a worse best.
/^traversal_on_token(/,/^}/s/best = self;/;/
