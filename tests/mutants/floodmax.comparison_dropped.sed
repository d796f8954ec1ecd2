# What is heard is not compared.
/^floodmax_learn(/,/^}/s/rank_better(.*))/false)/
