# A worse rank is not swallowed.
/^chang_roberts_improve(/,/^}/s/!rank_better(rank, &c->best, c->view->prefer)/false/
