# The lease is as long as what voters wait.
s/return l->length . DRIFT_FAST \* DRIFT_SLOW;/return l->length;/
