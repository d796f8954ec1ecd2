# A pass in between does not end a row of failures.
# test: unit/electctl/test_tally
s/tally->against = 0/;/
