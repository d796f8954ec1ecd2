# A host that was cut off, and has forgotten the others, is well.
# test: unit/control/test_answers_verdict
s/nodes < settings->expected/false/
