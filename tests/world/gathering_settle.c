/* SPDX-License-Identifier: ISC */
/* When the hosts of a gathering are one cluster. */
#include "tests/world/gathering.h"

/* True if all that run on this side are one cluster. */
static bool
is_settled(const struct gathering *g, unsigned side)
{
	const struct guest *first = NULL;
	node_id best = NODE_NONE;
	unsigned running = 0;

	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];

		if (!h->is_running || h->side != side)
			continue;
		running++;
		if (gathering_role(g, h->id) == ROLE_CANDIDATE && h->id > best)
			best = h->id;
		first = first == NULL ? h : first;
	}
	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];
		struct node_status status;

		if (!h->is_running || h->side != side)
			continue;
		status = node_status(h->node, g->now);
		if (status.leader != best ||
		    (g->algorithm->topology == TOPOLOGY_FULL &&
			status.reachable != running) ||
		    h->list.count < running || status.is_outside ||
		    !edition_equal(
			node_edition(h->node), node_edition(first->node)))
			return false;
	}
	return true;
}

nsec_t
gathering_settle(struct gathering *g, unsigned side, nsec_t limit)
{
	nsec_t begin = g->now;

	while (!g->is_halted && nsec_since(g->now, begin) < limit) {
		if (is_settled(g, side))
			return nsec_since(g->now, begin);
		gathering_run(g, 10 * MSEC);
	}
	return NSEC_NEVER;
}

bool
gathering_knows_the_living(const struct gathering *g)
{
	unsigned count = 0;

	for (unsigned i = 0; i < g->count; i++)
		count += g->guests[i].is_running || i < g->voters;
	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];

		for (unsigned j = 0; h->is_running && j < g->count; j++) {
			if (h->list.count != count ||
			    (g->guests[j].is_running &&
				!gathering_lists(&h->list, g->guests[j].id)))
				return false;
		}
	}
	return true;
}
