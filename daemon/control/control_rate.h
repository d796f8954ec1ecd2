/* SPDX-License-Identifier: ISC */
/* How often each user of the host asks, over all of its connections: a leaky
 * bucket for each user. */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_RATE_H
#define ELECTD_DAEMON_CONTROL_CONTROL_RATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/util/types.h"

/* A bucket holds RATE_MAX requests and connections, and as many leak out of it
 * in RATE_TIME; more wait in the socket. A few loops that ask ten times a
 * second stay below. */
#define RATE_MAX  100
#define RATE_TIME (1 * SEC)

#define RATE_USERS 64 /* that have a bucket: the query socket has 64 places */

/* All zero: nobody has asked. Root is not limited, as it may do all anyway. */
struct rates {
	struct {
		uid_t user;
		nsec_t until; /* when the bucket is empty */
	} users[RATE_USERS];
};

/* True if the user's bucket is full: the user must wait. */
bool rate_is_over(const struct rates *rates, uid_t user, nsec_t now);

/* The user has asked once more, or has connected. */
void rate_charge(struct rates *rates, uid_t user, nsec_t now);

#endif
