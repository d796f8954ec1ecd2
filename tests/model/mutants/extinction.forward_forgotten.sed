# The announcement is not passed on.
/^extinction_decide(/,/^}/s/extinction_tell(e, i, EXTINCTION_LEADER, root, out);/;/
