# Elections do not wait for a request that slow disks hold up.
# seed: 87
/^quorum_awaits(/,/^}/s/node->lead.is_fresh ||/true ||/
