/* SPDX-License-Identifier: ISC */
/* A host's disk loses what it had, or has what it had once. */
#include "tests/model/world/drive/drive.h"

/* False if nobody could ever lead again once this process has lost its disk. */
static bool
may_lose(const struct world *w, process_name name)
{
	return !world_runs(w, name) &&
	       (w->setup.guarantee != GUARANTEE_QUORUM ||
		   quorum_spares(w, name));
}

/* True if the node has not started yet: then it has the file that all others
 * have (A6; PROTOCOL.md, Assumptions). */
static bool
is_first_start(const struct world *w, const struct process *p)
{
	const struct config_id none = { .config_term = 0 };

	return w->setup.guarantee == GUARANTEE_QUORUM &&
	       config_id_equal(&p->disk.durable.config_id, &none);
}

void
world_lose_settings(struct world *w, process_name name)
{
	if (is_first_start(w, &w->processes[name]) || !may_lose(w, name))
		return;
	world_note(w, "the settings that %u kept are lost", name);
	configs_forget(w, name);
}

void
world_forget(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!may_lose(w, name))
		return;
	world_note(w, "the state of %u is lost", name);
	p->disk.durable = (struct durable_state){ .incarnation = 0 };
	p->disk.is_lost = w->setup.guarantee == GUARANTEE_QUORUM;
	w->has_forgotten = true;
	configs_forget(w, name);
}

/*
 * True if an operator may replace the durable state of this process: all others
 * run, hear each other and agree on a leader, so that no term that it may have
 * promised comes again; and no lease runs that it may have granted.
 */
static bool
is_easy(struct world *w, process_name name)
{
	unsigned others = ~(1u << name) & (((1u << w->setup.nodes) - 1) << 1);
	node_id first = name == 1 ? 2 : 1;

	if (w->setup.nodes < 2 || world_runs(w, WORLD_COPY) ||
	    w->now <
		nsec_after(w->changes.fault_at, world_longest_lease(w) * 5 / 4))
		return false;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (id != name &&
		    (world_voice(w, id) == 0 || w->processes[id].stops))
			return false;
	}
	return world_component(w, first) == others && world_settled(w) &&
	       w->processes[first].observed.seen.leader != NODE_NONE;
}

void
world_members_back(struct world *w, process_name name, unsigned lives)
{
	struct process *p = &w->processes[name];

	assert(lives >= 1 && lives < WORLD_LIVES);
	if (world_runs(w, name) || p->disk.is_lost || p->lives <= lives)
		return;
	if (w->setup.guarantee == GUARANTEE_QUORUM &&
	    (!quorum_is_sound(w) || !is_easy(w, name)))
		return;
	w->counters.rolled_back++;
	world_note(w, "the state of %u is as it was", name);
	p->disk.durable = p->disk.older[lives];
	world_start(w, name);
}
