/* SPDX-License-Identifier: ISC */
/*
 * Where the hosts of a world are, and where each process takes its peers to be
 * (PROTOCOL.md, Addresses). A host that moves gets an address that was nobody's
 * before. The settings of all hosts name the same addresses.
 */
#include "tests/world/network/network.h"

#include <string.h>

void
address_init(struct world *w)
{
	for (node_id id = 0; id <= WORLD_NODES_MAX; id++)
		w->network.addresses[id] = w->network.named[id] =
		    ++w->network.addresses_used;
}

void
world_name(struct world *w)
{
	if (memcmp(w->network.named, w->network.addresses,
		sizeof(w->network.named)) == 0)
		return;
	memcpy(
	    w->network.named, w->network.addresses, sizeof(w->network.named));
	world_note(w, "the settings name the address of each host");
}

/* Two hosts that move at once may lose each other for good, so the settings
 * name all others first. */
void
world_move(struct world *w, process_name name)
{
	node_id id = w->processes[name].id;

	if (w->network.named[id] == w->network.addresses[id])
		world_name(w);
	w->network.addresses[id] = ++w->network.addresses_used;
	world_disturb(w);
	world_note(w, "move %u", id);
}

address_number
address_of(const struct world *w, process_name name, node_id id)
{
	const struct process *p = &w->processes[name];

	return p->found[id] != 0 ? p->found[id] : w->network.named[id];
}

unsigned
address_peer(const struct world *w, process_name name, node_id id,
    address_number address)
{
	if (id == NODE_NONE || address_of(w, name, id) != address)
		return PEER_NONE;
	return world_peer_of(&w->processes[name], id);
}

/* An attacker may be the first to bring a datagram that it saw on its way. */
void
address_find(struct world *w, process_name name, unsigned peer)
{
	struct process *p = &w->processes[name];
	node_id id = world_id_of(p, peer);

	if (!w->source.may_reply ||
	    (w->source.id != id && w->source.id != NODE_NONE))
		world_fail(w, "%u finds %u where it is not", name, id);
	p->found[id] =
	    w->source.address == w->network.named[id] ? 0 : w->source.address;
}

void
address_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	memset(p->found, 0, sizeof(p->found));
}
