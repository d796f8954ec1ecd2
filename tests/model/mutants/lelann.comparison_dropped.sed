# A node that appends itself takes itself for the best of the list.
/^lelann_pass(/,/^}/s/rank_better(self, &m->rank, l->view->prefer)/true/
