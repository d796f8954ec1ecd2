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

#endif
