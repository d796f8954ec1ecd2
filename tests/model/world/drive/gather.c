/* SPDX-License-Identifier: ISC */
/* When hosts that have found each other are one cluster. */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>

/* True if this node is to lead if it is the best: one that came and went often
 * takes over from nobody for a while (PROTOCOL.md, Flap damping). */
static bool
is_contender(struct world *w, process_name name)
{
	return w->processes[name].role == ROLE_CANDIDATE &&
	       world_status(w, name).damped_until == 0;
}

static bool
leads(struct world *w, unsigned hosts, node_id id)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if ((hosts >> name & 1) && world_runs(w, name) &&
		    w->processes[name].id == id &&
		    world_status(w, name).state == STATE_LEADER)
			return true;
	}
	return false;
}

/* True if a node sees the cluster as its leader should. */
static bool
agrees(struct world *w, process_name name, node_id leader,
    const struct config_id *config_id, unsigned running)
{
	const struct process *p = &w->processes[name];
	const struct node_status s = world_status(w, name);

	if (s.leader == leader && !s.is_outside &&
	    (w->setup.topology != TOPOLOGY_FULL || s.reachable == running) &&
	    world_peers_count(p) + 1 >= running &&
	    config_id_equal(node_config_id(p->node), config_id))
		return true;
	snprintf(w->why, sizeof(w->why),
	    "%u is %s with leader %" PRIu32 ", reaches %u of %u, and knows %u",
	    name, node_state_name(s.state), s.leader, s.reachable, running,
	    world_peers_count(p) + 1);
	return false;
}

static bool
are_one(struct world *w, unsigned hosts)
{
	process_name first = 0;
	node_id best = NODE_NONE, leader;
	unsigned running = 0;

	for (process_name name = w->setup.nodes; name > 0; name--) {
		if (!(hosts >> name & 1) || !world_runs(w, name))
			continue;
		running++;
		first = name;
		if (is_contender(w, name) && w->processes[name].id > best)
			best = w->processes[name].id;
	}
	if (first == 0)
		return true;
	/* A host that came and went may lead those that have no other
	 * leader. */
	leader = world_status(w, first).leader;
	if (leader < best || !leads(w, hosts, leader)) {
		snprintf(w->why, sizeof(w->why),
		    "%u has leader %" PRIu32 ", and %" PRIu32 " is the best",
		    first, leader, best);
		return false;
	}
	for (process_name name = first; name <= w->setup.nodes; name++) {
		if ((hosts >> name & 1) && world_runs(w, name) &&
		    !agrees(w, name, leader,
			node_config_id(w->processes[first].node), running))
			return false;
	}
	return true;
}

nsec_t
world_gather(struct world *w, unsigned hosts, nsec_t limit)
{
	nsec_t begin = w->now;

	while (!w->halted && w->now - begin < limit) {
		if (are_one(w, hosts))
			return w->now - begin;
		world_run(w, 10 * MSEC);
	}
	return NSEC_NEVER;
}

bool
world_knows_the_living(const struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count +=
		    world_runs(w, name) || (w->discovery.voters >> name & 1);
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct process *p = &w->processes[name];

		for (process_name i = 1; p->node && i <= w->setup.nodes; i++) {
			if (world_peers_count(p) + 1 != count ||
			    (world_runs(w, i) && !world_names(&p->configs.file,
						     w->processes[i].id)))
				return false;
		}
	}
	return true;
}
