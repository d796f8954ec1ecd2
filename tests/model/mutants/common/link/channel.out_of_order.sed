# Messages are delivered as they arrive.
# seed: 1
/^channel_receive(/,/^}/s/ch->arrivals\[seq %/ch->arrivals[(seq > ch->delivered ? ch->delivered + 1 : seq) %/
