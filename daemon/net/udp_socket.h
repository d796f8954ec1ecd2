/* SPDX-License-Identifier: ISC */
/* A datagram socket with the options that electd wants. */
#ifndef ELECTD_DAEMON_NET_UDP_SOCKET_H
#define ELECTD_DAEMON_NET_UDP_SOCKET_H

#include "daemon/net/address.h"

/* Binds to our own address, which is `text` in the configuration. Gives the
 * descriptor, or -1 after an error that has been logged. */
int udp_socket_open(
    const struct address *own, const char *text, unsigned peers_count);

/* Why we cannot listen on our own address, and what to do. */
#define UDP_ERROR_MAX (ADDRESS_LIST_MAX + 128)
const char *udp_socket_error(int error, char text[UDP_ERROR_MAX]);

/* The size of the send buffer that the system has granted, as SIOCOUTQ counts
 * what is in it. */
int udp_socket_room(int fd);

#endif
