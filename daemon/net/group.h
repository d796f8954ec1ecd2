/* SPDX-License-Identifier: ISC */
/* The sockets of a multicast group. */
#ifndef ELECTD_DAEMON_NET_GROUP_H
#define ELECTD_DAEMON_NET_GROUP_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

/* Sends multicast by this interface. Returns 0 or a negative errno. */
int group_send_by(int fd, int family, const char *interface);

/*
 * Opens a socket that hears the group, whose address goes to *group, and lets
 * `fd`, of this family, send to it. Other processes of the host may do the
 * same. Returns the descriptor, or -1 after logging the reason.
 */
int group_open(const struct settings_discovery *discovery, int fd, int family,
    struct address *group);

#endif
