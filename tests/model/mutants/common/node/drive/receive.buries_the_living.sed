# A will ends any process of the peer, a later one too.
# seed: 4
# sample
/^will_receive(/,/^}/s/incarnation = head->incarnation;/incarnation = p->process.incarnation;/
