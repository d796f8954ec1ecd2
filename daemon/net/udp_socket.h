/* SPDX-License-Identifier: ISC */
/* Opens the datagram socket with the options that electd needs. */
#ifndef ELECTD_DAEMON_NET_UDP_SOCKET_H
#define ELECTD_DAEMON_NET_UDP_SOCKET_H

#include "daemon/net/address.h"

/* Opens a socket and binds it to our own address, whose configured text is
 * `text`. Returns the descriptor, or -1 after logging the error. */
int udp_socket_open(const struct address *own, const char *text);

/* Why bind() to our own address failed with `error`, and what to do. Returns
 * `text`. */
#define UDP_ERROR_MAX (ADDRESS_LIST_MAX + 128) /* the words around a list */
const char *udp_socket_error(
    const struct address *own, int error, char text[UDP_ERROR_MAX]);

/* Asks for buffers that fit `peers_count` peers. Returns the size in bytes of
 * the send buffer that the kernel has granted, in the unit of SIOCOUTQ. */
int udp_socket_enlarge(int fd, unsigned peers_count);

#endif
