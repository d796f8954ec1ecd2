# A leader that flaps has the disk written each time.
# test: unit/electd/test_reign_keeper
s/k->at <= now ? 0 : k->at);/0);/
