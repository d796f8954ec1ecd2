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

static struct candidacy candidate_ask(struct node *node, nsec_t now);

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

static struct candidacy
candidate_granted(struct node *node, nsec_t now, unsigned number,
    const struct vote_response *vote)
{
	struct lease *l = &node->quorum.lease;
	struct candidacy next = { .news = CANDIDACY_SAME };

	assert(vote->denial == DENIAL_NONE);
	assert(number < l->grants_count);
	/* Nodes that have seen the later term would not follow us. */
	if (l->held == 0 && l->term < node->election.term)
		return next;
	switch (lease_grant(l, now, number, vote)) {
	case LEASE_SAME:
		break;
	case LEASE_PREVOTE_WON:
		lease_request(l, now);
		for (unsigned i = 0; i < node->peers_count; i++)
			node->peers[i].voting.denies = false;
		return candidate_ask(node, now);
	case LEASE_WON:
		node_trace(
		    node, now, "a majority granted term %" PRIu64, l->held);
		next.news = CANDIDACY_WON;
		break;
	}
	if (vote->term == l->term)
		next.rival = vote->rival;
	if (vote->rival_term > l->term)
		next.rival_term = vote->rival_term;
	return next;
}

bool
candidate_outdone(struct node *node, nsec_t now, uint64_t promised)
{
	const struct lease *l = &node->quorum.lease;

	assert(l->term != 0);
	/* An open election goes above that term already. */
	if (promised < l->term ||
	    (node->election.is_open && node->election.run_term > promised) ||
	    !election_saw(&node->election, promised))
		return false;
	if (l->held != 0)
		return true;
	candidate_drop(node, now);
	election_settle(&node->election);
	candidate_back_off(node, now);
	return false;
}

/* Takes a voter's denial of our vote request. */
static struct candidacy
candidate_denied(struct node *node, nsec_t now, node_id voter,
    const struct vote_response *vote)
{
	struct quorum *q = &node->quorum;
	struct candidacy next = { .news = CANDIDACY_SAME };
	nsec_t wait = (nsec_t)vote->wait_ms * MSEC;

	assert(vote->denial != DENIAL_NONE);
	assert(voter != NODE_NONE);
	if (q->lease.term == 0 || vote->term != q->lease.term ||
	    vote->is_prevote != q->lease.is_prevote)
		return next;
	node_trace(node, now,
	    "%" PRIu32 " denies term %" PRIu64 ": %s, for %" PRIu32 " ms",
	    voter, vote->term, denial_name(vote->denial), vote->wait_ms);
	if (vote->denial == DENIAL_PROMISED)
		return (struct candidacy){
			.news = CANDIDACY_PROMISED,
			.voter = voter,
			.promised = vote->promised,
		};
	if (wait > 0 && q->lease.held == 0)
		q->ask_at = nsec_earlier(q->ask_at,
		    nsec_after(now, wait > ASK_GAP ? wait : ASK_GAP));
	return next;
}

/* Counts the response of the voter `voter`, which has this number among the
 * voters. Responses to other requests than our present one have no effect. */
static struct candidacy
candidate_count_vote(struct node *node, nsec_t now, node_id voter,
    unsigned number, const struct vote_response *vote)
{
	assert(node_is_quorum(node));
	assert(number != VOTER_NONE);
	return vote->denial == DENIAL_NONE
		   ? candidate_granted(node, now, number, vote)
		   : candidate_denied(node, now, voter, vote);
}

/* Asks our own voter for our present request, if it may vote. Its promise has
 * to be durable first, as any other voter's. */
static struct candidacy
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
	if (q->number == VOTER_NONE || !quorum_has_vote(node, now) ||
	    voting_judge(node, now, quorum_self(node), &request, &vote) ==
		REQUEST_PENDING)
		return (struct candidacy){ .news = CANDIDACY_SAME };
	voting_add_rival(node, now, node->setup.self, &vote);
	return candidate_count_vote(
	    node, now, node->setup.self, q->number, &vote);
}

/* Sends our vote request to each voter and asks our own; does nothing if we
 * request no term. */
static struct candidacy
candidate_ask(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	q->ask_at = NSEC_NEVER;
	if (q->lease.term == 0)
		return (struct candidacy){ .news = CANDIDACY_SAME };
	candidate_tell(node);
	return candidate_ask_self(node, now);
}

struct candidacy
candidate_on_kept(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	assert(q->voter.is_kept);
	if (q->voter.promise.owner.id == node->setup.self)
		return candidate_ask(node, now);
	if (q->lease.term != 0)
		return candidate_ask_self(node, now);
	return (struct candidacy){ .news = CANDIDACY_SAME };
}

struct candidacy
candidate_nominate(struct node *node, nsec_t now, uint64_t term)
{
	struct lease *l = &node->quorum.lease;

	assert(node_is_quorum(node));
	assert(term != 0);
	if (term <= l->spent || term <= l->held)
		return (struct candidacy){ .news = CANDIDACY_SAME };
	node_trace(node, now, "nominated -> ask for term %" PRIu64, term);
	lease_want(l, now, term);
	return candidate_ask(node, now);
}

/*
 * Nodes that have seen the later term would not follow us in ours. If an
 * election of the later term has reached us, it goes on and we begin none.
 */
bool
candidate_renounce(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;
	const struct election *e = &node->election;

	if (l->term == 0 || l->held != 0 || l->term >= e->term)
		return false;
	candidate_drop(node, now);
	return e->run_term < e->term;
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

/* True if we request a term that we do not hold yet. */
static bool
candidate_requests(const struct node *node)
{
	const struct lease *l = &node->quorum.lease;

	return l->term != 0 && l->held == 0;
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
	voting_reconsider(node, now);
}

struct candidacy
candidate_beat(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	assert(node_is_quorum(node));
	if (quorum_releases(node))
		q->releases_due--;
	return candidate_ask(node, now);
}

struct candidacy
candidate_tick(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	bool is_due = now >= q->ask_at;

	if (now >= q->begin_at)
		q->begin_at = 0;
	if (now >= q->release_at) {
		candidate_release(node, now);
		is_due |= candidate_requests(node);
	}
	if (!is_due)
		return (struct candidacy){ .news = CANDIDACY_SAME };
	return candidate_ask(node, now);
}

struct candidacy
candidate_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote)
{
	assert(node_is_quorum(node));
	if (p->voting.number == VOTER_NONE)
		return (struct candidacy){ .news = CANDIDACY_SAME };
	if (vote->term == node->quorum.lease.term && !vote->is_prevote)
		p->voting.denies = vote->denial != DENIAL_NONE;
	return candidate_count_vote(
	    node, now, p->setup.id, p->voting.number, vote);
}

struct candidacy
candidate_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term)
{
	assert(node_is_quorum(node));
	assert(owner.id != NODE_NONE);
	assert(term != 0);
	if (!voter_release(&node->quorum.voter, owner, term))
		return (struct candidacy){ .news = CANDIDACY_SAME };
	return candidate_reconsider(node, now);
}

struct candidacy
candidate_reconsider(struct node *node, nsec_t now)
{
	voting_reconsider(node, now);
	if (!candidate_requests(node))
		return (struct candidacy){ .news = CANDIDACY_SAME };
	return candidate_ask(node, now);
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
