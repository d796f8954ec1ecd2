# A message is delivered as often as it arrives.
# seed: 1
# sample
/^channel_deliver(/,/^}/s/ch->delivered++;/;/
