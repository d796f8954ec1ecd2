# A message is delivered as often as it arrives.
# sample
/^channel_deliver(/,/^}/s/ch->delivered++;/;/
