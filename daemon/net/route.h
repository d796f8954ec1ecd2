/* SPDX-License-Identifier: ISC */
/* Where this host is, as others see it. */
#ifndef ELECTD_DAEMON_NET_ROUTE_H
#define ELECTD_DAEMON_NET_ROUTE_H

#include "daemon/net/address.h"

/*
 * Writes the address of this host from which it sends to `to`, "host:port",
 * with this port. `interface`: to a group by this one; "": by the route. Sends
 * nothing. Returns 0 or a negative errno; -ENOTUNIQ: it is a link-local one.
 */
int route_source(const char *to, const char *interface, unsigned port,
    char text[ADDRESS_TEXT_MAX]);

/* A socket to ask the kernel for routes; -1: there is none. */
int route_open(void);

/* The index of the interface by which this host sends from `own`, which has the
 * same family and may be the wildcard, to `to`; 0: there is no route, or the
 * kernel gives none. `routes` comes from route_open(). */
unsigned route_interface(
    int routes, const struct address *to, const struct address *own);

#endif
