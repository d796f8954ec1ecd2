/* SPDX-License-Identifier: ISC */
/* The network of a world: what happens to a datagram on its way. */
#ifndef ELECTD_TESTS_MODEL_WORLD_NETWORK_NETWORK_H
#define ELECTD_TESTS_MODEL_WORLD_NETWORK_NETWORK_H

#include "tests/model/world/world.h"

/* Addresses (address.c): the world begins; a process starts; it sends to
 * this place; its settings name that one; its peer at this place, or PEER_NONE;
 * it finds the peer where the datagram of this input came from. */
void address_init(struct world *w);
void address_start(struct world *w, process_name name);
struct place address_of(const struct world *w, process_name name, node_id id);
struct place address_named(
    const struct world *w, process_name name, node_id id);
unsigned address_peer(
    const struct world *w, process_name name, const struct place *place);
void address_find(struct world *w, process_name name, unsigned peer);

/* Discovery: a place as the settings have it. */
const char *place_text(const struct place *place, char text[ADDRESS_MAX_BYTES]);

/* Discovery: a process has a configuration with other peers, and what it has
 * found stays so, but where the settings name another address than `before`.
 * NULL: there were none. */
void address_follow(
    struct world *w, process_name name, const struct config *before);

/* Addresses (address.c): the host of a process gets another one; the
 * settings of all hosts name those that they have. */
void world_move(struct world *w, process_name name);
void world_name(struct world *w);

/* Sends a datagram to a host at this address (wires.c). */
void wires_send(struct world *w, process_name sender, node_id to,
    address_number address, const uint8_t *bytes, size_t size);

/* Sends it to all others, by the multicast group. */
void wires_send_group(
    struct world *w, process_name sender, const uint8_t *bytes, size_t size);

/* Lets a running host, or a firewall in its name, report to a sender that
 * nothing listens; perhaps it does not. */
void wires_refuse(struct world *w, node_id from, node_id id);

/* Sends one datagram from the address of an id; 0 is an address of no node. */
void world_send(struct world *w, process_name sender, node_id to,
    const uint8_t *bytes, size_t size);

/* Delivers a datagram from outside at once; `from` is its source, or 0. */
void world_inject(struct world *w, node_id from, process_name target,
    const uint8_t *bytes, size_t size);

/* Delivers a random, replayed or truncated datagram. */
void world_inject_noise(struct world *w, process_name target);

/* Records what nodes send from now on, up to WORLD_TAPE_MAX datagrams. */
void world_record(struct world *w);

/* The wires, by ids (cuts.c). */
void world_cut(struct world *w, node_id a, node_id b); /* both ways */
void world_cut_way(struct world *w, node_id from, node_id to);
void world_mend(struct world *w, node_id a, node_id b);

/* Cuts the links between a node and the others of a bit set of ids. */
enum world_cut {
	CUT_BOTH_WAYS,
	CUT_DEAF, /* the node hears nobody */
	CUT_DUMB, /* nobody hears the node */
	CUT_KINDS,
};
void world_cut_off(
    struct world *w, node_id id, unsigned others, enum world_cut kind);
void world_split(struct world *w, unsigned ids);
void world_heal(struct world *w); /* but for cables that are pulled */
void world_weather(struct world *w, const struct wire *weather);
void world_weather_to(struct world *w, node_id to, const struct wire *weather);

#endif
