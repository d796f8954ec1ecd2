# Messages under way in an ended session are sent in the next.
# seed: 2
/^node_session_end(/,/^}/s/channel_close(&p->channel, node->blocks);/;/
