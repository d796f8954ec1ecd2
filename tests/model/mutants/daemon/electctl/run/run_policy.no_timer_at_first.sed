# The command starts without the kernel's timer, which only the next deadline sets.
# seed: 4
/^policy_begin(/,/^}/s/set_death(policy);//
