/* SPDX-License-Identifier: ISC */
/*
 * The sockets of a multicast group. The kernel ends a membership with its
 * interface. electd learns of that, and joins again once there is an interface.
 */
#ifndef ELECTD_DAEMON_NET_GROUP_H
#define ELECTD_DAEMON_NET_GROUP_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct group {
	int fd;     /* receives from the group; -1: there is none */
	int sender; /* the socket that sends to the group; borrowed */
	char interface[INTERFACE_MAX_BYTES]; /* "": that of the route */
	struct address address;              /* address of the group; size 0:
					      * none */
	unsigned joined; /* the interface on which we receive; 0: that of the
			  * route */
	bool is_lost;    /* the interface is gone, and no other has been
			  * joined */
	nsec_t again;    /* when to try to join again */
};

/* Sends multicast by this interface. Returns 0 or a negative errno. */
int group_send_by(int fd, int family, const char *interface);

/*
 * Opens a socket that receives from the group, but not the heartbeats of node
 * `self`, and lets `sender`, of this family, send to the group. Other processes
 * of the host may do the same. False after logging the reason.
 */
bool group_open(struct group *group, const struct settings_discovery *discovery,
    node_id self, int sender, int family);

/* Closes it, if it is open. */
void group_close(struct group *group);

/* An interface is gone, perhaps the one on which we receive from the group. */
void group_lose(struct group *group, int index);
void group_doubt(struct group *group);

/* Joins again if the interface was gone; each turn of the loop. */
void group_tend(struct group *group, nsec_t now);

#endif
