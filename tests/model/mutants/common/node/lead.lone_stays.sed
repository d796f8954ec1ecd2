# A node that led alone while it was cut off does not give way to a leader that
# others follow.
# test: unit/node/test_lead
s/if (lead->is_lone \&\& p->term >= mine->term)/if (false)/
