/* SPDX-License-Identifier: ISC */
/*
 * The promises of a world that hold after every event: the node that moved is
 * sound, and its host says nothing that it must not.
 */
#include "tests/model/world/check/check.h"

#include <inttypes.h>

/* True if state and leader agree. A leader that a configuration makes an
 * observer leads on until it has handed over. */
static bool
is_sane(
    const struct world *w, const struct process *p, const struct node_status *s)
{
	switch (s->state) {
	case STATE_LEADER:
		return s->leader == p->id &&
		       (p->role == ROLE_CANDIDATE || w->files.is_on) &&
		       !s->duplicate;
	case STATE_FOLLOWER:
		return s->leader != NODE_NONE && s->leader != p->id;
	case STATE_STARTING:
	case STATE_ELECTING:
		return s->leader != p->id;
	case STATE_NO_LEADER:
	case STATE_NO_QUORUM:
		return s->leader == NODE_NONE;
	}
	return false;
}

/* True if the node has reported to its host the leader that it has. */
static bool
has_told(const struct process *p, const struct node_status *s)
{
	if (p->observed.leader.kind == NOTICE_LEADER)
		return p->observed.leader.leader == s->leader;
	return s->leader == NODE_NONE;
}

/* True if the node votes only where it may, and counts the majority right. */
static bool
votes_soundly(
    const struct world *w, const struct process *p, const struct node_status *s)
{
	unsigned voters = 0;

	if (w->setup.guarantee != GUARANTEE_QUORUM)
		return true;
	if (s->state == STATE_LEADER && s->state_health != STATE_HEALTH_SOUND)
		return false;
	voters = p->role != ROLE_OBSERVER;
	for (unsigned i = world_peers_count(p); i-- > 0;)
		voters += world_role(w, p, world_id_of(p, i)) != ROLE_OBSERVER;
	if (s->voters != voters || s->quorum != voters / 2 + 1)
		return false;
	return !s->has_vote ||
	       (p->role != ROLE_OBSERVER &&
		   s->state_health == STATE_HEALTH_SOUND && !p->disk.is_lost &&
		   !p->disk.durable.is_revoked && !s->duplicate);
}

/* True if the node may show no lower term than this one. Under quorum an
 * election that nobody has won binds nobody. */
static bool
shows_term(const struct world *w, const struct node_status *s)
{
	return w->setup.guarantee != GUARANTEE_QUORUM || s->leader != NODE_NONE;
}

/* Notes what the node says now, and whether that has changed. */
static void
note_seen(struct world *w, struct process *p, const struct node_status *s)
{
	struct seen seen = { s->state, s->leader, s->term, s->is_bypassed,
		s->state_health, s->damped_until == 0 };

	if (seen.state != p->observed.seen.state ||
	    seen.leader != p->observed.seen.leader ||
	    seen.term != p->observed.seen.term ||
	    seen.is_bypassed != p->observed.seen.is_bypassed ||
	    seen.state_health != p->observed.seen.state_health ||
	    seen.is_undamped != p->observed.seen.is_undamped)
		w->changes.count++;
	p->observed.seen = seen;
}

/* The process that this one has as its parent in the tree; 0: none, or it is
 * over. One whose disk failed may have the incarnation of an earlier process,
 * but no link to those that still have a session with that. Where a process and
 * its copy have one incarnation, nobody can tell which of them is meant: 0. */
static process_name
parent_of(const struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];
	node_id id = node_status(p->node, p->step.local).tree.parent;
	process_name parent = 0;
	uint64_t incarnation;
	unsigned count = 0;

	if (id == NODE_NONE)
		return 0;
	incarnation =
	    node_peer_status(p->node, world_peer_of(p, id)).incarnation;
	for (process_name q = 1; q <= WORLD_COPY; q++) {
		const struct process *to = &w->processes[q];

		if (to->id != id || to->node == NULL ||
		    world_peer_of(to, p->id) == PEER_NONE ||
		    node_status(to->node, to->step.local).incarnation !=
			incarnation)
			continue;
		count++;
		if (node_peer_status(to->node, world_peer_of(to, p->id)).up)
			parent = q;
	}
	return count == 1 ? parent : 0;
}

/* The parents of a tree lead away for ever (PROTOCOL.md, Virtual tree). */
static void
check_tree(struct world *w, process_name name)
{
	process_name at = name;

	if (w->setup.topology != TOPOLOGY_TREE)
		return;
	for (unsigned i = 0; i <= WORLD_COPY && at != 0; i++) {
		at = parent_of(w, at);
		if (at == name)
			world_fail(w, "%u is its own ancestor", name);
	}
}

struct node_status
world_check(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct node_status s = node_status(p->node, p->step.local), late;

	node_check(p->node);
	check_tree(w, name);
	world_check_events(w, name);
	if (!is_sane(w, p, &s))
		world_fail(w, "%u is %s and its leader is %" PRIu32, name,
		    node_state_name(s.state), s.leader);
	if (shows_term(w, &s) && s.term < p->observed.term)
		world_fail(w, "%u fell from term %" PRIu64 " to %" PRIu64, name,
		    p->observed.term, s.term);
	if (!has_told(p, &s))
		world_fail(w,
		    "%u has leader %" PRIu32 " and told its host %" PRIu32,
		    name, s.leader, p->observed.leader.leader);
	if (s.state == STATE_LEADER && s.eligibility == INELIGIBLE_CARRIER)
		world_fail(w, "%u leads without a carrier", name);
	if (!votes_soundly(w, p, &s))
		world_fail(w,
		    "%u has %s vote among %u voters, its memory is %s", name,
		    s.has_vote ? "a" : "no", s.voters,
		    state_health_name(s.state_health));
	if (shows_term(w, &s))
		p->observed.term = s.term;
	note_seen(w, p, &s);
	/* At the time of its step the process says the same as before. */
	if (clock_local(&p->clock, w->now) == p->step.local)
		return s;
	/* The process was stopped in its step, and its lease may have ended
	 * meanwhile. Its next tick will find that; until then its word does not
	 * count. */
	late = world_status(w, name);
	if (late.state != s.state)
		p->deadlines.bound = 0;
	return late;
}
