/* SPDX-License-Identifier: ISC */
/*
 * The nominee under the guarantee "quorum" (PROTOCOL.md, Nominee). The
 * algorithm's decision only nominates a node. The nominee sends pre-votes, then
 * binding vote requests, and leads once a majority has granted the term; its
 * beacon tells the other nodes. After a denial it asks again, or gives up and
 * pauses before the next election.
 *
 *   nominated --pre-votes--> requests --majority grants--> leads
 *
 *   denied, with a wait             asks again after that
 *   denied: promised to another     gives up, and pauses
 *   lease ends, or it yields        gives up, and releases its terms
 */
#include "common/node/node_inside.h"

#include <inttypes.h>

#define RELEASES    5          /* rounds of heartbeats with a release */
#define ASK_GAP     (5 * MSEC) /* from a denial to the next request, at least */
#define DENIALS_MAX 4          /* doublings of the pause after a denial */

void
candidate_pause(struct node *node, nsec_t now, nsec_t pause)
{
	node->quorum.begin_at = nsec_after(now, pause);
}

/*
 * Two nominees that do not meet in the algorithm would outbid each other
 * without end. The random pause gives one of them the time that its vote
 * request takes. The first pause may be short, so that a good nominee loses
 * little time. The next ones grow until no attempt has failed for a detection
 * time.
 */
void
candidate_back_off(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	nsec_t beat = node->setup.heartbeat, least = MSEC;

	assert(node_is_quorum(node));
	assert(q->denials <= DENIALS_MAX);
	if (now >= q->calm_at)
		q->denials = 0;
	if (q->denials > 0)
		least = beat << (q->denials - 1);
	candidate_pause(node, now,
	    random_between(&node->random, least, beat << q->denials));
	q->denials += q->denials < DENIALS_MAX;
	q->calm_at = nsec_after(q->begin_at, node_detection(node));
}

/* Makes our vote request due to each voter that we have a session with. */
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

/* A majority has granted our term: we lead. */
static void
candidate_won(struct node *node, nsec_t now)
{
	struct beacon beacon = {
		.term = node->quorum.lease.held,
		.leader = leadership_rank(node, now),
		.incarnation = node->setup.durable.incarnation,
		.reason = node->election.reason,
	};

	assert(beacon.term != 0);
	assert(beacon.term == node->quorum.lease.term);
	node_trace(node, now, "a majority granted term %" PRIu64, beacon.term);
	beacon.leader.is_eligible |= node->handover.is_made;
	if (!beacon.leader.is_eligible) {
		/* node_conclude() ends a leader that is not eligible. */
		if (!node_leads(node))
			candidate_drop(node, now);
		return;
	}
	life_take_part(node);
	election_settle(&node->election);
	node_follow(node, now, &beacon, beacon.reason, NSEC_NEVER);
}

static void
candidate_granted(struct node *node, nsec_t now, unsigned number,
    const struct vote_response *vote)
{
	struct lease *l = &node->quorum.lease;
	bool has_led = node_leads(node);

	assert(vote->denial == DENIAL_NONE);
	assert(number < l->grants_count);
	/* Nodes that have seen the later term would not follow us. */
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
	/* A leader that has just won a later term hands over in that one. */
	if (has_led)
		candidate_heed_rival(node, now, vote);
}

/* Our vote request is void: a voter has promised this term, or a later one, to
 * another node. */
static void
candidate_outdone(
    struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	assert(node->quorum.lease.term != 0);
	assert(promised >= node->quorum.lease.term);
	/* An open election goes above that term already. */
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

/* Takes a voter's denial of our vote request. */
static void
candidate_denied(struct node *node, nsec_t now, node_id voter,
    const struct vote_response *vote)
{
	struct quorum *q = &node->quorum;
	nsec_t wait = (nsec_t)vote->wait_ms * MSEC;

	assert(vote->denial != DENIAL_NONE);
	assert(voter != NODE_NONE);
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
	assert(node_is_quorum(node));
	assert(number != VOTER_NONE);
	if (vote->denial == DENIAL_NONE)
		candidate_granted(node, now, number, vote);
	else
		candidate_denied(node, now, voter, vote);
}

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

	assert(q->lease.term > q->lease.spent);
	if (q->number == VOTER_NONE || !quorum_has_vote(node, now))
		return;
	if (voting_judge(node, now, quorum_self(node), &request, &vote) ==
	    REQUEST_PENDING)
		return;
	voting_add_rival(node, now, node->setup.self, &vote);
	candidate_count_vote(node, now, node->setup.self, q->number, &vote);
}

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

void
candidate_nominate(struct node *node, nsec_t now, uint64_t term)
{
	struct lease *l = &node->quorum.lease;

	assert(node_is_quorum(node));
	assert(term != 0);
	if (!leadership_rank(node, now).is_eligible || term <= l->spent ||
	    term <= l->held)
		return;
	node_trace(node, now, "nominated -> ask for term %" PRIu64, term);
	lease_want(l, now, term);
	candidate_ask(node, now);
}

/*
 * Nodes that have seen the later term would not follow us in ours. If an
 * election of the later term has reached us, it goes on and we begin none.
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
	/* The voters that have granted us become free for other nominees. */
	if (q->lease.held == 0)
		candidate_drop(node, now);
}

/*
 * The rival asks in vain while we hold the lease, and perhaps cannot tell us so
 * itself. If it is better, or we are not part of our ring, we hand over. If it
 * is worse, it was elected without us in a later term and will not follow us:
 * we begin an election above its term (PROTOCOL.md, Rivals).
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

void
candidate_drop(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	bool is_binding = q->lease.term != 0 && !q->lease.is_prevote;

	assert(node_is_quorum(node));
	q->ask_at = NSEC_NEVER;
	q->release_at = lease_drop(&q->lease, now);
	q->releases_due = is_binding ? RELEASES : q->releases_due;
	if (q->releases_due == 0)
		q->release_at = NSEC_NEVER;
}

/* No deadline of a client lies ahead: releases our terms, at our own voter
 * first. */
static void
candidate_release(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	assert(q->lease.spent != 0);
	assert(q->releases_due > 0);
	q->release_at = NSEC_NEVER;
	voter_release(&q->voter, quorum_self(node), q->lease.spent);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p->voting.number != VOTER_NONE)
			peers_schedule(node, p);
	}
	candidate_reconsider(node, now);
}

void
candidate_beat(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	assert(node_is_quorum(node));
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
	assert(node_is_quorum(node));
	if (p->voting.number == VOTER_NONE)
		return;
	if (vote->term == node->quorum.lease.term && !vote->is_prevote)
		p->voting.denies = vote->denial != DENIAL_NONE;
	candidate_count_vote(node, now, p->setup.id, p->voting.number, vote);
}

void
candidate_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term)
{
	assert(node_is_quorum(node));
	assert(owner.id != NODE_NONE);
	assert(term != 0);
	if (voter_release(&node->quorum.voter, owner, term))
		candidate_reconsider(node, now);
}

void
candidate_reconsider(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;

	voting_reconsider(node, now);
	if (l->term != 0 && l->held == 0)
		candidate_ask(node, now);
}

void
candidate_check(const struct node *node)
{
	const struct quorum *q = &node->quorum;

	assert(q->denials <= DENIALS_MAX);
	assert(q->releases_due <= RELEASES);
	assert(q->release_at == NSEC_NEVER || q->releases_due > 0);
	assert(q->releases_due == 0 || q->lease.spent != 0);
	if (!node_is_quorum(node))
		return;
	/* A node leads under quorum if and only if it holds a term. */
	assert(node_leads(node) == (q->lease.held != 0));
	assert(q->lease.term <= node->election.term);
}
