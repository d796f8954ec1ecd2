# The picture of a snapshot does not believe the markers.
# script: system/live/test_live_snapshot
# case: quiet_cluster_has_one_marker_a_channel others_go_on_without_it
s/if (d->cut->verdict != CUT_IS_UNJUDGED)/if (false)/
