# A leader that leads its term a second time begins below the numbers that it
# told before.
# test: unit/node/test_lead
s/if (lead->said < lead->own_number)/if (false)/
