# A word counts that a later one has overtaken.
# test: unit/link/test_vtree
s/if (e->is_heard && number < e->number)/if (false)/
