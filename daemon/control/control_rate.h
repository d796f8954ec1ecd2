/* SPDX-License-Identifier: ISC */
/* How often each user of the host asks, over all of its connections. */
#ifndef ELECTD_DAEMON_CONTROL_CONTROL_RATE_H
#define ELECTD_DAEMON_CONTROL_CONTROL_RATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/util/types.h"

/* Requests and connections of a user in that time; more wait in the socket. A
 * few loops that ask ten times a second stay below. */
#define RATE_MAX  100
#define RATE_TIME (1 * SEC)

#define RATE_USERS 64 /* that are remembered: more than have places at once */

/* All zero: nobody has asked. Root is not limited, as it may do all anyway. */
struct rates {
	struct {
		uid_t user;
		nsec_t until; /* by RATE_MAX in RATE_TIME all is paid for */
	} users[RATE_USERS];
};

/* True if the user has asked for so much that it must wait. */
bool rate_is_over(const struct rates *rates, uid_t user, nsec_t now);

/* The user has asked once more, or has connected. */
void rate_charge(struct rates *rates, uid_t user, nsec_t now);

#endif
