# The leader's lease is as long as the voters' wait.
# seed: 12
s/return l->length . DRIFT_FAST \* DRIFT_SLOW;/return l->length;/
