# A group datagram may come by any address.
# test: unit/node/test_node_group_in
/^head_judge(/,/^}/s/node->input.is_by_group != (head->type == PACKET_GROUP)/node->input.is_by_group \&\& head->type != PACKET_GROUP/
