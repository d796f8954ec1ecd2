# Elections do not wait for a request that slow disks hold up.
/^quorum_awaits(/,/^}/s/if (node->lead.is_fresh)/if (node != NULL)/
