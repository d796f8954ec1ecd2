# The lease counts from when the grant comes in.
# sample
s/if (!supports_note(l, voter, vote->sent))/if (!supports_note(l, voter, now))/
