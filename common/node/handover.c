/* SPDX-License-Identifier: ISC */
/*
 * How a leader hands over (PROTOCOL.md, Handover): it leads on until there is
 * another, so that nobody is without one. It says so with its beacon. If that
 * is its own plan, it does not stand any more, and begins an election, or has
 * its successor begin it; if not, it lost one.
 *
 * component: it follows the next leader like anybody else. quorum: hearing the
 * beacon, voters promise the next leader its term before they may grant it
 * (voter.h). Once a majority has, the old one gives up, and the next needs no
 * more than their word.
 *
 * Deadlines that were handed out come before all that. Whoever waits in vain
 * for another leader gives up; but who resigned, and is the only one left,
 * leads on.
 */
#include "common/node/node_inside.h"

#define HANDOVER_LEAD (50 * MSEC)  /* before the last deadline, others elect */
#define HANDOVER_TIME (100 * MSEC) /* for that, or a detection, if longer */

/* May this one be there to take over? Where there are no sessions between all,
 * a node hears few of those who stand. */
static bool
handover_is_successor(const struct node *node, const struct peer *p)
{
	return p->is_up && (!node_is_star(node) || p->rank.is_eligible);
}

/* Is there anybody to hand over to, as far as this node knows? */
bool
handover_has_successor(const struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (handover_is_successor(node, &node->peers[i]))
			return true;
	}
	return false;
}

/* And does it know for certain? */
static bool
handover_hears_successor(const struct node *node, nsec_t now)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (handover_is_successor(node, p) &&
		    !liveness_doubts(node, now, p))
			return true;
	}
	return false;
}

/* In a cluster where all hear all: the best of those who stand. */
static node_id
handover_successor(const struct node *node)
{
	const struct peer *best = NULL;

	if (node->setup.topology != TOPOLOGY_FULL)
		return NODE_NONE;
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (p->is_up && p->rank.is_eligible &&
		    (best == NULL ||
			rank_better(&p->rank, &best->rank, node->setup.prefer)))
			best = p;
	}
	return best == NULL ? NODE_NONE : best->setup.id;
}

/* Until when clients were told that this node leads. */
static nsec_t
handover_handed(const struct node *node)
{
	return node_is_quorum(node) ? node->quorum.lease.handed : 0;
}

/* Begins to hand over. Who does it already goes on; but a plan of its own
 * comes before an election that it lost. */
void
handover_make(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to)
{
	struct handover *handover = &node->handover;

	assert(node_leads(node));
	if (handover->is_made && (handover->is_planned || !is_planned))
		return;
	*handover = (struct handover){
		.is_made = true,
		.reason = reason,
		.is_planned = is_planned,
		.to = to,
		.at = nsec_since(handover_handed(node), HANDOVER_LEAD),
	};
	if (node_is_quorum(node))
		lease_finish(&node->quorum.lease);
	handover_tick(node, now);
}

/* Nobody leads any more, or another does, or this node is to lead on. */
void
handover_close(struct node *node)
{
	node->handover.is_made = node->handover.is_planned = false;
	node->handover.is_told = false;
	node->life.is_named = false;
	if (node_is_quorum(node))
		lease_resume(&node->quorum.lease);
}

/* A leader is taken. If it is this node once more, in a later term, it has won
 * the place back that it had lost; but what it planned it does in that term. */
void
handover_renew(struct node *node, node_id leader)
{
	if (leader != node->setup.self || !node->handover.is_planned)
		handover_close(node);
	node->life.is_named = false;
	node->handover.is_told = false;
	node->handover.successor = NODE_NONE;
	node->handover.at = nsec_since(handover_handed(node), HANDOVER_LEAD);
}

/* Leads no more, now that no deadline lies ahead. */
static void
handover_give_up(struct node *node, nsec_t now)
{
	node->handover.at = NSEC_NEVER;
	if (node_is_quorum(node))
		lease_yield(&node->quorum.lease, now);
	else
		node_unfollow(node, now, node->handover.reason);
}

/* Everybody is to hear of it now. */
static void
handover_say(struct node *node)
{
	node->lead.beacon.number++;
	for (unsigned i = 0; i < node->peers_count; i++) {
		node->peers[i].voting.moved_to = 0;
		peers_schedule(node, &node->peers[i]);
	}
}

/* Nobody else is left: it is as if no operator had wanted another leader. */
static void
handover_forgive(struct node *node, nsec_t now)
{
	if (!node->life.is_abstaining)
		return;
	node->life.is_abstaining = false;
	node_note(node, now, (struct notice){ .kind = NOTICE_STANDS });
}

/* This leader has nobody to hand over for, and leads on. */
static void
handover_call_off(struct node *node, nsec_t now)
{
	struct beacon *beacon = &node->lead.beacon;

	handover_close(node);
	handover_forgive(node, now);
	if (!beacon->hands_over)
		return;
	beacon->hands_over = beacon->is_named = beacon->is_leaving = false;
	beacon->successor = NODE_NONE;
	handover_say(node);
}

/* All are to know, and to elect. */
static void
handover_tell(struct node *node, nsec_t now)
{
	struct handover *handover = &node->handover;
	struct beacon *beacon = &node->lead.beacon;
	nsec_t time = node_detection(node);

	handover->is_told = true;
	handover->has_waited = handover->awaits_disks = false;
	handover->moved_to = 0;
	handover->at =
	    nsec_after(now, time > HANDOVER_TIME ? time : HANDOVER_TIME);
	beacon->hands_over = true;
	beacon->is_leaving = handover->reason.kind == REASON_BYE;
	beacon->is_named = handover->to != NODE_NONE;
	beacon->successor = NODE_NONE;
	if (handover->is_planned)
		beacon->successor =
		    beacon->is_named ? handover->to : handover_successor(node);
	handover->successor = beacon->successor;
	handover_say(node);
	if (handover->is_planned && beacon->successor == NODE_NONE)
		node_begin_election(node, now, handover->reason);
	if (node_is_quorum(node))
		voting_reconsider(node, now);
}

/* How many voters have promised a term that may come next: not one that an
 * election has overtaken. */
static unsigned
handover_count_moved(const struct node *node)
{
	uint64_t held = node->quorum.lease.held, term = node->election.term;
	unsigned count;

	if (term <= held)
		term = held + 1;
	count = node->handover.moved_to >= term;
	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].voting.moved_to >= term;
	return count;
}

/* Our own voter waits for a disk, or has waited for one: the others do as well.
 * Once for each telling, and no longer than we may lead. */
static bool
handover_awaits_disks(struct node *node)
{
	struct handover *handover = &node->handover;
	const struct promise *promise = &node->quorum.voter.promise;

	if (!node_is_quorum(node) || !handover->is_told ||
	    handover->awaits_disks || !promise->is_early ||
	    promise->term <= node->quorum.lease.held)
		return false;
	handover->awaits_disks = true;
	handover->at = quorum_until(node);
	return true;
}

/* An algorithm that decides by a timer needs more time. Once for each telling:
 * its timer may begin again. */
static bool
handover_waits(struct node *node)
{
	struct handover *handover = &node->handover;

	if (!handover->is_told || handover->has_waited ||
	    !node->election.is_open || node->election.timer_at == NSEC_NEVER)
		return false;
	handover->has_waited = true;
	handover->at = nsec_after(node->election.timer_at, HANDOVER_TIME);
	return true;
}

static bool
handover_may_stay(const struct node *node, nsec_t now)
{
	return !node->life.is_leaving && topology_takes_part(node) &&
	       (!node_is_quorum(node) || quorum_holds(node, now, false));
}

/* It is told, or waiting is over. Who resigned in vain leads on; but who is to
 * end does, and nobody leads in a minority. */
void
handover_tick(struct node *node, nsec_t now)
{
	struct handover *handover = &node->handover;
	bool is_vain;

	if (!handover->is_made || now < handover->at)
		return;
	is_vain = handover->is_planned &&
		  (handover->is_told ? !handover_hears_successor(node, now)
				     : !handover_has_successor(node));
	if ((!is_vain && handover_awaits_disks(node)) || handover_waits(node))
		return;
	if (is_vain && handover_may_stay(node, now))
		handover_call_off(node, now);
	else if (is_vain || handover->is_told)
		handover_give_up(node, now);
	else
		handover_tell(node, now);
}

/* A voter has promised a later term than ours: it waits for us. Its words may
 * come in another order. */
void
handover_moved(struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	struct peer *p = peers_find(node, voter);
	uint64_t *term =
	    p != NULL ? &p->voting.moved_to : &node->handover.moved_to;

	if (promised > *term)
		*term = promised;
	if (handover_count_moved(node) >= node->quorum.lease.quorum)
		handover_give_up(node, now);
}

nsec_t
handover_deadline(const struct node *node)
{
	return node->handover.is_made ? node->handover.at : NSEC_NEVER;
}

/* Is this only what others expect of an election, before the winner itself says
 * that it leads? Then the old leader leads on. */
bool
handover_is_early(const struct node *node, const struct beacon *beacon)
{
	return node_leads(node) && node->handover.is_told &&
	       beacon->number == 0 && beacon->hops > 0 && !node_is_quorum(node);
}

/* The leader has said so, for the first time; perhaps by another, before its
 * own word that it does not stand any more. */
void
handover_heed(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct peer *p = peers_find(node, beacon->leader.id);

	if (p != NULL && beacon->successor != NODE_NONE) {
		p->rank.is_eligible = false;
		topology_set_rank(node, now, p);
	}
	if (node->setup.topology != TOPOLOGY_FULL)
		leadership_hand_on(node);
}

/* Whom the leader names begins as soon as it can, while there is room, and need
 * not listen for other leaders first. Once more, if that came to nothing; but
 * not as fast as a member gone bad can say so. */
void
handover_succeed(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct reason reason = { REASON_RESIGN, beacon->leader.id };
	bool is_starting = node->life.is_starting;

	if (!node->lead.is_fresh || beacon->successor != node->setup.self ||
	    !leadership_rank(node, now).is_eligible || node->election.is_open ||
	    now < node->handover.succeed_at)
		return;
	node->life.is_starting = false;
	if (!leadership_may_begin(node, now)) {
		node->life.is_starting = is_starting;
		return;
	}
	if (beacon->is_leaving)
		reason.kind = REASON_BYE;
	node->handover.succeed_at = nsec_after(now, node->setup.heartbeat);
	node->life.is_named = beacon->is_named;
	node_begin_election(node, now, reason);
}

/* An operator wanted another leader, but nobody else is left. */
void
handover_end_abstention(struct node *node, nsec_t now)
{
	if (node->lead.is_fresh)
		node->life.is_alone = false;
	if (!node->life.is_abstaining || node->lead.is_fresh ||
	    node->election.is_open || !leadership_may_begin(node, now))
		return;
	if (!node->view.found_nobody && handover_has_successor(node))
		return;
	node->life.is_alone = node->view.found_nobody;
	handover_forgive(node, now);
}
