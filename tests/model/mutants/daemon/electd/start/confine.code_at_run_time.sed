# Memory that was written may be run.
# test: unit/electd/test_confine
s/CONFINE_CALL_UNLESS_ANY(mprotect, 2, PROT_EXEC)/CONFINE_CALL(mprotect)/
