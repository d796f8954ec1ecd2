# The lease counts from when the grant comes in.
# sample
s/if (!grants_note(l, voter, vote->sent))/if (!grants_note(l, voter, now))/
