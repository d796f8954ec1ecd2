/* SPDX-License-Identifier: ISC */
/*
 * When a node may and does begin an election (PROTOCOL.md, Turns), what its own
 * rank is (PROTOCOL.md, Rank), and why its leader cannot lead on (PROTOCOL.md,
 * Beacon).
 */
#include "common/node/lead/leadership.h"

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/lead/handover.h"
#include "common/node/life.h"
#include "common/node/links/ring.h"
#include "common/node/links/topology.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/stall.h"
#include "common/node/watch/voters.h"

/* A quarter of a heartbeat for each better node: on a LAN its announcement
 * comes sooner, and three dead ones cost less than a heartbeat. */
#define TURN_PARTS 4

/* True if no link is up. */
static bool
hears_nobody(const struct node *node)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up)
			return false;
	}
	return true;
}

bool
leadership_is_lone(const struct node *node, struct reason reason)
{
	return !node_is_quorum(node) && !node->lead.is_fresh &&
	       node->election.term > 0 && reason.kind != REASON_FORCED &&
	       reason.kind != REASON_START && hears_nobody(node);
}

/*
 * A node that is cut off misses one peer after another. Under component it
 * spends no term on that: it waits until it has heard a peer that was not cut
 * off together with the leader, or until no link is up. A node that was told
 * that its leader's process is over is not cut off.
 */
static bool
leadership_is_certain(const struct node *node, nsec_t now)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && liveness_watches(p) &&
		    !liveness_doubts(node, now, p))
			return true;
	}
	return node_is_quorum(node) || lead_was_told_over(&node->lead) ||
	       hears_nobody(node);
}

/* True if this node may begin an election, once it need not listen any more:
 * not while it is ending, is outside, has no carrier or is not part of its
 * ring, nor while its tree is forming, configurations are mixed or no peer
 * is certain to be there; under quorum also not without a majority, while a
 * vote request is pending, or in a pause. */
bool
leadership_may_succeed(const struct node *node, nsec_t now)
{
	return !life_is_ending(node) && !node_is_outside(node) &&
	       !life_lacks_carrier(node) && topology_is_ready(node) &&
	       !election_is_spent(&node->election) &&
	       !configs_are_mixed(node, now) && !nominee_is_paused(node, now) &&
	       leadership_is_certain(node, now) &&
	       voters_are_certain(node, now) && !quorum_awaits(node, now);
}

bool
leadership_may_begin(const struct node *node, nsec_t now)
{
	return life_takes_part(node) && leadership_may_succeed(node, now);
}

/*
 * In `full` the best node that is left begins at once; with the bully's first
 * step it announces itself, as all better nodes are gone. The others give each
 * better node a quarter of a heartbeat; otherwise every node would begin an
 * election when the leader is lost. A better node that may have died with the
 * leader is asked, and this node waits for the answer or the loss.
 */
nsec_t
leadership_turn(const struct node *node, nsec_t now, nsec_t limit)
{
	struct rank self = leadership_rank(node, now);
	nsec_t at = node->lead.since, last = 0;

	if (node->setup.topology != TOPOLOGY_FULL)
		return 0;
	if (at < life_listens_until(node))
		at = life_listens_until(node);
	for (unsigned i = 0; i < node->peers_count && at <= limit; i++) {
		const struct peer *p = peers_by_rank(node, i);
		nsec_t answer_at = liveness_answer_at(node, p);

		if (!p->link.is_up ||
		    !rank_better(&p->rank, &self, node->setup.prefer))
			continue;
		at = nsec_after(at, node->setup.timing.heartbeat / TURN_PARTS);
		if (last < answer_at)
			last = answer_at;
	}
	return at < last ? last : at;
}

struct reason
leadership_end(struct node *node, enum reason_kind kind)
{
	node_id id = lead_id(&node->lead);
	const struct peer *p = peers_find(node, id);

	assert(id != NODE_NONE);
	if (p != NULL && standby_of(p, node->input.now).is_on)
		kind = REASON_RESIGN;
	return (struct reason){ kind, id };
}

/* The reason for which a leader is lost whose beacon is stale. */
static enum reason_kind
leadership_silence(struct node *node, node_id id)
{
	const struct peer *p = peers_find(node, id);

	assert(id != NODE_NONE);
	assert(id != node->setup.self);
	return p != NULL && !p->link.is_up &&
		       p->link.evidence == EVIDENCE_REFUSED
		   ? REASON_REFUSED
		   : REASON_MISSED;
}

/* Why a leader that is outside gives up: it was removed, or it is new, and
 * another part of the cluster does not know it yet. */
static enum reason_kind
leadership_loss_outside(const struct node *node)
{
	return outside_removed_by(node) != 0 ? REASON_REMOVED : REASON_MERGE;
}

struct reason
leadership_flaw(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	node_id id = lead_id(&node->lead);
	enum evidence end;

	if (id == node->setup.self && node_is_duplicate(node, now))
		return (struct reason){ REASON_DUPLICATE, id };
	if (id == node->setup.self && node_is_outside(node))
		return (struct reason){ leadership_loss_outside(node), id };
	if (id == node->setup.self && !quorum_trusts_state(node))
		return (struct reason){ REASON_STATE_FILE, id };
	/* Nobody hears that this node leads, and others will soon. */
	if (id == node->setup.self && life_lacks_carrier(node))
		return (struct reason){ REASON_CARRIER, id };
	/* A later election has begun. While it is bypassed, this node can
	 * neither end it nor begin it again. Under quorum the leader that a
	 * majority has confirmed leads on all the same. */
	if (id != NODE_NONE && ring_is_bypassed(node) &&
	    !node_is_quorum(node) && node->election.term > beacon->term)
		return (struct reason){ REASON_MERGE, id };
	if (id == NODE_NONE || id == node->setup.self)
		return (struct reason){ REASON_NONE, NODE_NONE };
	end = process_ended_by(node, now, id, beacon->incarnation);
	if (end == EVIDENCE_BYE)
		return (struct reason){ REASON_BYE, id };
	if (end == EVIDENCE_DIED)
		return (struct reason){ REASON_DIED, id };
	if (now >= node->lead.stale_at)
		return leadership_end(node, leadership_silence(node, id));
	return (struct reason){ REASON_NONE, NODE_NONE };
}

struct reason
leadership_lack(const struct node *node)
{
	assert(!node->lead.is_fresh);
	if (quorum_was_lost(node))
		return (struct reason){ REASON_QUORUM, node->setup.self };
	if (standby_is_alone(node))
		return (struct reason){ REASON_ALONE, node->setup.self };
	if (node->lead.beacon.term == 0 ||
	    (node->lead.found_nobody && !hears_nobody(node)) ||
	    node->lead.reason.kind == REASON_CARRIER)
		return (struct reason){ REASON_START, node->setup.self };
	return node->lead.reason;
}

bool
leadership_is_wanted(const struct node *node, nsec_t now)
{
	return !node->lead.is_fresh && !node->election.is_open &&
	       leadership_may_begin(node, now) &&
	       (!node->lead.found_nobody ||
		   leadership_rank(node, now).is_eligible);
}

/* The leader's beacon, which other nodes hand on, may overtake the message of
 * the algorithm that announces it. */
bool
leadership_knows_outcome(const struct node *node)
{
	return node->lead.is_fresh &&
	       node->lead.beacon.term >= node->election.run_term;
}

nsec_t
leadership_stale_at(
    const struct node *node, nsec_t now, const struct peer *from, unsigned hops)
{
	nsec_t beat = node->setup.timing.heartbeat, patience;

	assert(hops <= NODES_MAX);
	/* By another configuration its heartbeats may be longer than ours. */
	if (from != NULL && from->detector.interval > beat)
		beat = from->detector.interval;
	patience = (node->setup.timing.misses + hops) * beat;
	patience += from != NULL ? detector_margin(&from->detector) : beat;
	return nsec_after(now, patience * (1 + stall_health(node)));
}

/* In a ring, tree or graph the beacon travels from neighbour to neighbour, and
 * under quorum only the beacon names the leader. */
void
leadership_hand_on(struct node *node)
{
	if (node->setup.topology == TOPOLOGY_FULL && !node_is_quorum(node))
		return;
	peers_schedule_all(node);
}

/* True if this node has been up for as long as PREEMPT_AFTER wants and is
 * better than its leader by priority and id. It then counts as a contender. */
static bool
leadership_may_challenge(
    const struct node *node, nsec_t now, const struct rank *self)
{
	struct rank leader = node->lead.beacon.leader;

	assert(self->is_eligible);
	assert(self->id == node->setup.self);
	if (node->setup.preempt != PREEMPT_AFTER || !node->lead.is_fresh ||
	    !life_was_eligible_for(node, now, node->setup.preempt_after))
		return false;
	leader.is_contender = false;
	return rank_better(self, &leader, node->setup.prefer);
}

void
leadership_end_resignation(struct node *node, nsec_t now)
{
	if (node->lead.is_fresh)
		standby_on_leader(node);
	else if (!node->election.is_open && leadership_may_begin(node, now) &&
		 (node->lead.found_nobody || !handover_has_successor(node)))
		standby_end_resignation(node, now, node->lead.found_nobody);
}

enum eligibility
node_eligibility(const struct node *node, nsec_t now)
{
	if (node->setup.role != ROLE_CANDIDATE)
		return INELIGIBLE_ROLE;
	if (life_is_ending(node))
		return INELIGIBLE_ENDING;
	if (life_lacks_carrier(node))
		return INELIGIBLE_CARRIER;
	if (node_is_duplicate(node, now))
		return INELIGIBLE_DUPLICATE;
	if (node_is_outside(node))
		return INELIGIBLE_OUTSIDE;
	if (!quorum_trusts_state(node))
		return INELIGIBLE_STATE_FILE;
	if (standby_is_on(node))
		return INELIGIBLE_STANDBY;
	if (handover_is_planned(node))
		return INELIGIBLE_HANDS_OVER;
	if (!node_leads(node) && !quorum_is_there(node))
		return INELIGIBLE_NO_QUORUM;
	return ELIGIBLE;
}

struct rank
leadership_rank(const struct node *node, nsec_t now)
{
	bool is_leader = node_leads(node) && !node->lead.is_lone;
	struct rank rank = {
		.is_eligible = node_eligibility(node, now) == ELIGIBLE,
		.priority = node->setup.priority,
		.id = node->setup.self,
	};

	if (!rank.is_eligible)
		return rank;
	/* Under quorum a leader leads on even if it is damped: the majority
	 * has confirmed only this one. */
	rank.is_contender =
	    handover_is_named(node) || (is_leader && node_is_quorum(node)) ||
	    (damping_is_over(node, now) &&
		(is_leader || node->setup.preempt == PREEMPT_ALWAYS ||
		    leadership_may_challenge(node, now, &rank)));
	return rank;
}

bool
leadership_is_barred(const struct node *node, const struct rank *winner)
{
	return winner->id == node->setup.self && winner->is_eligible &&
	       standby_is_firm(node) && !node_leads(node);
}

struct reason
leadership_bar(const struct node *node)
{
	if (node->setup.role != ROLE_CANDIDATE)
		return (struct reason){ REASON_REMOVED, node->setup.self };
	if (standby_is_firm(node))
		return (struct reason){ REASON_RESIGN, node->setup.self };
	return (struct reason){ REASON_NONE, NODE_NONE };
}

unsigned
leadership_word(const struct node *node, nsec_t now)
{
	struct rank self = leadership_rank(node, now);
	bool votes = voters_has_vote(node, now);

	return (self.is_eligible ? 1U : 0) | (self.is_contender ? 2U : 0) |
	       (votes ? 4U : 0) | standby_changes(node) << 3;
}
