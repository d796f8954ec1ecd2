# The arrow of a message that was never taken points at its sender.
# script: model/sim/test_history
s/^			    h->id, e->peer,$/			    e->peer, h->id,/
