# A worse node's PROBE is not swallowed.
/^hs_outdoes(/,/^}/s/rank_better(.*)/false/
