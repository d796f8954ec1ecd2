/* SPDX-License-Identifier: ISC */
/*
 * What a node makes of elections: whom it follows, when it begins one, when it
 * gives a leader up (PROTOCOL.md, Elections).
 */
#include "common/node/node_inside.h"

#define TURN_PARTS 4 /* of a heartbeat: one better node's time to begin */

/* May this node begin an election? Who still listens, is no part of its ring,
 * or hears no majority of the voters, may not. */
static bool
may_begin(const struct node *node, nsec_t now, bool is_contest)
{
	return !node->life.is_starting && !node->life.is_leaving &&
	       topology_takes_part(node) &&
	       !election_is_spent(&node->election) &&
	       (!node_is_quorum(node) ||
		   (now >= node->quorum.begin_at &&
		       quorum_holds(node, now, is_contest) &&
		       !quorum_awaits(node, now)));
}

bool
leadership_may_begin(const struct node *node, nsec_t now)
{
	return may_begin(node, now, false);
}

/* Where another leads. */
bool
leadership_may_contest(const struct node *node, nsec_t now)
{
	return may_begin(node, now, true);
}

/*
 * Where all are linked to all, the best that is left begins at once, and with
 * bully's first step it is elected: all better ones are gone. The others leave
 * it the time for that, and so on by rank; otherwise each loss of a leader
 * would make as many elections as there are nodes (PROTOCOL.md, Turns). A
 * better one that may have died with the leader is waited for: it would have to
 * be asked. When this node's turn has come, to begin one where there is no
 * leader; or some moment beyond `limit`, if it comes later than that.
 */
nsec_t
leadership_turn(const struct node *node, nsec_t now, nsec_t limit)
{
	struct rank self = leadership_rank(node, now);
	nsec_t at = node->lead.since, last = 0;

	if (node->setup.topology != TOPOLOGY_FULL)
		return 0;
	if (at < node->life.startup_at)
		at = node->life.startup_at;
	for (unsigned i = 0; i < node->peers_count && at <= limit; i++) {
		const struct peer *p = &node->peers[node->table.by_rank[i]];
		nsec_t answer_at = liveness_answer_at(node, p);

		if (!p->is_up ||
		    !rank_better(&p->rank, &self, node->setup.prefer))
			continue;
		at += node->setup.heartbeat / TURN_PARTS;
		if (last < answer_at)
			last = answer_at;
	}
	return at < last ? last : at;
}

/* Nothing is heard of the leader: what was the last of it? */
static enum reason_kind
leadership_silence(struct node *node, node_id id)
{
	const struct peer *p = peers_find(node, id);

	return p != NULL && !p->is_up && p->evidence == EVIDENCE_REFUSED
		   ? REASON_REFUSED
		   : REASON_MISSED;
}

/* The leader is known to be gone, or not to lead any more? */
struct reason
leadership_flaw(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	node_id id = lead_id(&node->lead);
	enum evidence end;

	if (id == node->setup.self && node_is_duplicate(node, now))
		return (struct reason){ REASON_DUPLICATE, id };
	if (id == node->setup.self && node_is_quorum(node) &&
	    node->setup.state_health != STATE_HEALTH_SOUND)
		return (struct reason){ REASON_STATE_FILE, id };
	/* A later election has begun, which this node can neither end nor
	 * begin again. */
	if (id != NODE_NONE && node->topology.ring.is_bypassed &&
	    !node_is_quorum(node) && node->election.term > beacon->term)
		return (struct reason){ REASON_MERGE, id };
	if (id == NODE_NONE || id == node->setup.self)
		return (struct reason){ REASON_NONE, NODE_NONE };
	end = handshake_process_end(node, now, id, beacon->incarnation);
	if (end == EVIDENCE_BYE)
		return (struct reason){ REASON_BYE, id };
	if (end == EVIDENCE_DIED)
		return (struct reason){ REASON_DIED, id };
	if (now >= node->lead.stale_at)
		return (struct reason){ leadership_silence(node, id), id };
	return (struct reason){ REASON_NONE, NODE_NONE };
}

/* Why there is no leader: it was lost when nothing could be begun, or nobody
 * stood for election but now this node does, or there never was one. */
struct reason
leadership_lack(const struct node *node)
{
	if (node->quorum.was_lost)
		return (struct reason){ REASON_QUORUM, node->setup.self };
	if (node->life.is_alone)
		return (struct reason){ REASON_ALONE, node->setup.self };
	if (node->lead.beacon.term == 0 || node->view.found_nobody)
		return (struct reason){ REASON_START, node->setup.self };
	return node->lead.reason;
}

/* With no leader and nothing under way: is it to begin, when its turn comes? */
bool
leadership_is_wanted(const struct node *node, nsec_t now)
{
	return !node->lead.is_fresh && !node->election.is_open &&
	       leadership_may_begin(node, now) &&
	       (!node->view.found_nobody ||
		   leadership_rank(node, now).is_eligible);
}

/*
 * Does the node follow the leader of this term already, or of a later one? The
 * leader's sign, which others hand on, may overtake its message. The host is
 * not told of an election whose end it knows.
 */
bool
leadership_knows_outcome(const struct node *node)
{
	return node->lead.is_fresh &&
	       node->lead.beacon.term >= node->election.run_term;
}

/* When a sign of the leader that came in now, over so many hops, is stale. */
nsec_t
leadership_stale_at(
    const struct node *node, nsec_t now, const struct peer *from, unsigned hops)
{
	nsec_t patience = (node->setup.misses + hops) * node->setup.heartbeat;

	patience += from != NULL ? detector_margin(&from->live.detector)
				 : node->setup.heartbeat;
	return now + patience * (1 + node->stall.local_health);
}

/* A new leader is told at once where word goes from neighbour to neighbour, and
 * where nothing but its beacon tells of it. */
void
leadership_hand_on(struct node *node)
{
	if (node->setup.topology == TOPOLOGY_FULL && !node_is_quorum(node))
		return;
	for (unsigned i = 0; i < node->peers_count; i++)
		peers_schedule(node, &node->peers[i]);
}

/* A better node that has been up for as long as PREEMPT_AFTER wants ranks
 * like the leader that sits: then priority and id decide. */
static bool
leadership_may_challenge(
    const struct node *node, nsec_t now, const struct rank *self)
{
	struct rank leader = node->lead.beacon.leader;

	if (node->setup.preempt != PREEMPT_AFTER || !node->lead.is_fresh ||
	    now < nsec_after(
		      node->life.eligible_since, node->setup.preempt_after))
		return false;
	leader.is_contender = false;
	return rank_better(self, &leader, node->setup.prefer);
}

struct rank
leadership_rank(const struct node *node, nsec_t now)
{
	bool is_leader = node_leads(node);
	struct rank rank = {
		.is_eligible =
		    node->setup.role == ROLE_CANDIDATE &&
		    !node_is_duplicate(node, now) && !node->life.is_leaving &&
		    !node->life.is_abstaining && !node->handover.is_planned,
		.priority = node->setup.priority,
		.id = node->setup.self,
	};

	if (node_is_quorum(node))
		rank.is_eligible &=
		    node->setup.state_health == STATE_HEALTH_SOUND &&
		    (is_leader || node->quorum.is_there);
	if (!rank.is_eligible)
		return rank;
	/* A leader that a majority has confirmed is the only one: it leads on,
	 * also if it is unsteady. */
	rank.is_contender =
	    node->life.is_named || (is_leader && node_is_quorum(node)) ||
	    (steady_is_steady(node, now) &&
		(is_leader || node->setup.preempt == PREEMPT_ALWAYS ||
		    leadership_may_challenge(node, now, &rank)));
	return rank;
}

/* True if the leader that our voter grants says that it hands over. */
bool
leadership_hands_over(const struct node *node, struct owner holder)
{
	const struct beacon *beacon = &node->lead.beacon;

	return node->lead.is_fresh && beacon->hands_over &&
	       beacon->leader.id == holder.id &&
	       beacon->incarnation == holder.incarnation;
}
