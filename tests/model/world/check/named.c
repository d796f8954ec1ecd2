/* SPDX-License-Identifier: ISC */
/* Which nodes may lead as far as the files of all go. */
#include "tests/model/world/check/check.h"

/* True if b is a peer of a, by the file of a. */
static bool
names(const struct world *w, node_id a, node_id b)
{
	return w->processes[a].configs.file.members >> b & 1;
}

/* True if datagrams pass between the hosts of two nodes that run. */
static bool
is_wired(const struct world *w, node_id a, node_id b)
{
	return world_voice(w, a) != 0 && world_voice(w, b) != 0 &&
	       !w->network.wires[a][b].cut && !w->network.wires[b][a].cut &&
	       !world_is_pulled(w, a) && !world_is_pulled(w, b);
}

/* True if the node calls the other: in a ring only up to the next one on each
 * side that it hears. */
static bool
calls(const struct world *w, node_id by, node_id other)
{
	const struct process *p = &w->processes[world_voice(w, by)];

	return !world_has_ring(w) || !names(w, by, other) ||
	       node_peer_status(p->node, world_peer_of(p, other)).sought;
}

/* True if the other hears a node that it does not know, when that calls. */
static bool
is_called(const struct world *w, node_id by, node_id other)
{
	return is_wired(w, by, other) && calls(w, by, other) &&
	       (address_of(w, by, other).address ==
		       w->network.addresses[other] ||
		   w->network.named[other] == w->network.addresses[other]);
}

bool
world_is_named(const struct world *w, node_id id)
{
	const struct process *p = &w->processes[id];
	unsigned earlier = 0, ours = 1;

	if (!names(w, id, id))
		return false;
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		int order =
		    config_id_compare(&w->processes[other].configs.config_id,
			&p->configs.config_id);

		if (other == id || !is_wired(w, id, other))
			continue;
		if (world_know(w, id, other))
			ours += order == 0;
		else if (!is_called(w, id, other))
			continue;
		else if (order > 0 && names(w, id, other))
			return false;
		else
			earlier += names(w, id, other);
	}
	return earlier == 0 || earlier < ours;
}
