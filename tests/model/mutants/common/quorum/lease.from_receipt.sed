# The lease counts from when the grant comes in.
# seed: 280
s/grants_note(l, voter, vote->sent, agrees)/grants_note(l, voter, now, agrees)/
