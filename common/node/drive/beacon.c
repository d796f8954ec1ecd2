/* SPDX-License-Identifier: ISC */
/*
 * The rules by which a node handles a beacon that it receives: it renews its
 * leader, follows another one, begins an election, or ignores the beacon
 * (PROTOCOL.md, Beacon).
 */
#include "common/node/drive/beacon.h"

#include "common/node/context.h"
#include "common/node/drive/node_inside.h"
#include "common/node/drive/timers.h"
#include "common/node/lead/handover.h"
#include "common/node/lead/leadership.h"
#include "common/node/links/tree.h"
#include "common/node/peer/process.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/liveness.h"

/* True if the reason of an election proves that `leader` leads no more. A
 * missed heartbeat does not: other nodes may still hear that leader. */
static bool
reason_ends(struct reason reason, node_id leader)
{
	assert(leader != NODE_NONE);
	return reason.node == leader &&
	       (reason.kind == REASON_PREEMPT || reason.kind == REASON_DIED ||
		   reason.kind == REASON_REFUSED || reason.kind == REASON_BYE ||
		   reason.kind == REASON_RESIGN);
}

/* The leader says for the first time that it hands over. */
static void
leader_hands_over(struct node *node, nsec_t now)
{
	handover_heed(node, now);
	if (node->setup.topology != TOPOLOGY_FULL)
		leadership_hand_on(node);
	node_act_on_votes(node, now, nominee_reconsider(node, now));
}

/* Takes a beacon that is new: of another leader, or of a later term. */
static void
node_meet(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon)
{
	struct rank self = leadership_rank(node, now);
	node_id other = lead_id(&node->lead);
	struct reason reason = beacon->reason;
	/* We leave no undamped leader for a damped one, unless our leader
	 * hands over or we took part in the election that the other one won.
	 * Under quorum we always leave: the majority has confirmed only the
	 * new leader. */
	bool stays =
	    other != NODE_NONE && node->lead.beacon.leader.is_contender &&
	    !node->lead.beacon.hands_over && !node->lead.is_lone &&
	    !beacon->leader.is_contender &&
	    beacon->term != node->election.run_term && !node_is_quorum(node);

	assert(from != NULL);
	assert(beacon->leader.id != NODE_NONE);
	assert(beacon->leader.id != node->setup.self);
	/* Two components have merged, unless we took part in the election, or
	 * our leader hands over, or the election's reason is our leader's
	 * end. */
	if (other != NODE_NONE && other != beacon->leader.id &&
	    beacon->term != node->election.run_term &&
	    !node->lead.beacon.hands_over && !reason_ends(reason, other))
		reason = (struct reason){ REASON_MERGE, beacon->leader.id };
	if (leadership_may_begin(node, now) &&
	    (stays || (self.is_eligible && rank_better(&self, &beacon->leader,
					       node->setup.prefer)))) {
		if (reason.kind != REASON_MERGE)
			reason.kind = REASON_PREEMPT;
		reason.node = beacon->leader.id;
		node_begin_election(node, now, reason);
		return;
	}
	/* While our tree is forming we cannot tell which leader is to go: the
	 * next heartbeat has the beacon again. */
	if (stays || (other != NODE_NONE && tree_is_forming(node)))
		return;
	if (beacon->term >= node->election.run_term)
		election_settle(&node->election);
	node_follow(node, now, beacon, from, reason,
	    leadership_stale_at(node, now, from, beacon->hops));
	if (beacon->hands_over)
		leader_hands_over(node, now);
}

void
node_rise_above(struct node *node, nsec_t now, const struct peer *from)
{
	assert(from != NULL);
	if (node_is_quorum(node) || !node->lead.is_fresh ||
	    node->election.is_open || !leadership_may_begin(node, now))
		return;
	node_begin_election(
	    node, now, (struct reason){ REASON_MERGE, from->setup.id });
}

/* True if this node hears of no node that may lead, itself included. */
static bool
hears_of_nobody(const struct node *node, nsec_t now)
{
	if (leadership_rank(node, now).is_eligible)
		return false;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && p->rank.is_eligible)
			return false;
	}
	return true;
}

/*
 * The election of our term has ended at a peer, and no node was eligible. Where
 * the winner cannot reach us, its beacon ends an election that is open here;
 * this does so where there is no winner. In a ring a bypassed peer says the
 * same.
 */
static void
node_heed_nobody(struct node *node, nsec_t now, uint64_t term)
{
	if (!node->election.is_open || term != node->election.run_term ||
	    node->lead.is_fresh || node_is_quorum(node) || node_is_ring(node) ||
	    !hears_of_nobody(node, now))
		return;
	node_trace(node, now, "nobody is eligible, says a peer");
	election_settle(&node->election);
	node_find_nobody(node, now, term, node->election.reason);
}

/* Takes a beacon by which our leader leads on. */
static void
node_renew(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon)
{
	const struct lead *lead = &node->lead;
	bool is_later = beacon->number > lead->beacon.number;
	/* The first word of an elected leader itself: distant nodes wait for
	 * it. */
	bool is_first = is_later && lead->beacon.number == 0;
	bool hands_over = beacon->hands_over && !lead->beacon.hands_over;

	assert(from != NULL);
	assert(lead->is_fresh);
	assert(beacon->leader.id == lead->beacon.leader.id);
	lead_renew(&node->lead, beacon, from, now,
	    leadership_stale_at(node, now, from, beacon->hops));
	handover_on_renewed(node);
	if (is_first)
		leadership_hand_on(node);
	if (is_later && beacon->hops == 0) {
		timers_beat_along(node, now);
		liveness_tell_answer(node, from);
	}
	if (hands_over)
		leader_hands_over(node, now);
}

/*
 * The highest term that counts against a beacon. Under quorum a leader proves
 * by the lease left that a majority has confirmed it, which an election that
 * nobody has won does not undo: so a node that tried in vain while it was cut
 * off follows the leader that it returns to.
 */
static uint64_t
beacon_floor(const struct node *node)
{
	return node_is_quorum(node) && !node->election.is_open
		   ? node->lead.beacon.term
		   : node->election.term;
}

void
beacon_take(struct node *node, nsec_t now, struct peer *from,
    const struct beacon *beacon)
{
	const struct lead *lead = &node->lead;

	assert(from != NULL);
	if ((beacon->hops == 0 && beacon->leader.id != NODE_NONE &&
		beacon->leader.id != from->setup.id) ||
	    !election_saw(&node->election, beacon->term)) {
		drop_datagram(node, now, from, DROP_FORMAT);
		return;
	}
	if (beacon->leader.id == NODE_NONE) {
		if (beacon->term > lead->beacon.term)
			node_rise_above(node, now, from);
		node_heed_nobody(node, now, beacon->term);
		return;
	}
	/* No leader is so far away. We note the term all the same: nodes that
	 * follow this beacon join no election of a lower term. */
	if (beacon->hops == NODES_MAX)
		return;
	if (beacon->leader.id == node->setup.self ||
	    process_ended_by(node, now, beacon->leader.id,
		beacon->incarnation) != EVIDENCE_NONE)
		return;
	switch (
	    lead_judge(lead, beacon, beacon_floor(node), node->setup.prefer)) {
	case BEACON_OLD:
		break;
	case BEACON_RENEWED:
		node_renew(node, now, from, beacon);
		break;
	case BEACON_RIVAL:
		if (!node_leads(node))
			break;
		if (!leadership_may_begin(node, now))
			node_meet(node, now, from, beacon);
		else
			node_begin_election(node, now,
			    (struct reason){ REASON_MERGE, beacon->leader.id });
		break;
	case BEACON_NEW:
		if (!handover_is_early(node, beacon))
			node_meet(node, now, from, beacon);
		break;
	case BEACON_CROSSED:
		node_rise_above(node, now, from);
		break;
	}
}
