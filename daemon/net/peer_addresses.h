/* SPDX-License-Identifier: ISC */
/*
 * Where the peers are: their addresses by number, and who has an address. Where
 * the configuration gives a name, that is looked up beside all else, and again
 * while the peer is not linked.
 */
#ifndef ELECTD_DAEMON_NET_PEER_ADDRESSES_H
#define ELECTD_DAEMON_NET_PEER_ADDRESSES_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct peer_addresses;

/*
 * Peers are numbered in the order of settings->nodes, without self; their
 * addresses are of this family. NULL, which has been logged, if a number is of
 * another one. The settings are borrowed.
 */
struct peer_addresses *peer_addresses_new(
    const struct settings *settings, node_id self, int family);
void peer_addresses_free(
    struct peer_addresses *addresses); /* NULL is harmless */

/* Takes what was looked up meanwhile, and logs it. */
void peer_addresses_update(struct peer_addresses *addresses);

/* NULL: its name is not resolved. Valid until peer_addresses_update(). */
const struct address *peer_addresses_get(
    const struct peer_addresses *addresses, unsigned peer);

/* PEER_NONE: nobody is there. */
unsigned peer_addresses_find(
    const struct peer_addresses *addresses, const struct address *address);

/* The number of the peer that has this id. PEER_NONE: it is no peer. */
unsigned peer_addresses_number(
    const struct peer_addresses *addresses, node_id id);

/* Is this node's address known? True of one that is no peer. */
bool peer_addresses_has(const struct peer_addresses *addresses, node_id id);

/* The link to it is up, and so its address is right; or not. */
void peer_addresses_set_linked(
    struct peer_addresses *addresses, node_id id, bool is_linked);

#endif
