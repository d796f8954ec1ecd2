/* SPDX-License-Identifier: ISC */
#include "tests/model/world/world.h"

static unsigned
all_ids(const struct world *w)
{
	return ((1u << w->setup.nodes) - 1) << 1;
}

static void
link_as_told(struct world *w)
{
	for (unsigned i = 0; i < w->setup.links_count; i++) {
		const struct world_link *l = &w->setup.links[i];

		assert(l->a >= 1 && l->a <= w->setup.nodes);
		assert(l->b >= 1 && l->b <= w->setup.nodes);
		assert(l->a != l->b);
		w->shape.linked[l->a] |= 1u << l->b;
		w->shape.linked[l->b] |= 1u << l->a;
	}
}

static void
order_as_told(struct world *w)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < w->setup.nodes; i++) {
		w->shape.order[i] =
		    w->setup.order != NULL ? w->setup.order[i] : i + 1;
		seen |= 1u << w->shape.order[i];
	}
	assert(seen == all_ids(w));
}

/* The neighbours as electd -t shows them. */
static bool
suits(const struct algorithm *algorithm, enum topology topology)
{
	return algorithm->topology == topology ||
	       algorithm->topology == TOPOLOGY_GRAPH;
}

void
world_shape(struct world *w)
{
	struct world_setup *s = &w->setup;
	bool has_links = s->topology == TOPOLOGY_TREE ||
			 (s->topology == TOPOLOGY_GRAPH && s->links_count > 0);

	assert(suits(s->algorithm, s->topology));
	order_as_told(w);
	if (has_links)
		link_as_told(w);
	for (node_id id = 1; id <= s->nodes && !has_links; id++)
		w->shape.linked[id] = all_ids(w) & ~(1u << id);
	s->order = NULL;
	s->links = NULL;
}

bool
world_linked(const struct world *w, node_id a, node_id b)
{
	return w->shape.linked[a] >> b & 1;
}

unsigned
world_side(const struct world *w, node_id id, enum ring_link side, node_id *ids)
{
	unsigned n = w->setup.nodes, place = 0;

	while (w->shape.order[place] != id)
		place++;
	for (unsigned i = 1; i < n; i++) {
		unsigned to = side == RING_RIGHT ? place + i : place + n - i;

		ids[i - 1] = w->shape.order[to % n];
	}
	return n - 1;
}
