# The command starts without the kernel's timer, which only the next deadline sets.
/^plan_begin(/,/^}/s/set_death(plan);//
