/* SPDX-License-Identifier: ISC */
/*
 * Looks up host names on a thread of its own, as getaddrinfo(3) makes its
 * caller wait: one name after the other, and those of hosts that are not linked
 * again and again, as an address may come late or change.
 */
#ifndef ELECTD_DAEMON_NET_LOOKUP_H
#define ELECTD_DAEMON_NET_LOOKUP_H

#include "common/util/types.h"
#include "daemon/net/address.h"

#define LOOKUP_PAUSE (1 * SEC) /* before the second try; doubled after each */

struct lookup;

/* For `count` names, of which each is still to be set. NULL: no memory. */
struct lookup *lookup_new(unsigned count, int family, nsec_t pause);

/* "host:port" or "[host]:port", for number `i`; a number without is left out.
 * Before lookup_start() only. */
bool lookup_set(struct lookup *lookup, unsigned i, const char *text);

/* Starts the thread if there is a name. Gives 0 or a negative errno, logged. */
int lookup_start(struct lookup *lookup);

/* A host that is linked has the right address: it is not looked up. */
void lookup_set_linked(struct lookup *lookup, unsigned i, bool is_linked);

/* True if it has no name, or is linked: then its address is not in doubt. */
bool lookup_is_settled(const struct lookup *lookup, unsigned i);

struct lookup_result {
	unsigned i;
	int error; /* for gai_strerror(3); 0: `address` is found */
	struct address address;
};

/* Takes what has changed since the last call, one after the other; false:
 * nothing more. Never waits. */
bool lookup_take(struct lookup *lookup, struct lookup_result *result);

/* A lookup that is under way ends by itself. NULL is harmless. */
void lookup_free(struct lookup *lookup);

#endif
