# A message is delivered as often as it arrives.
/^channel_deliver(/,/^}/s/ch->delivered++;/;/
