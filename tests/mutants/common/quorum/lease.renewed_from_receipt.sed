# A renewal counts from when its grant comes in.
s/if (!supports_note(l, voter, vote->sent))/if (!supports_note(l, voter, l->held == l->term ? now : vote->sent))/
