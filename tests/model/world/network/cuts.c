/* SPDX-License-Identifier: ISC */
/* The wires of a world: they are cut, mended, and get better or worse. */
#include "tests/model/world/network/network.h"

#include <inttypes.h>
#include <stdio.h>

void
world_cut_way(struct world *w, node_id from, node_id to)
{
	w->network.wires[from][to].cut = true;
	world_disturb(w);
	world_note(w, "cut from %u to %u", from, to);
}

void
world_cut(struct world *w, node_id a, node_id b)
{
	w->network.wires[a][b].cut = true;
	w->network.wires[b][a].cut = true;
	world_disturb(w);
	world_note(w, "cut between %u and %u", a, b);
}

void
world_cut_off(struct world *w, node_id id, unsigned others, enum world_cut kind)
{
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		if (other == id || !(others >> other & 1))
			continue;
		if (kind != CUT_DUMB)
			world_cut_way(w, other, id);
		if (kind != CUT_DEAF)
			world_cut_way(w, id, other);
	}
}

void
world_mend(struct world *w, node_id a, node_id b)
{
	w->network.wires[a][b].cut = false;
	w->network.wires[b][a].cut = false;
	world_disturb(w);
	world_note(w, "mend between %u and %u", a, b);
}

/* Writes "12" for the set of 1 and 2; "1,12" where there are more than nine. */
static const char *
set_text(const struct world *w, unsigned ids, char *text)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned id = 1; id <= w->setup.nodes; id++) {
		if (!(ids >> id & 1))
			continue;
		used += (size_t)sprintf(text + used, "%s%u",
		    used > 0 && w->setup.nodes > 9 ? "," : "", id);
	}
	return text;
}

void
world_split(struct world *w, unsigned ids)
{
	char one[3 * WORLD_NODES_MAX], other[3 * WORLD_NODES_MAX];

	for (unsigned a = 1; a <= w->setup.nodes; a++) {
		for (unsigned b = 1; b <= w->setup.nodes; b++) {
			if ((ids >> a & 1) != (ids >> b & 1))
				w->network.wires[a][b].cut = true;
		}
	}
	world_disturb(w);
	world_note(w, "split %s from %s", set_text(w, ids, one),
	    set_text(w, ~ids, other));
}

void
world_heal(struct world *w)
{
	for (unsigned a = 1; a <= w->setup.nodes; a++) {
		for (unsigned b = 1; b <= w->setup.nodes; b++)
			w->network.wires[a][b].cut = false;
	}
	world_disturb(w);
	world_note(w, "heal");
}

/* Links that are cut stay cut. */
static void
change(struct wire *wire, const struct wire *weather)
{
	bool cut = wire->cut;

	*wire = *weather;
	wire->cut = cut;
}

void
world_weather(struct world *w, const struct wire *weather)
{
	for (unsigned a = 1; a <= w->setup.nodes; a++) {
		for (unsigned b = 1; b <= w->setup.nodes; b++)
			change(&w->network.wires[a][b], weather);
	}
	world_disturb(w);
	world_note(w, "weather: loss %u, doubles %u, late %u permille",
	    weather->loss, weather->doubles, weather->late);
}

void
world_weather_to(struct world *w, node_id to, const struct wire *weather)
{
	for (unsigned from = 1; from <= w->setup.nodes; from++)
		change(&w->network.wires[from][to], weather);
	world_disturb(w);
	world_note(w, "all takes up to %" PRIu64 " us to %" PRIu32,
	    weather->delay_max / USEC, to);
}
