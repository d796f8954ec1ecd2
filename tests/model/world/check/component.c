/* SPDX-License-Identifier: ISC */
/* Which nodes of a world are connected with each other at this moment. */
#include "tests/model/world/check/check.h"

bool
world_wired(const struct world *w, node_id a, node_id b)
{
	return world_voice(w, a) != 0 && world_voice(w, b) != 0 &&
	       world_know(w, a, b) && !w->network.wires[a][b].cut &&
	       !w->network.wires[b][a].cut && !world_is_pulled(w, a) &&
	       !world_is_pulled(w, b);
}

/* True if two nodes may send to each other: as neighbours, or as one of them
 * votes. */
static bool
may_speak(const struct world *w, node_id a, node_id b, bool directly)
{
	return world_linked(w, a, b) ||
	       (directly && a != b &&
		   (world_role(w, &w->processes[a], a) != ROLE_OBSERVER ||
		       world_role(w, &w->processes[b], b) != ROLE_OBSERVER));
}

/* Adds all nodes that can be reached, step by step. */
static unsigned
reached(const struct world *w, node_id id, bool directly)
{
	unsigned found = 1u << id, looked_at = 0;

	while (found != looked_at) {
		unsigned a = (unsigned)__builtin_ctz(found & ~looked_at);

		looked_at |= 1u << a;
		for (unsigned b = 1; b <= w->setup.nodes; b++) {
			if (!(found >> b & 1) && may_speak(w, a, b, directly) &&
			    world_wired(w, a, b))
				found |= 1u << b;
		}
	}
	return found;
}

unsigned
world_neighbourhood(const struct world *w, node_id id)
{
	return reached(w, id, false);
}

unsigned
world_component(const struct world *w, node_id id)
{
	return reached(w, id, w->setup.guarantee == GUARANTEE_QUORUM);
}
