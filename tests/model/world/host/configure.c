/* SPDX-License-Identifier: ISC */
/* The configuration of a process of a world. */
#include "tests/model/world/host/host.h"

#include <stdio.h>
#include <string.h>

/* True if the files of these say that they are neighbours. */
static bool
are_linked(const struct world *w, const struct process *p, node_id id)
{
	const struct document *d = p->configs.file.document;

	if (d == NULL)
		return world_linked(w, p->id, id);
	return d->config.topology == TOPOLOGY_RING ||
	       config_has_link(&d->config, p->id, id);
}

/* As world_side(), by the file of the process. */
static unsigned
side_of(const struct world *w, const struct process *p, enum ring_link side,
    node_id *ids)
{
	const struct document *d = p->configs.file.document;
	size_t n, place;

	if (d == NULL)
		return world_side(w, p->id, side, ids);
	n = d->config.order_count;
	place = config_order_index(&d->config, p->id);
	for (size_t i = 1; i < n; i++)
		ids[i - 1] =
		    d->config.order[(side == RING_RIGHT ? place + i
							: place + n - i) %
				    n];
	return n > 0 ? (unsigned)n - 1 : 0;
}

static void
fill_peers(struct world *w, const struct process *p, struct world_peers *peers)
{
	const struct world_file *file = &p->configs.file;
	unsigned n = world_peers_count(p);

	for (unsigned i = 0; i < n; i++) {
		node_id id = world_id_of(p, i);

		peers->setup[i] = (struct peer_setup){
			.id = id,
			.priority = w->files.is_on ? world_priority_in(file, id)
						   : w->processes[id].priority,
			.role = world_role(w, p, id),
			.is_remote = !are_linked(w, p, id),
			.is_configured =
			    w->discovery.is_on &&
			    !config_find(&file->document->config, id)
				 ->is_discovered,
		};
	}
	for (unsigned side = 0; side < RING_LINKS; side++) {
		node_id ids[NODES_MAX];
		unsigned count = side_of(w, p, side, ids), k = 0;

		for (unsigned i = 0; i < count; i++) {
			unsigned peer = world_peer_of(p, ids[i]);

			if (peer != PEER_NONE)
				peers->sides[side][k++] = peer;
		}
	}
}

static void
set_discovery(
    const struct world *w, const struct process *p, struct node_setup *setup)
{
	const struct document *d = p->configs.file.document;
	const struct config_node *own = config_find(&d->config, p->id);
	bool joins = w->discovery.joiners >> p->host & 1;

	setup->choices = d->config.choices;
	setup->has_group = !joins;
	setup->discovery.is_on = true;
	setup->discovery.forget = d->config.forget;
	setup->discovery.has_addresses = joins;
	snprintf(setup->discovery.name, sizeof(setup->discovery.name), "%s",
	    own != NULL ? own->name : "-");
}

void
world_configure(struct world *w, const struct process *p,
    struct node_setup *setup, struct world_peers *peers)
{
	bool is_ring = p->configs.file.topology == TOPOLOGY_RING;
	unsigned peers_count = world_peers_count(p);

	fill_peers(w, p, peers);
	*setup = (struct node_setup){
		.self = p->id,
		.priority = p->priority,
		.role = p->role,
		.peers = peers->setup,
		.peers_count = peers_count,
		.topology = (enum topology)p->configs.file.topology,
		.ring.right = peers->sides[RING_RIGHT],
		.ring.right_count = is_ring ? peers_count : 0,
		.ring.left = peers->sides[RING_LEFT],
		.ring.left_count = is_ring ? peers_count : 0,
		.events_max = WORLD_EVENTS_MAX,
		.algorithm = w->setup.tapes
				 ? world_algorithm(w, p->configs.file.algorithm)
				 : &w->taps.wrapped[p->configs.file.algorithm],
		.choices = w->setup.choices,
		.document =
		    w->files.is_on ? world_bytes(&p->configs.file) : NULL,
		.document_size =
		    w->files.is_on ? world_bytes_count(&p->configs.file) : 0,
		.prefer = w->setup.prefer,
		.preempt = w->setup.preempt,
		.preempt_after = w->setup.preempt_after,
		.timing.heartbeat = p->configs.file.heartbeat,
		.timing.misses = p->configs.file.misses,
		.timing.startup = w->setup.startup,
		.cluster = "world",
		.guarantee = w->setup.guarantee,
		.timing.lease = p->configs.file.lease,
		.durable = p->disk.durable,
		.state_health = p->state_health,
		.budget_max = w->setup.budget_max,
		.trace = w->setup.trace,
		.versions = p->versions,
		.has_group = w->setup.has_group,
		.standby =
		    standby_later(&p->order.standby, p->order.at, w->now),
	};
	memset(setup->keys.first, WORLD_KEY, sizeof(setup->keys.first));
	setup->config_id = p->configs.config_id;
	setup->choices.variant = (uint8_t)p->configs.file.variant;
	if (setup->choices.diameter == 0)
		setup->choices.diameter = w->setup.nodes - 1;
	if (w->discovery.is_on)
		set_discovery(w, p, setup);
	for (size_t i = 0; i < sizeof(setup->entropy); i++)
		setup->entropy[i] = (uint8_t)random_next(&w->random);
}
