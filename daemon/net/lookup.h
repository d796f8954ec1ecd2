/* SPDX-License-Identifier: ISC */
/*
 * Has a worker resolve the host names of peers, because getaddrinfo(3) blocks.
 * It resolves one name at a time, and repeats the names of peers without a
 * link, whose address may appear late or change.
 */
#ifndef ELECTD_DAEMON_NET_LOOKUP_H
#define ELECTD_DAEMON_NET_LOOKUP_H

#include "common/util/types.h"
#include "daemon/net/address.h"

#define LOOKUP_PAUSE (1 * SEC) /* before the second try; doubles each time */

struct lookup;

/* Makes a lookup for peers 0 to `count` - 1, none of which has a name yet.
 * `pause` is LOOKUP_PAUSE, but in tests. Returns NULL if there is no memory. */
struct lookup *lookup_new(unsigned count, int family, nsec_t pause);

/* Sets the name of peer `i`: "host:port" or "[host]:port". Returns false if
 * there is no memory. Only before lookup_start(). */
bool lookup_set(struct lookup *lookup, unsigned i, const char *text);

/*
 * Peer `i`, which has a name, had this address (of size 0: none) before, and
 * its link is up or not. `is_new`: the name is another one, and is resolved
 * once also if the link is up; if `present` is among its addresses, it stays.
 * Only before lookup_start().
 */
void lookup_keep(struct lookup *lookup, unsigned i, bool is_linked, bool is_new,
    const struct address *present);

/* Starts the worker if any peer has a name. Returns 0, or a negative errno
 * after logging the error. */
int lookup_start(struct lookup *lookup);

/* Tells whether the link to peer `i` is up. While it is, its address is right
 * and its name is not resolved. */
void lookup_set_linked(struct lookup *lookup, unsigned i, bool is_linked);

struct lookup_result {
	unsigned i;             /* the peer */
	int error;              /* error for gai_strerror(3); 0: found */
	struct address address; /* if found */
};

/* Takes one result that differs from the peer's last one. Returns false if
 * there is none. Names are tried again only while this is called. Never waits
 * for the name service. */
bool lookup_take(struct lookup *lookup, struct lookup_result *result);

/* Ends the worker and frees all, if need be later, when the lookup in progress
 * returns. Never waits. NULL is harmless. */
void lookup_free(struct lookup *lookup);

#endif
