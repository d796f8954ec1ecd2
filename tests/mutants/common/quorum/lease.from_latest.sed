# The lease counts from the latest claim, not the Q-th latest.
s/base = l->supports\[l->quorum - 1\].sent;/base = l->supports[l->quorum - 1].sent == 0 ? 0 : l->supports[0].sent;/
