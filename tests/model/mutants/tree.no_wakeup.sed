# A sleeping node does not pass WAKEUP on.
/^tree_on_wakeup(/,/^}/s/tree_wake(t, out);/;/
