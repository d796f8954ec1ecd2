# The command of `electctl run` gets the term as its token.
# script: system/live/test_live_token
/^prepare_command(/,/^}/s/s->lead->token/s->lead->term/
