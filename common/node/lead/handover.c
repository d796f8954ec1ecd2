/* SPDX-License-Identifier: ISC */
/*
 * The handover (PROTOCOL.md, Handover). A leader leads on until another one
 * does, so that the cluster always has a leader, and says so in its beacon. In
 * a planned handover it is no longer eligible, and begins an election or has
 * its successor begin it; else it has lost an election.
 *
 * Component: it follows the next leader as any node does. Quorum: voters that
 * follow its beacon promise the successor its term before they may grant it
 * (PROTOCOL.md, Early promises). Once a majority has promised, the old leader
 * gives up the lead, and the successor needs only their grants.
 *
 * The leader tells nobody until shortly before the last deadline that it gave a
 * client. If no other leader comes, it gives up the lead all the same; but a
 * leader that resigned, and that hears no other node, leads on.
 */

#include "common/node/lead/handover.h"

#include "common/node/config/configs.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/life.h"
#include "common/node/links/topology.h"
#include "common/node/peer/peers.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/voters.h"

/* From the word that we hand over to the last deadline: voters must have
 * promised by then. A slow disk takes 20 ms, and twice that if it is just
 * writing. */
#define HANDOVER_LEAD (50 * MSEC)

#define HANDOVER_TIME (100 * MSEC) /* least time for the others to elect */

static void
handover_set_stage(struct node *node, enum handover_stage stage)
{
	enum handover_stage before = node->handover.stage;

	assert(stage != HANDOVER_TOLD || before == HANDOVER_TO_TELL);
	assert(stage != HANDOVER_YIELDED || before != HANDOVER_NONE);
	assert(stage == HANDOVER_NONE || node_leads(node));
	node->handover.stage = stage;
}

/* True if this peer may take over, or may know a node that does: without
 * sessions between all nodes, a node hears few of those that are eligible. A
 * peer with another configuration takes part in no election of ours, nor
 * does one of a tree or graph whose session an announcement began. */
static bool
handover_is_successor(const struct node *node, const struct peer *p)
{
	return p->link.is_up && configs_count(node, p) &&
	       (node_is_ring(node) || topology_keeps(node, p)) &&
	       (!node_is_star(node) || p->rank.is_eligible);
}

bool
handover_has_successor(const struct node *node)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (handover_is_successor(node, p))
			return true;
	}
	return false;
}

/* The same, of peers only that we do not doubt. */
static bool
handover_hears_successor(const struct node *node, nsec_t now)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (handover_is_successor(node, p) &&
		    !liveness_doubts(node, now, p))
			return true;
	}
	return false;
}

/* The best eligible peer, where all nodes hear each other; else NODE_NONE. */
static node_id
handover_successor(const struct node *node)
{
	const struct peer *best = NULL;

	if (node->setup.topology != TOPOLOGY_FULL)
		return NODE_NONE;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && p->rank.is_eligible &&
		    (best == NULL ||
			rank_better(&p->rank, &best->rank, node->setup.prefer)))
			best = p;
	}
	return best == NULL ? NODE_NONE : best->setup.id;
}

/* The time to tell the others: shortly before the last deadline of a client. */
static nsec_t
handover_tell_at(const struct node *node)
{
	return nsec_since(nominee_handed_out(node), HANDOVER_LEAD);
}

/* Tells the host, whose clients may give back their deadlines. */
static void
handover_note(struct node *node, nsec_t now, bool on)
{
	node_note(
	    node, now, (struct notice){ .kind = NOTICE_HANDOVER, .on = on });
}

/* A handover that is under way goes on, but a planned one replaces one that is
 * not. */
enum handover_next
handover_make(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to)
{
	struct handover *handover = &node->handover;

	assert(node_leads(node));
	assert(reason.kind != REASON_NONE);
	assert(is_planned || to == NODE_NONE);
	assert(to != node->setup.self);
	if (handover_is_made(node) && (handover->is_planned || !is_planned))
		return HANDOVER_GOES_ON;
	*handover = (struct handover){
		.at = handover_tell_at(node),
		.reason = reason,
		.is_planned = is_planned,
		.to = to,
	};
	handover_set_stage(node, HANDOVER_TO_TELL);
	nominee_finish(node);
	handover_note(node, now, true);
	return handover_tick(node, now);
}

void
handover_close(struct node *node, nsec_t now)
{
	if (handover_is_made(node))
		handover_note(node, now, false);
	handover_set_stage(node, HANDOVER_NONE);
	node->handover.is_planned = node->handover.is_named = false;
	nominee_resume(node);
}

/* If we lead once more, in a later term, we have won back the lead that we had
 * lost, and keep it; but a planned handover goes on in the later term. */
void
handover_renew(struct node *node, nsec_t now, node_id leader)
{
	struct handover *handover = &node->handover;

	assert(leader != NODE_NONE);
	handover->successor = NODE_NONE;
	if (leader != node->setup.self || !handover->is_planned) {
		handover_close(node, now);
		return;
	}
	assert(!handover->is_named);
	handover_set_stage(node, HANDOVER_TO_TELL);
	handover->at = handover_tell_at(node);
}

/* Gives up the lead; under quorum once no deadline lies ahead. */
static enum handover_next
handover_give_up(struct node *node, nsec_t now)
{
	handover_set_stage(node, HANDOVER_YIELDED);
	node->handover.at = NSEC_NEVER;
	return nominee_yield(node, now) ? HANDOVER_GOES_ON : HANDOVER_ENDS;
}

/* Sends our beacon, which has changed, to every peer now. */
static void
handover_say(struct node *node)
{
	assert(node_leads(node));
	lead_renumber(&node->lead);
	nominee_forget_promises(node);
	peers_schedule_all(node);
}

/* Cancels the handover, as no other node can take over: we lead on. */
static void
handover_call_off(struct node *node, nsec_t now)
{
	assert(node->handover.is_planned);
	assert(!life_leaves(node));
	assert(!standby_is_firm(node));
	handover_close(node, now);
	standby_end_resignation(node, now, false);
	if (!node->lead.beacon.hands_over)
		return;
	lead_stay(&node->lead);
	handover_say(node);
}

/* Tells all nodes that we hand over, so that they elect. */
static enum handover_next
handover_tell(struct node *node, nsec_t now)
{
	struct handover *handover = &node->handover;
	bool is_named = handover->to != NODE_NONE;
	nsec_t time = node_detection(node);

	assert(node_leads(node));
	handover_set_stage(node, HANDOVER_TOLD);
	handover->has_awaited_timer = handover->has_awaited_disks = false;
	handover->at =
	    nsec_after(now, time > HANDOVER_TIME ? time : HANDOVER_TIME);
	handover->successor = handover->to;
	if (handover->is_planned && !is_named)
		handover->successor = handover_successor(node);
	lead_hand_over(&node->lead, handover->successor, is_named,
	    handover->reason.kind == REASON_BYE);
	handover_say(node);
	return handover->is_planned && handover->successor == NODE_NONE
		   ? HANDOVER_ELECTS
		   : HANDOVER_TELLS;
}

/* Waits until the lease ends, once for each time that we tell, if our own voter
 * has made an early promise: then the others make theirs, and their disks may
 * be as slow. True if it has begun to wait. */
static bool
handover_awaits_disks(struct node *node)
{
	struct handover *handover = &node->handover;

	assert(handover_is_made(node));
	if (handover->stage != HANDOVER_TOLD || handover->has_awaited_disks ||
	    !voting_moves_on(node, nominee_held(node)))
		return false;
	handover->has_awaited_disks = true;
	handover->at = quorum_until(node);
	return true;
}

/* Waits longer, once for each time that we tell, if the algorithm decides by a
 * timer. True if it has begun to wait. */
static bool
handover_awaits_timer(struct node *node)
{
	struct handover *handover = &node->handover;

	assert(handover_is_made(node));
	if (handover->stage != HANDOVER_TOLD || handover->has_awaited_timer ||
	    !node->election.is_open || node->election.timer_at == NSEC_NEVER)
		return false;
	handover->has_awaited_timer = true;
	handover->at = nsec_after(node->election.timer_at, HANDOVER_TIME);
	return true;
}

/* True if a leader that finds no successor may lead on: a process that is to
 * end does not, nor a node on standby for an order or a check; under quorum it
 * needs a majority. */
static bool
handover_may_stay(const struct node *node, nsec_t now)
{
	return !life_leaves(node) && !standby_is_firm(node) &&
	       topology_takes_part(node) && voters_are_certain(node, now);
}

enum handover_next
handover_tick(struct node *node, nsec_t now)
{
	struct handover *handover = &node->handover;
	bool is_told = handover->stage == HANDOVER_TOLD, is_vain;

	if (now < handover_deadline(node))
		return HANDOVER_GOES_ON;
	assert(node_leads(node));
	assert(handover->stage != HANDOVER_YIELDED);
	is_vain = handover->is_planned &&
		  (is_told ? !handover_hears_successor(node, now)
			   : !handover_has_successor(node));
	if ((!is_vain && handover_awaits_disks(node)) ||
	    handover_awaits_timer(node))
		return HANDOVER_GOES_ON;
	if (!is_vain && !is_told)
		return handover_tell(node, now);
	if (!is_vain || !handover_may_stay(node, now))
		return handover_give_up(node, now);
	handover_call_off(node, now);
	return HANDOVER_GOES_ON;
}

enum handover_next
handover_on_promise(struct node *node, nsec_t now)
{
	assert(handover_is_told(node));
	return nominee_is_succeeded(node) ? handover_give_up(node, now)
					  : HANDOVER_GOES_ON;
}

/* While a peer is about to take our configuration nobody elects, so a planned
 * handover waits. */
nsec_t
handover_deadline(const struct node *node)
{
	const struct handover *handover = &node->handover;
	nsec_t mixed_until = configs_mixed_until(node);

	if (!handover_is_made(node))
		return NSEC_NEVER;
	if (handover->stage == HANDOVER_TO_TELL && handover->is_planned &&
	    handover->at < mixed_until)
		return mixed_until;
	return handover->at;
}

void
handover_hurry(struct node *node)
{
	if (node->handover.stage == HANDOVER_TO_TELL)
		node->handover.at = handover_tell_at(node);
}

bool
handover_is_made(const struct node *node)
{
	return node->handover.stage != HANDOVER_NONE;
}

bool
handover_is_told(const struct node *node)
{
	return node->handover.stage >= HANDOVER_TOLD;
}

bool
handover_is_planned(const struct node *node)
{
	return node->handover.is_planned;
}

struct reason
handover_reason(const struct node *node)
{
	assert(handover_is_made(node));
	return node->handover.reason;
}

struct peer *
handover_first_peer(struct node *node)
{
	node_id id = node->handover.successor;

	return id == NODE_NONE ? NULL : peers_find(node, id);
}

void
handover_on_renewed(struct node *node)
{
	assert(node->lead.is_fresh);
	if (!node->lead.beacon.hands_over)
		node->handover.is_named = false;
}

/* Under quorum there is no such beacon: the winner makes the first one itself,
 * once a majority has granted its term. */
bool
handover_is_early(const struct node *node, const struct beacon *beacon)
{
	return node_leads(node) && handover_is_told(node) &&
	       beacon->number == 0 && beacon->hops > 0 && !node_is_quorum(node);
}

/* Another node may have handed us the beacon before the leader itself has told
 * us its rank, in which it is no longer eligible. */
void
handover_heed(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct peer *p = peers_find(node, beacon->leader.id);

	if (p != NULL && beacon->successor != NODE_NONE) {
		p->rank.is_eligible = false;
		topology_set_rank(node, now, p);
	}
}

bool
handover_is_to_us(const struct node *node, nsec_t now)
{
	return node->lead.is_fresh &&
	       node->lead.beacon.successor == node->setup.self &&
	       now >= node->handover.succeed_at;
}

/* The successor begins again if its election failed, but at most once in a
 * heartbeat, so that a broken leader cannot make it elect without end. */
struct reason
handover_succeed(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;

	assert(handover_is_to_us(node, now));
	assert(!node_leads(node));
	node->handover.succeed_at =
	    nsec_after(now, node->setup.timing.heartbeat);
	node->handover.is_named = beacon->is_named;
	return (struct reason){
		.kind = beacon->is_leaving ? REASON_BYE : REASON_RESIGN,
		.node = beacon->leader.id,
	};
}

bool
handover_is_named(const struct node *node)
{
	return node->handover.is_named;
}

void
handover_check(const struct node *node)
{
	const struct handover *h = &node->handover;
	const struct lead *lead = &node->lead;

	assert(h->stage <= HANDOVER_YIELDED);
	assert(!handover_is_made(node) || node_leads(node));
	assert(!handover_is_made(node) || h->reason.kind != REASON_NONE);
	assert(!handover_is_made(node) || h->is_planned || h->to == NODE_NONE);
	assert(!h->is_planned || handover_is_made(node));
	assert(!standby_is_firm(node) || !node_leads(node) || h->is_planned ||
	       configs_are_mixed(node, node->input.now));
	assert(h->stage != HANDOVER_TOLD || lead->beacon.hands_over);
	assert(h->stage != HANDOVER_YIELDED || h->at == NSEC_NEVER);
	assert(h->successor != node->setup.self);
	assert(!h->is_named || lead->is_fresh);
	assert(!h->is_named || !node_leads(node));
}
