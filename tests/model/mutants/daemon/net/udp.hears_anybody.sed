# A datagram from a peer's address is a way to it, whoever sent it.
# test: unit/net/test_udp
s/if (handler->on_datagram(handler->context, peer,/if (peer < udp->peers.count) carrier_hear(\&udp->carrier, arrived); if (handler->on_datagram(handler->context, peer,/
