/* SPDX-License-Identifier: ISC */
/*
 * Where the peers are: their addresses by number, and who has an address. Where
 * the configuration gives a name, that is looked up beside all else, and again
 * while the peer is not linked.
 */
#ifndef ELECTD_DAEMON_NET_PLACES_H
#define ELECTD_DAEMON_NET_PLACES_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct places;

/*
 * Peers are numbered in the order of settings->nodes, without self; their
 * addresses are of this family. NULL, which has been logged, if a number is of
 * another one. The settings are borrowed.
 */
struct places *places_new(
    const struct settings *settings, node_id self, int family);
void places_free(struct places *places); /* NULL is harmless */

/* Takes what was looked up meanwhile, and logs it. */
void places_update(struct places *places);

/* NULL: its name is not resolved. Valid until places_update(). */
const struct address *places_address(
    const struct places *places, unsigned peer);

/* PEER_NONE: nobody is there. */
unsigned places_find(
    const struct places *places, const struct address *address);

/* The number of the peer that has this id. PEER_NONE: it is no peer. */
unsigned places_number(const struct places *places, node_id id);

/* Is this node's address known? True of one that is no peer. */
bool places_has(const struct places *places, node_id id);

/* The link to it is up, and so its address is right; or not. */
void places_set_linked(struct places *places, node_id id, bool is_linked);

#endif
