/* SPDX-License-Identifier: ISC */
/*
 * The nominee under the guarantee "quorum": what an algorithm decides is a
 * nomination. The nominee asks the voters, then claims the term; it leads once
 * a majority has granted it, and then its beacon, not the algorithm, makes it
 * known. Who is denied asks again, or pauses and leaves it to an election.
 *
 *   nominated --dry--> would be granted --claims--> leads --lease ends--> gives
 *       |  denied: asks again          promise durable     |  or yields    up
 *       +--- promised elsewhere: a new election            +--- RELEASE --+
 */
#include "common/node/node_inside.h"

#include <inttypes.h>

#define RELEASES    5          /* heartbeats that tell what we gave up */
#define ASK_GAP     (5 * MSEC) /* between two requests, not of a heartbeat */
#define DENIALS_MAX 4          /* doublings of the pause after a denial */

/* Begins no election for so long. */
void
candidate_pause(struct node *node, nsec_t now, nsec_t pause)
{
	node->quorum.begin_at = nsec_after(now, pause);
}

/*
 * Two nominees that do not meet in the algorithm would outbid each other
 * without end: one of them is to have the time that a claim takes. The first
 * pause may be as short as a moment, so as not to hold up a good one; those
 * that follow grow, until it has been calm for a while, whoever won meanwhile.
 */
void
candidate_back_off(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	nsec_t beat = node->setup.heartbeat, least = MSEC;

	if (now >= q->calm_at)
		q->denials = 0;
	if (q->denials > 0)
		least = beat << (q->denials - 1);
	candidate_pause(node, now,
	    random_between(&node->random, least, beat << q->denials));
	q->denials += q->denials < DENIALS_MAX;
	q->calm_at = nsec_after(q->begin_at, node_detection(node));
}

/* Every voter is to hear our claim now. */
static void
candidate_tell(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->voting.request_due =
		    p->has_session && p->voting.number != VOTER_NONE;
		if (p->voting.request_due)
			peers_schedule(node, p);
	}
}

static void
candidate_won(struct node *node, nsec_t now)
{
	struct beacon beacon = {
		.term = node->quorum.lease.held,
		.leader = leadership_rank(node, now),
		.incarnation = node->setup.durable.incarnation,
		.reason = node->election.reason,
	};

	node_trace(node, now, "a majority granted term %" PRIu64, beacon.term);
	beacon.leader.is_eligible |= node->handover.is_made;
	if (!beacon.leader.is_eligible) {
		/* Why a leader does not is its flaw: node_conclude(). */
		if (!node_leads(node))
			candidate_drop(node, now);
		return;
	}
	node->life.is_starting = false;
	election_settle(&node->election);
	node_follow(node, now, &beacon, beacon.reason, NSEC_NEVER);
}

static void
candidate_granted(struct node *node, nsec_t now, unsigned number,
    const struct vote_response *vote)
{
	struct lease *l = &node->quorum.lease;
	bool has_led = node_leads(node);

	/* Who has seen a later term would not follow us. */
	if (l->held == 0 && l->term < node->election.term)
		return;
	switch (lease_grant(l, now, number, vote)) {
	case LEASE_SAME:
		break;
	case LEASE_PREVOTE_WON:
		lease_request(l, now);
		for (unsigned i = 0; i < node->peers_count; i++)
			node->peers[i].voting.denies = false;
		candidate_ask(node, now);
		break;
	case LEASE_WON:
		candidate_won(node, now);
		break;
	}
	/* Whoever has won once more hands over in its new term. */
	if (has_led)
		candidate_heed_rival(node, now, vote);
}

/* Our claim is of no use: another has this term, or a later one. */
static void
candidate_outdone(
    struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	/* An election above it is under way. */
	if (node->election.is_open && node->election.run_term > promised)
		return;
	if (!election_saw(&node->election, promised))
		return;
	if (node->quorum.lease.held == 0) {
		candidate_drop(node, now);
		election_settle(&node->election);
	} else if (leadership_may_begin(node, now)) {
		node_begin_election(
		    node, now, (struct reason){ REASON_DENIED, voter });
	} else {
		return;
	}
	candidate_back_off(node, now);
}

static void
candidate_denied(struct node *node, nsec_t now, node_id voter,
    const struct vote_response *vote)
{
	struct quorum *q = &node->quorum;
	nsec_t wait = (nsec_t)vote->wait_ms * MSEC;

	if (q->lease.term == 0 || vote->term != q->lease.term ||
	    vote->is_prevote != q->lease.is_prevote)
		return;
	node_trace(node, now,
	    "%" PRIu32 " denies term %" PRIu64 ": %s, for %" PRIu32 " ms",
	    voter, vote->term, denial_name(vote->denial), vote->wait_ms);
	if (vote->denial == DENIAL_PROMISED && node->handover.is_told &&
	    node_leads(node) && vote->promised > q->lease.held)
		handover_moved(node, now, voter, vote->promised);
	else if (vote->denial == DENIAL_PROMISED &&
		 vote->promised >= vote->term)
		candidate_outdone(node, now, voter, vote->promised);
	else if (wait > 0 && q->lease.held == 0)
		q->ask_at = nsec_earlier(q->ask_at,
		    nsec_after(now, wait > ASK_GAP ? wait : ASK_GAP));
}

void
candidate_count_vote(struct node *node, nsec_t now, node_id voter,
    unsigned number, const struct vote_response *vote)
{
	if (vote->denial == DENIAL_NONE)
		candidate_granted(node, now, number, vote);
	else
		candidate_denied(node, now, voter, vote);
}

/* Our own vote. A promise must be durable like any other's. */
void
candidate_ask_self(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	const struct vote_request request = {
		.term = q->lease.term,
		.sent = now,
		.is_prevote = q->lease.is_prevote,
	};
	struct vote_response vote;

	if (q->number == VOTER_NONE || !quorum_has_vote(node, now))
		return;
	if (voting_judge(node, now, quorum_self(node), &request, &vote) ==
	    REQUEST_PENDING)
		return;
	voting_add_rival(node, now, node->setup.self, &vote);
	candidate_count_vote(node, now, node->setup.self, q->number, &vote);
}

/* Claims once more: renews the lease, or asks again for what was denied. */
void
candidate_ask(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	q->ask_at = NSEC_NEVER;
	if (q->lease.term == 0)
		return;
	candidate_tell(node);
	candidate_ask_self(node, now);
}

/* The algorithm has decided for this node. */
void
candidate_nominate(struct node *node, nsec_t now, uint64_t term)
{
	struct lease *l = &node->quorum.lease;

	if (!leadership_rank(node, now).is_eligible || term <= l->spent ||
	    term <= l->held)
		return;
	node_trace(node, now, "nominated -> ask for term %" PRIu64, term);
	lease_want(l, now, term);
	candidate_ask(node, now);
}

/*
 * A later term was seen: what an earlier one nominated us for is over, as not
 * all would follow. Unless an election of that term has reached us, we begin
 * one.
 */
void
candidate_renounce(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;
	const struct election *e = &node->election;

	if (l->term == 0 || l->held != 0 || l->term >= e->term)
		return;
	candidate_drop(node, now);
	if (e->run_term < e->term && leadership_may_begin(node, now))
		node_begin_election(node, now, e->reason);
}

/* Tells when a majority comes into hearing, or goes out of it. */
void
candidate_look(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	bool is_there =
	    node_is_quorum(node) && quorum_votes(node, now) >= q->lease.quorum;

	if (is_there == q->is_there)
		return;
	q->is_there = is_there;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_QUORUM, .on = is_there });
	if (is_there)
		return;
	q->was_lost = true;
	election_settle(&node->election);
	/* Those that have granted us are not to be kept from others. */
	if (q->lease.held == 0)
		candidate_drop(node, now);
}

/*
 * A nominee asks in vain, as we hold the lease. If it is better, or we have no
 * part in elections, we hand over: it may be that it cannot tell us itself. If
 * not, it was elected without us, and as its term is later it will not follow:
 * an election above both.
 */
void
candidate_heed_rival(
    struct node *node, nsec_t now, const struct vote_response *vote)
{
	const struct reason merge = { REASON_MERGE, vote->rival.id };
	struct rank self = leadership_rank(node, now);

	if (!vote->rival.is_eligible || !node_leads(node) ||
	    vote->term != node->quorum.lease.term)
		return;
	if (rank_better(&vote->rival, &self, node->setup.prefer) ||
	    !topology_takes_part(node))
		handover_make(node, now,
		    (struct reason){ REASON_PREEMPT, node->setup.self }, false,
		    NODE_NONE);
	else if (vote->rival_term > node->quorum.lease.term &&
		 !node->election.is_open && leadership_may_begin(node, now) &&
		 election_saw(&node->election, vote->rival_term)) {
		node_begin_election(node, now, merge);
		candidate_back_off(node, now);
	}
}

/* Gives up what was claimed, and tells so as soon as that may be told. */
void
candidate_drop(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	bool is_serious = q->lease.term != 0 && !q->lease.is_prevote;

	q->ask_at = NSEC_NEVER;
	q->release_at = lease_drop(&q->lease, now);
	q->releases_due = is_serious ? RELEASES : q->releases_due;
	if (q->releases_due == 0)
		q->release_at = NSEC_NEVER;
}

/* The moment has come: our own voter first, and all others. */
static void
candidate_release(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	q->release_at = NSEC_NEVER;
	voter_release(&q->voter, quorum_self(node), q->lease.spent);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p->voting.number != VOTER_NONE)
			peers_schedule(node, p);
	}
	candidate_reconsider(node, now);
}

/* With each heartbeat. */
void
candidate_beat(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	if (quorum_releases(node))
		q->releases_due--;
	candidate_ask(node, now);
}

void
candidate_tick(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	if (now >= q->release_at)
		candidate_release(node, now);
	if (now >= q->ask_at)
		candidate_ask(node, now);
	if (now >= q->begin_at)
		q->begin_at = 0;
}

void
candidate_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote)
{
	if (p->voting.number == VOTER_NONE)
		return;
	if (vote->term == node->quorum.lease.term && !vote->is_prevote)
		p->voting.denies = vote->denial != DENIAL_NONE;
	candidate_count_vote(node, now, p->setup.id, p->voting.number, vote);
}

/* A process has given up its terms up to this one, or is dead and cannot use
 * them; if we wait for that, we ask at once. */
void
candidate_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term)
{
	if (voter_release(&node->quorum.voter, owner, term))
		candidate_reconsider(node, now);
}

/* The lease that our voter granted has ended: it answers the others again, and
 * we ask again. */
void
candidate_reconsider(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;

	voting_reconsider(node, now);
	if (l->term != 0 && l->held == 0)
		candidate_ask(node, now);
}
