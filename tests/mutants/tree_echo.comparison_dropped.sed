# What an ECHO says is not compared.
/^echo_on_echo(/,/^}/s/rank_better(.*))/false)/
