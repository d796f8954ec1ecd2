/* SPDX-License-Identifier: ISC */
/*
 * The addresses of the peers, by peer number and in reverse. Host names are
 * resolved by a lookup (lookup.h), again and again while the peer has no link.
 * A peer may be found elsewhere (PROTOCOL.md, Addresses). Not thread-safe.
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
 * known of the nodes that stay is kept: where an address has changed, the one
 * before counts while the link is up, or until a name is resolved. NULL as
 * above: then
 * `addresses` stays in use, and else the caller frees it.
 */
struct peer_addresses *peer_addresses_change(
    const struct peer_addresses *addresses, const struct settings *settings);

/* Takes and logs what was resolved since the last call. */
void peer_addresses_update(struct peer_addresses *addresses);

/* Where the peer is; NULL while its name is not resolved. The pointer is valid
 * until peer_addresses_update() and peer_addresses_find_at(). */
const struct address *peer_addresses_get(
    const struct peer_addresses *addresses, unsigned peer);

/* Where else the peer may be: its address by the settings, if it was found at
 * another. NULL: nowhere. The pointer is valid as above. */
const struct address *peer_addresses_other(
    const struct peer_addresses *addresses, unsigned peer);

/* The latest datagram of the peer came from this address: it is there. */
void peer_addresses_find_at(struct peer_addresses *addresses, unsigned peer,
    const struct address *address);

/* Returns the number of the peer that is at this address, or PEER_NONE. */
unsigned peer_addresses_find(
    const struct peer_addresses *addresses, const struct address *address);

/* Returns the number of the peer with this id, or PEER_NONE. */
unsigned peer_addresses_number(
    const struct peer_addresses *addresses, node_id id);

/* True if an address of the peer is known, and for any id that is no peer's. */
bool peer_addresses_has(const struct peer_addresses *addresses, node_id id);

/* Tells whether the link to this node is up, which proves where it is. */
void peer_addresses_set_linked(
    struct peer_addresses *addresses, node_id id, bool is_linked);

#endif
