# The lease counts from the latest request, not the Q-th latest.
# seed: 6
s/base = l->grants\[l->quorum - 1\].sent;/base = l->grants[l->quorum - 1].sent == 0 ? 0 : l->grants[0].sent;/
