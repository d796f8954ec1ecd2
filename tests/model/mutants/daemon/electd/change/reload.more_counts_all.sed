# The changes that are not named are counted with those that are.
# test: unit/electd/test_reload
s/c.count - LINES_MAX);/c.count);/
