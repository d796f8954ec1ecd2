# The changes that are not named are counted with those that are.
# test: unit/electd/test_reload
s/changes.count - LINES_MAX);/changes.count);/
