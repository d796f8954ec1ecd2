# The tokens of all initiators die where another has been.
/^traversal_outdoes(/,/^}/s/rank_better(.*);/false;/
