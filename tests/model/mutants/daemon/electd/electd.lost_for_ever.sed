# A document for which there was no memory is never fetched again.
# test: unit/electd/test_electd
s/if (!e->changes.incoming.is_lost)/if (true)/
