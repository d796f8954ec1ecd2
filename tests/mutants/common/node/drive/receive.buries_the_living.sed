# A will ends any process of the peer, a later one too.
# sample
/^will_receive(/,/^}/s/incarnation = head->incarnation;/incarnation = p->process.incarnation;/
