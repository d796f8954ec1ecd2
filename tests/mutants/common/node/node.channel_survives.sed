# What an ended session had under way is sent in the next.
/^node_session_end(/,/^}/s/channel_close(&p->channel, node->blocks);/;/
