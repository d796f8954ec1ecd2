# A link is up only some heartbeats after its session began.
# test: unit/cluster/test_cluster_heal
/^detector_heard(/,/^}/s/d->is_heard = true;/d->is_heard |= now > d->since + 5 * interval;/
