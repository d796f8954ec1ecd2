# A node adds itself to the list without comparing itself with the best in it.
/^ring_list_on_election(/,/^}/s/on\.rank = view->self;/;/
