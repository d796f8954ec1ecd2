/* SPDX-License-Identifier: ISC */
/*
 * The promises of a quiet world (PROTOCOL.md, Guarantees): every component has
 * one leader, which lives, is known to all, and is the best that it has.
 *
 * The topology decides components: running nodes, and the links between them
 * whose wires are whole both ways. In a ring any two nodes may be neighbours.
 * There, a component with a cut wire inside may have bypassed nodes: they
 * follow, and the leader is as good as all that are not bypassed. Under the
 * guarantee "quorum" nodes send to voters directly, which joins what the
 * topology does not; check/quorum.c has the promises for that.
 */
#include "tests/model/world/check/check.h"

#include <inttypes.h>
#include <stdio.h>

/* True if nodes of this component may be bypassed: in a ring with a cut inside.
 */
static bool
is_torn(const struct world *w, unsigned component)
{
	if (!world_has_ring(w))
		return false;
	for (unsigned a = 1; a <= w->setup.nodes; a++) {
		for (unsigned b = 1; b < a; b++) {
			if ((component >> a & component >> b & 1) &&
			    !(world_linked(w, a, b) && world_wired(w, a, b)))
				return true;
		}
	}
	return false;
}

/* Gives the ids of a component that are bypassed. */
static unsigned
bypassed_of(struct world *w, unsigned component)
{
	unsigned found = 0;

	for (unsigned id = 1; id <= w->setup.nodes; id++) {
		if (component >> id & 1 &&
		    world_status(w, world_voice(w, id)).is_bypassed)
			found |= 1u << id;
	}
	return found;
}

bool
world_is_undamped(struct world *w, node_id id)
{
	return world_status(w, world_voice(w, id)).damped_until == 0;
}

/* True if the node has resigned so that another one takes a step, and waits for
 * that. */
static bool
gives_way(struct world *w, node_id id)
{
	return w->processes[id].configs.rollout.has_resigned &&
	       world_status(w, world_voice(w, id)).standby.is_on;
}

/* The rank with which this node would take over. */
static struct rank
rank_of(struct world *w, node_id id)
{
	const struct process *p = &w->processes[id];

	return (struct rank){ .is_eligible = p->role == ROLE_CANDIDATE &&
					     !gives_way(w, id) &&
					     !world_is_on_standby(w, id) &&
					     !world_is_pulled(w, id) &&
					     world_is_named(w, id),
		.is_contender = world_is_undamped(w, id),
		.priority = p->priority,
		.id = p->id };
}

/* Gives the best eligible node of the component; NODE_NONE if there is none. */
static node_id
best_of(struct world *w, unsigned component)
{
	struct rank best = { .is_eligible = false };

	for (node_id id = 1; id <= w->setup.nodes; id++) {
		struct rank r;

		if (!(component >> id & 1))
			continue;
		r = rank_of(w, id);
		if (!r.is_eligible)
			continue;
		if (!best.is_eligible ||
		    rank_better(&r, &best, w->setup.prefer))
			best = r;
	}
	return best.id;
}

/* True if the leader is worse than a node that could take its place. */
static bool
is_worse(struct world *w, node_id leader, node_id best)
{
	struct rank a, b;

	if (best == NODE_NONE || w->setup.preempt != PREEMPT_ALWAYS)
		return false;
	a = rank_of(w, best);
	b = rank_of(w, leader);
	/* A node that leads keeps the lead, undamped or not. */
	b.is_contender = true;
	return rank_better(&a, &b, w->setup.prefer);
}

/* Says why this leader is not right for this component; NULL if it is right. */
static const char *
fault_of(struct world *w, unsigned component, node_id leader)
{
	bool is_quorum = w->setup.guarantee == GUARANTEE_QUORUM;
	unsigned bypassed = bypassed_of(w, component);
	unsigned lead_watch = component & ~bypassed;
	node_id best;

	if (is_quorum)
		lead_watch &= quorum_electable(w);
	best = best_of(w, lead_watch);
	if (bypassed != 0 && !is_torn(w, component))
		return "one is bypassed";
	if (best != NODE_NONE && leader == NODE_NONE)
		return "one stands";
	if (leader == NODE_NONE)
		return NULL;
	if (!(component >> leader & 1))
		return "that one is not there";
	if (w->processes[leader].role != ROLE_CANDIDATE)
		return "that one does not stand";
	if (world_is_on_standby(w, leader))
		return "that one is on standby";
	if (world_is_pulled(w, leader))
		return "that one has no carrier";
	if (!world_is_named(w, leader))
		return "that one is no member any more";
	if (is_quorum && !(quorum_electable(w) >> leader & 1))
		return "that one has no majority";
	if (is_quorum && !quorum_is_whole(w, component))
		return NULL;
	return is_worse(w, leader, best) ? "another is better" : NULL;
}

/*
 * True if this node agrees with the first of its component. Where nobody leads,
 * their terms may differ.
 */
static bool
agrees(struct world *w, node_id id, const struct node_status *first)
{
	struct node_status s = world_status(w, world_voice(w, id));

	if (s.leader == first->leader &&
	    (s.leader == NODE_NONE || s.term == first->term) &&
	    (s.is_bypassed ||
		(s.state != STATE_STARTING && s.state != STATE_ELECTING)))
		return true;
	snprintf(w->why, sizeof(w->why),
	    "%" PRIu32 " is %s with leader %" PRIu32 " in term %" PRIu64
	    ", and not %" PRIu32 " in term %" PRIu64,
	    id, node_state_name(s.state), s.leader, s.term, first->leader,
	    first->term);
	return false;
}

/*
 * True if this node follows nobody, as it is outside and knows a later term
 * than its component's leader. Nobody takes a later term for it (PROTOCOL.md,
 * Configurations), and the terms that its clients hear never fall.
 */
static bool
is_left_behind(struct world *w, unsigned component, node_id id)
{
	struct node_status s = world_status(w, world_voice(w, id));
	uint64_t latest = 0; /* term of a leader */

	if (!s.is_outside || s.leader != NODE_NONE)
		return false;
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		struct node_status o;

		if (!(component >> other & 1))
			continue;
		o = world_status(w, world_voice(w, other));
		if (o.leader != NODE_NONE && o.term > latest)
			latest = o.term;
	}
	return latest != 0 && latest < s.term;
}

static bool
component_settled(struct world *w, unsigned component)
{
	node_id first = NODE_NONE;
	struct node_status s;
	const char *fault;

	for (node_id id = w->setup.nodes; id > 0; id--) {
		if (!(component >> id & 1))
			continue;
		if (is_left_behind(w, component, id))
			component &= ~(1u << id);
		else
			first = id;
	}
	assert(first != NODE_NONE);
	s = world_status(w, world_voice(w, first));
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (component >> id & 1 && !agrees(w, id, &s))
			return false;
	}
	fault = fault_of(w, component, s.leader);
	if (fault != NULL)
		snprintf(w->why, sizeof(w->why),
		    "%" PRIu32 " takes %" PRIu32 " as leader, but %s", first,
		    s.leader, fault);
	return fault == NULL;
}

/* True if this component is as it should be. */
static bool
is_component_settled(struct world *w, unsigned component)
{
	if (w->setup.guarantee == GUARANTEE_QUORUM &&
	    !quorum_has_leader(w, component))
		return quorum_leads_nobody(w, component);
	if (w->setup.guarantee == GUARANTEE_QUORUM && is_torn(w, component))
		return quorum_leads_somebody(w, component);
	return component_settled(w, component);
}

bool
world_may_rest(const struct world *w, unsigned component)
{
	return w->setup.guarantee != GUARANTEE_QUORUM ||
	       (quorum_has_leader(w, component) && !is_torn(w, component));
}

/* No node believes that a peer is up which does not run. */
static bool
dead_are_known(struct world *w)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct process *p = &w->processes[name];

		for (node_id id = 1; id <= w->setup.nodes; id++) {
			if (world_peer_of(p, id) == PEER_NONE ||
			    !world_runs(w, name) || p->paused ||
			    world_runs(w, id) ||
			    w->processes[WORLD_COPY].id == id ||
			    !node_peer_status(p->node, world_peer_of(p, id)).up)
				continue;
			snprintf(w->why, sizeof(w->why),
			    "%u takes %" PRIu32 " for alive", name, id);
			return false;
		}
	}
	return true;
}

/* Under quorum a file that no leader has stamped waits for one. */
static bool
waits_for_leader(const struct world *w, node_id a, node_id b)
{
	return w->setup.guarantee == GUARANTEE_QUORUM &&
	       (w->processes[a].configs.config_id.config_term == 0 ||
		   w->processes[b].configs.config_id.config_term == 0) &&
	       !quorum_has_leader(w, world_component(w, a));
}

/* No two nodes that hear each other have different configurations, if one of
 * them may have the other's. */
static bool
configs_have_met(struct world *w)
{
	for (node_id a = 1; a <= w->setup.nodes; a++) {
		for (node_id b = 1; b < a; b++) {
			if (!world_linked(w, a, b) || !world_wired(w, a, b) ||
			    config_id_compare(
				&w->processes[a].configs.config_id,
				&w->processes[b].configs.config_id) == 0 ||
			    waits_for_leader(w, a, b))
				continue;
			snprintf(w->why, sizeof(w->why),
			    "%" PRIu32 " and %" PRIu32
			    " have different configurations",
			    a, b);
			return false;
		}
	}
	return true;
}

bool
world_settled(struct world *w)
{
	unsigned seen = 0, component;

	if (w->changes.count == w->changes.settled)
		return false;
	w->changes.settled = w->changes.count;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (world_voice(w, id) == 0 || seen >> id & 1)
			continue;
		component = world_component(w, id);
		if (!is_component_settled(w, component))
			return false;
		seen |= component;
	}
	if (!dead_are_known(w) || !configs_have_met(w) ||
	    !quorum_has_admitted(w))
		return false;
	w->changes.settled = UINT64_MAX;
	w->why[0] = '\0';
	return true;
}
