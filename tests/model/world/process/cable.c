/* SPDX-License-Identifier: ISC */
/* The cables of a world's hosts: one that is pulled cuts its host off, and the
 * kernel tells the host's process. */
#include "tests/model/world/process/process.h"

void
cable_tell(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	bool is_pulled = world_is_pulled(w, p->host);

	if (!world_runs(w, name) || p->paused || p->lacks_carrier == is_pulled)
		return;
	p->lacks_carrier = is_pulled;
	tap_listen(w, name);
	node_set_carrier(p->node, clock_local(&p->clock, w->now), !is_pulled);
	process_act(w, name);
}

/* A copy is next to the original. */
static void
move_plug(struct world *w, node_id id, bool is_pulled)
{
	if (id == NODE_NONE || world_is_pulled(w, id) == is_pulled)
		return;
	w->network.pulled ^= 1u << id;
	world_disturb(w);
	world_note(w, "%s the cable of %u", is_pulled ? "pull" : "plug in", id);
	cable_tell(w, id);
	if (w->processes[WORLD_COPY].host == id)
		cable_tell(w, WORLD_COPY);
}

void
world_pull(struct world *w, process_name name)
{
	move_plug(w, w->processes[name].host, true);
}

void
world_plug_in(struct world *w, process_name name)
{
	move_plug(w, w->processes[name].host, false);
}
