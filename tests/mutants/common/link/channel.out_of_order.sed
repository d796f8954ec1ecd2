# Messages are delivered as they arrive.
/^channel_receive(/,/^}/s/ch->arrivals\[seq %/ch->arrivals[(seq > ch->delivered ? ch->delivered + 1 : seq) %/
