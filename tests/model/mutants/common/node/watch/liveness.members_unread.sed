# A follower ignores the leader's list of members.
# seed: 74
# component
/^liveness_needs(/,/^}/s/p->live.is_missed;/false;/
