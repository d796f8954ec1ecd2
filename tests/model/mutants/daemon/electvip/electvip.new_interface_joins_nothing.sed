# On an interface that is made anew electvip does not hear the probes of others.
# script: system/lan/test_lan_vip
# case: new_interface_joins_the_group_of_the_address
s/if (index == e->kernel.index)/if (true)/
