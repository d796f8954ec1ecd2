/* SPDX-License-Identifier: ISC */
/*
 * The promise of a settled world about followers that are cut off and return
 * (PROTOCOL.md, Turns): the leader leads on, in its term, where it, a majority
 * and their links are well; under component, where all links of the others are
 * well. Exempt is a leader that a better node may replace, one that hands over,
 * and a torn ring under quorum, whose nodes may try for ever. Operators and
 * hosts do nothing meanwhile.
 */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>

#define TRIES 2
#define CALM  (3 * SEC) /* after it has returned */

/* True if this node would take over from the leader when it returns, or when
 * the leader is damped. */
static bool
would_take_over(const struct world *w, node_id id, node_id leader)
{
	const struct process *p = &w->processes[id], *l = &w->processes[leader];
	const struct rank a = {
		.is_eligible = true,
		.is_contender = true,
		.priority = p->priority,
		.id = id,
	};
	struct rank b = a;

	b.priority = l->priority;
	b.id = leader;
	return w->setup.preempt != PREEMPT_NEVER && world_voice(w, id) != 0 &&
	       p->role == ROLE_CANDIDATE && !world_is_on_standby(w, id) &&
	       rank_better(&a, &b, w->setup.prefer);
}

/* Component: true if all nodes but this one hear each other, and the leader is
 * not alone. In other topologies the others may need its links. */
static bool
others_hold_together(const struct world *w, node_id id)
{
	unsigned others = 0;

	if (w->setup.topology != TOPOLOGY_FULL)
		return false;
	for (node_id a = 1; a <= w->setup.nodes; a++) {
		if (a == id || world_voice(w, a) == 0)
			continue;
		others++;
		for (node_id b = 1; b < a; b++) {
			if (b != id && world_voice(w, b) != 0 &&
			    !world_wired(w, a, b))
				return false;
		}
	}
	return others > 1;
}

/* True if nobody may take the lead while this follower is cut off. */
static bool
may_be_cut_off(struct world *w, node_id id, node_id leader)
{
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		if (other != leader && would_take_over(w, other, leader))
			return false;
	}
	if (id == leader || world_voice(w, id) != id ||
	    world_status(w, leader).hands_over)
		return false;
	return w->setup.guarantee == GUARANTEE_QUORUM
		   ? world_may_rest(w, world_component(w, leader)) &&
			 quorum_keeps_leader(w, leader, id)
		   : others_hold_together(w, id);
}

/*
 * Cuts the follower off for a while, and lets it return. Settings and elections
 * that an operator asked for before may come into effect meanwhile. And where a
 * disk once had an old state, the follower may know of a later process of the
 * leader's id, and refutes it.
 */
static void
cut_off(struct world *w, struct random *random, node_id id, node_id leader)
{
	const struct process *p = &w->processes[leader];
	enum world_cut kind = (enum world_cut)random_below(random, CUT_KINDS);
	struct accession reign = p->lead.reign;
	struct config_id config_id = p->configs.config_id;
	uint64_t incarnation = p->disk.durable.incarnation;
	unsigned losses = p->observed.notices[NOTICE_NO_LEADER], others = 0;

	for (node_id other = 1; other <= w->setup.nodes; other++) {
		if (other != id && world_voice(w, other) != 0 &&
		    world_wired(w, id, other))
			others |= 1u << other;
	}
	world_cut_off(w, id, others, kind);
	world_run(w, random_between(random, SEC, 12 * SEC));
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		if (others >> other & 1)
			world_mend(w, id, other);
	}
	world_run(w, CALM);
	if (p->lead.leads && p->observed.notices[NOTICE_NO_LEADER] == losses &&
	    p->lead.reign.term == reign.term)
		return;
	if (config_id_equal(&p->configs.config_id, &config_id) &&
	    p->disk.durable.incarnation == incarnation &&
	    p->observed.leader.reason.kind != REASON_FORCED)
		world_fail(w,
		    "%" PRIu32 " led in term %" PRIu64 ", and %" PRIu32
		    " was cut off and returned",
		    leader, reign.term, id);
}

void
world_check_return(struct world *w)
{
	struct random random;

	random_init(&random, w->setup.seed);
	for (unsigned i = 0; i < TRIES && w->setup.nodes > 1; i++) {
		process_name leader;
		node_id id =
		    1 + (node_id)random_below(&random, w->setup.nodes - 1);

		world_disturb(w);
		world_settle(w);
		leader = lead_first(w);
		if (w->halted)
			return;
		if (leader != 0 && id >= leader)
			id++;
		if (leader != 0 && world_voice(w, leader) == leader &&
		    may_be_cut_off(w, id, leader))
			cut_off(w, &random, id, leader);
	}
	world_disturb(w);
	world_settle(w);
}
