# What a TOKEN says is not compared.
/^tree_on_token(/,/^}/s/rank_better(.*))/false)/
