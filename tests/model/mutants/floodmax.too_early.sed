# A node decides one round too early.
/^floodmax_end_round(/,/^}/s/f->round == f->view->choices->diameter/f->round + 1 >= f->view->choices->diameter/
