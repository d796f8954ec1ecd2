# A follower ignores the leader's list of members.
# seed: 57
# component
/^liveness_needs(/,/^}/s/p->live.is_missed;/false;/
