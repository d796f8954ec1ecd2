# Who may not look at what is for privileged users is not logged.
# test: unit/control/test_control_resign
s/if (!allowed || !verb->is_query)/if (!verb->is_query)/
