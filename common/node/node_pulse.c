/* SPDX-License-Identifier: ISC */
/*
 * What a node makes of a pulse: of its own leader, of another leader, or of a
 * peer that knows of no leader (PROTOCOL.md, Pulse).
 */
#include "common/node/node_private.h"

/* When a sign of the leader that came in now, over so many hops, is stale. */
nsec_t
node_stale_at(
    const struct node *node, nsec_t now, const struct peer *from, unsigned hops)
{
	nsec_t patience = (node->setup.misses + hops) * node->setup.heartbeat;

	patience += from != NULL ? detector_margin(&from->detector)
				 : node->setup.heartbeat;
	return now + patience * (1 + node->health);
}

/* A new leader is told at once where word goes from neighbour to neighbour, and
 * where nothing but its pulse tells of it. */
void
node_hand_on(struct node *node)
{
	if (node->setup.topology == TOPOLOGY_FULL && !node_is_quorum(node))
		return;
	for (unsigned i = 0; i < node->peers_count; i++)
		peer_tell(node, &node->peers[i]);
}

/* Is it over with this leader for certain, also where it was followed till now?
 * Whoever was missed may only have been missed elsewhere. */
static bool
cause_ends(struct cause cause, node_id leader)
{
	return cause.node == leader &&
	       (cause.kind == CAUSE_PREEMPT || cause.kind == CAUSE_DIED ||
		   cause.kind == CAUSE_REFUSED || cause.kind == CAUSE_BYE ||
		   cause.kind == CAUSE_RESIGN);
}

/* Another leader, or one of a later term. */
static void
node_meet(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	struct rank self = node_rank(node, now);
	node_id other = lead_id(&node->lead);
	struct cause cause = pulse->cause;
	/* Nobody leaves a steady leader for an unsteady one, unless it makes
	 * room, or we had our part in the election that it won; but one that a
	 * majority has confirmed is the only one. */
	bool stays = other != NODE_NONE && node->lead.pulse.leader.sits &&
		     !node->lead.pulse.makes_room && !pulse->leader.sits &&
		     pulse->term != node->election.run_term &&
		     !node_is_quorum(node);

	/* Unless its election reached us, and the pulse is the first word of
	 * how it ended, or it took over from our leader, or that one makes room
	 * for it. */
	if (other != NODE_NONE && other != pulse->leader.id &&
	    pulse->term != node->election.run_term &&
	    !node->lead.pulse.makes_room && !cause_ends(cause, other))
		cause = (struct cause){ CAUSE_MERGE, pulse->leader.id };
	if (node_may_contest(node, now) &&
	    (stays || (self.stands && rank_better(&self, &pulse->leader,
					  node->setup.prefer)))) {
		if (cause.kind != CAUSE_MERGE)
			cause.kind = CAUSE_PREEMPT;
		cause.node = pulse->leader.id;
		node_begin_election(node, now, cause);
		return;
	}
	if (stays)
		return;
	if (pulse->term >= node->election.run_term)
		election_settle(&node->election);
	node->leader_by = from;
	node_follow(node, now, pulse, cause,
	    node_stale_at(node, now, from, pulse->hops));
	if (pulse->makes_room)
		room_heed(node, now);
}

/*
 * A peer knows of no leader, or of one that we may not follow, in a term above
 * our leader's: so it will not follow ours, and our leader may not hear it.
 * An election above both, for all of us.
 */
static void
node_rise_above(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	const struct lead *lead = &node->lead;

	if (!lead->is_fresh || pulse->term <= lead->pulse.term ||
	    node->election.is_open || !node_may_contest(node, now))
		return;
	node_begin_election(
	    node, now, (struct cause){ CAUSE_MERGE, from->setup.id });
	if (node_is_quorum(node))
		quorum_back_off(node, now);
}

/* The leader leads on. */
static void
node_renew(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	struct lead *lead = &node->lead;
	bool is_later = pulse->number > lead->pulse.number;
	/* Of a leader that was elected: those who are far wait for it. */
	bool is_first = is_later && lead->pulse.number == 0;
	bool makes_room = pulse->makes_room && !lead->pulse.makes_room;

	lead_renew(
	    lead, pulse, now, node_stale_at(node, now, from, pulse->hops));
	if (!lead->pulse.makes_room)
		node->is_named = false;
	if (is_later)
		node->leader_by = from;
	if (is_first)
		node_hand_on(node);
	if (is_later && pulse->hops == 0) {
		node_beat_along(node, now);
		refusal_tell(node, from);
	}
	if (makes_room)
		room_heed(node, now);
}

void
node_pulse(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	struct lead *lead = &node->lead;

	if (!election_saw(&node->election, pulse->term)) {
		node_drop(node, now, from, DROP_FORMAT);
		return;
	}
	if (pulse->leader.id == NODE_NONE) {
		node_rise_above(node, now, from, pulse);
		return;
	}
	/* Nobody is so far away. Its term is heeded all the same: whoever
	 * believes it would not join an election of an earlier one. */
	if (pulse->hops == NODES_MAX)
		return;
	if (pulse->leader.id == node->setup.self ||
	    node_process_end(node, now, pulse->leader.id, pulse->incarnation) !=
		EVIDENCE_NONE)
		return;
	switch (
	    lead_judge(lead, pulse, node->election.term, node->setup.prefer)) {
	case PULSE_OLD:
		break;
	case PULSE_RENEWED:
		node_renew(node, now, from, pulse);
		break;
	case PULSE_RIVAL:
		if (!node_leads(node))
			break;
		if (!node_may_begin(node, now))
			node_meet(node, now, from, pulse);
		else
			node_begin_election(node, now,
			    (struct cause){ CAUSE_MERGE, pulse->leader.id });
		break;
	case PULSE_NEW:
		if (!room_is_early(node, pulse))
			node_meet(node, now, from, pulse);
		break;
	case PULSE_CROSSED:
		node_rise_above(node, now, from, pulse);
		break;
	}
}
