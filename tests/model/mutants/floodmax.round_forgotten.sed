# A message that comes a round early is lost.
/^floodmax_end_round(/,/^}/s/floodmax_learn(f, &f->next, &f->after);/;/
