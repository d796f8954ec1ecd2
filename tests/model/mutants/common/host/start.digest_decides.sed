# A file wins over a list of its config version.
# test: unit/host/test_start
s/(is_quorum || kept->revision > 0)/is_quorum/
