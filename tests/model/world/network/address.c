/* SPDX-License-Identifier: ISC */
/*
 * Where the hosts of a world are, and where each process takes its peers to be
 * (PROTOCOL.md, Addresses). A host that moves gets an address that was nobody's
 * before. The settings of all hosts name the same addresses, but for discovery:
 * there each host has those of the nodes that it knows.
 */
#include "tests/model/world/network/network.h"

#include <stdio.h>
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
	unsigned id = w->processes[name].host;

	if (w->network.named[id] == w->network.addresses[id])
		world_name(w);
	w->network.addresses[id] = ++w->network.addresses_used;
	world_disturb(w);
	world_note(w, "move %u", id);
}

static bool
is_same(const struct place *a, const struct place *b)
{
	return a->host == b->host && a->address == b->address;
}

const char *
place_text(const struct place *place, char text[ADDRESS_MAX_BYTES])
{
	snprintf(text, ADDRESS_MAX_BYTES, "10.%u.%u.%u:7420", place->host,
	    place->address >> 8 & 0xff, place->address & 0xff);
	return text;
}

/* Where a configuration says that a node is. */
static struct place
listed(const struct config_node *node)
{
	struct place place;
	unsigned high, low;

	if (sscanf(node->address, "10.%u.%u.%u", &place.host, &high, &low) != 3)
		assert(false);
	place.address = high << 8 | low;
	return place;
}

struct place
address_named(const struct world *w, process_name name, node_id id)
{
	const struct document *d = w->processes[name].configs.file.document;

	if (d != NULL)
		return listed(config_find(&d->config, id));
	return (struct place){ id, w->network.named[id] };
}

struct place
address_of(const struct world *w, process_name name, node_id id)
{
	const struct process *p = &w->processes[name];
	struct place place;

	if (p->told != NULL)
		return p->told->found[world_peer_of(p, id)];
	place = address_named(w, name, id);
	if (p->found[id] != 0)
		place.address = p->found[id];
	return place;
}

unsigned
address_peer(
    const struct world *w, process_name name, const struct place *place)
{
	const struct process *p = &w->processes[name];
	unsigned count = world_peers_count(p);
	struct place at;

	if (p->told == NULL) {
		if (place->host == NODE_NONE)
			return PEER_NONE;
		at = address_of(w, name, place->host);
		return is_same(&at, place) ? world_peer_of(p, place->host)
					   : PEER_NONE;
	}
	for (unsigned i = 0; i < count; i++) {
		if (is_same(&p->told->found[i], place))
			return i;
	}
	return PEER_NONE;
}

/* An attacker may be the first to bring a datagram that it saw on its way. */
void
address_find(struct world *w, process_name name, unsigned peer)
{
	struct process *p = &w->processes[name];
	node_id id = world_id_of(p, peer);
	const struct place *place = &w->source.place;

	if (p->told != NULL) {
		p->told->found[peer] = *place;
		return;
	}
	if (!w->source.may_reply ||
	    (place->host != id && place->host != NODE_NONE))
		world_fail(w, "%u finds %u where it is not", name, id);
	p->found[id] =
	    place->address == w->network.named[id] ? 0 : place->address;
}

void
address_follow(struct world *w, process_name name, const struct config *before)
{
	struct process *p = &w->processes[name];
	struct place *found = p->told->found, was[NODES_MAX];
	const struct config *now = &p->configs.file.document->config;
	size_t old = 0, i = 0;

	memcpy(was, found, sizeof(was));
	for (size_t j = 0, peer = 0; j < now->nodes_count; j++) {
		const struct config_node *node = &now->nodes[j], *same = NULL;

		while (before != NULL && i < before->nodes_count &&
		       before->nodes[i].id <= node->id) {
			same = &before->nodes[i++];
			old += same->id != p->id;
		}
		if (node->id == p->id)
			continue;
		if (same != NULL && same->id == node->id &&
		    strcmp(same->address, node->address) == 0)
			found[peer++] = was[old - 1];
		else
			found[peer++] = listed(node);
	}
}

void
address_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	memset(p->found, 0, sizeof(p->found));
}
