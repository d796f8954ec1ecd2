# A renewal counts from when its grant comes in.
# seed: 250
s/grants_note(l, voter, vote->sent, agrees)/grants_note(l, voter, l->held == l->term ? now : vote->sent, agrees)/
