# A step that was kept too late stays on the disk for the next start.
# test: unit/host/test_rollout
s/^\t\tr->is_astray |= is_kept;$/\t\tr->is_astray |= false;/
