# A node is in the list, but is not compared with its best.
/^ring_list_on_election(/,/^}/s/on\.rank = view->self;/;/
