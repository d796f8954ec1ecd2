# A renewal counts from when its grant comes in.
s/if (!grants_note(l, voter, vote->sent))/if (!grants_note(l, voter, l->held == l->term ? now : vote->sent))/
