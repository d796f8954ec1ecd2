/* SPDX-License-Identifier: ISC */
/*
 * The addresses of the peers, by peer number and in reverse. Host names are
 * resolved by a lookup (lookup.h), again and again while the peer has no link.
 * Not thread-safe.
 */
#ifndef ELECTD_DAEMON_NET_PEER_ADDRESSES_H
#define ELECTD_DAEMON_NET_PEER_ADDRESSES_H

#include "daemon/config/settings.h"
#include "daemon/net/address.h"

struct peer_addresses;

/*
 * Numbers the peers in the order of settings->nodes without `self`, and starts
 * to resolve their names to addresses of `family`. Borrows the settings.
 * Returns NULL if there is no memory or, after logging it, if a configured IP
 * address is of another family.
 */
struct peer_addresses *peer_addresses_new(
    const struct settings *settings, node_id self, int family);
void peer_addresses_free(struct peer_addresses *addresses); /* NULL: harmless */

/*
 * The same for other settings, with perhaps other nodes and numbers. What is
 * known of the nodes that stay is kept: where an address has changed to a name,
 * the one before counts until the name is resolved. NULL as above: then
 * `addresses` stays in use, and else the caller frees it.
 */
struct peer_addresses *peer_addresses_change(
    const struct peer_addresses *addresses, const struct settings *settings);

/* Takes and logs what was resolved since the last call. */
void peer_addresses_update(struct peer_addresses *addresses);

/* Returns NULL while the peer's name is not resolved. The pointer is valid
 * until peer_addresses_update(). */
const struct address *peer_addresses_get(
    const struct peer_addresses *addresses, unsigned peer);

/* Returns the number of the peer with this address, or PEER_NONE. */
unsigned peer_addresses_find(
    const struct peer_addresses *addresses, const struct address *address);

/* Returns the number of the peer with this id, or PEER_NONE. */
unsigned peer_addresses_number(
    const struct peer_addresses *addresses, node_id id);

/* True if the peer's address is known, and for any id that is no peer's. */
bool peer_addresses_has(const struct peer_addresses *addresses, node_id id);

/* Tells whether the link to this node is up, which proves its address. */
void peer_addresses_set_linked(
    struct peer_addresses *addresses, node_id id, bool is_linked);

#endif
