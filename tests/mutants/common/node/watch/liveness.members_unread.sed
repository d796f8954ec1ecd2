# A follower ignores the leader's list of members.
# component
/^liveness_needs(/,/^}/s/p->live.is_missed;/false;/
