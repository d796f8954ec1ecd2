/* SPDX-License-Identifier: ISC */
/* When the hosts of a gathering are one cluster. */
#include "tests/world/gathering/gathering.h"

/* True if this host is to lead if it has the highest id: one that came and went
 * often takes over from nobody for a while (PROTOCOL.md, Unsteady nodes). */
static bool
is_contender(const struct gathering *g, const struct guest *h)
{
	return gathering_role(g, h->id) == ROLE_CANDIDATE &&
	       node_status(h->node, g->now).unsteady_until <= g->now;
}

static bool
leads(const struct gathering *g, unsigned side, node_id id)
{
	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];

		if (h->is_running && h->side == side && h->id == id &&
		    node_status(h->node, g->now).state == STATE_LEADER)
			return true;
	}
	return false;
}

/* True if all that run on this side are one cluster. */
static bool
is_settled(const struct gathering *g, unsigned side)
{
	const struct guest *first = NULL;
	node_id best = NODE_NONE, leader;
	unsigned running = 0;

	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];

		if (!h->is_running || h->side != side)
			continue;
		running++;
		if (is_contender(g, h) && h->id > best)
			best = h->id;
		first = first == NULL ? h : first;
	}
	if (first == NULL)
		return true;
	/* One that came and went leads those who have no other leader. */
	leader = node_status(first->node, g->now).leader;
	if (leader < best || !leads(g, side, leader))
		return false;
	for (unsigned i = 0; i < g->count; i++) {
		const struct guest *h = &g->guests[i];
		struct node_status status;

		if (!h->is_running || h->side != side)
			continue;
		status = node_status(h->node, g->now);
		if (status.leader != leader ||
		    (g->algorithm->topology == TOPOLOGY_FULL &&
			status.reachable != running) ||
		    h->list.nodes_count < running || status.is_outside ||
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
			if (h->list.nodes_count != count ||
			    (g->guests[j].is_running &&
				config_find(&h->list, g->guests[j].id) == NULL))
				return false;
		}
	}
	return true;
}
