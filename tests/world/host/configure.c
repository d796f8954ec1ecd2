/* SPDX-License-Identifier: ISC */
/* The configuration of a process of a world. */
#include "tests/world/host/host.h"

#include <string.h>

static void
fill_peers(struct world *w, const struct process *p, struct world_peers *peers)
{
	unsigned n = (unsigned)__builtin_popcount(world_peers_of(p));

	for (unsigned i = 0; i < n; i++) {
		const struct process *q = &w->processes[world_id_of(p, i)];

		peers->setup[i] = (struct peer_setup){
			.id = q->id,
			.priority = w->files.is_on
					? p->editions.file.priorities[q->id]
					: q->priority,
			.role = world_role(w, p, q->id),
			.is_remote = !world_linked(w, p->id, q->id),
		};
	}
	for (unsigned side = 0; side < RING_LINKS; side++) {
		node_id ids[WORLD_NODES_MAX];
		unsigned count = world_side(w, p->id, side, ids), k = 0;

		for (unsigned i = 0; i < count; i++) {
			unsigned peer = world_peer_of(p, ids[i]);

			if (peer != PEER_NONE)
				peers->sides[side][k++] = peer;
		}
	}
}

void
world_configure(struct world *w, const struct process *p,
    struct node_setup *setup, struct world_peers *peers)
{
	bool is_ring = p->editions.file.topology == TOPOLOGY_RING;
	unsigned peers_count = (unsigned)__builtin_popcount(world_peers_of(p));

	fill_peers(w, p, peers);
	*setup = (struct node_setup){
		.self = p->id,
		.priority = p->priority,
		.role = p->role,
		.peers = peers->setup,
		.peers_count = peers_count,
		.topology = (enum topology)p->editions.file.topology,
		.ring.right = peers->sides[RING_RIGHT],
		.ring.right_count = is_ring ? peers_count : 0,
		.ring.left = peers->sides[RING_LEFT],
		.ring.left_count = is_ring ? peers_count : 0,
		.events_max = WORLD_EVENTS_MAX,
		.algorithm =
		    w->setup.tapes
			? world_algorithm(w, p->editions.file.algorithm)
			: &w->taps.wrapped[p->editions.file.algorithm],
		.choices = w->setup.choices,
		.document =
		    w->files.is_on ? (const uint8_t *)&p->editions.file : NULL,
		.document_size = w->files.is_on ? sizeof(p->editions.file) : 0,
		.prefer = w->setup.prefer,
		.preempt = w->setup.preempt,
		.preempt_after = w->setup.preempt_after,
		.timing.heartbeat = p->editions.file.heartbeat,
		.timing.misses = p->editions.file.misses,
		.timing.startup = w->setup.startup,
		.cluster = "world",
		.guarantee = w->setup.guarantee,
		.timing.lease = p->editions.file.lease,
		.durable = p->disk.durable,
		.state_health = p->state_health,
		.budget_max = w->setup.budget_max,
		.trace = w->setup.trace,
		.versions = p->versions,
		.has_group = w->setup.has_group,
		.standby =
		    standby_later(&p->order.standby, p->order.at, w->now),
	};
	memset(setup->key, 0x5a, sizeof(setup->key));
	setup->edition = p->editions.edition;
	setup->choices.variant = (uint8_t)p->editions.file.variant;
	if (setup->choices.diameter == 0)
		setup->choices.diameter = w->setup.nodes - 1;
	for (size_t i = 0; i < sizeof(setup->entropy); i++)
		setup->entropy[i] = (uint8_t)random_next(&w->random);
}
