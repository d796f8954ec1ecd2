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
#include "common/node/vote/vote.h"

#include <inttypes.h>

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/peer/peers.h"
#include "common/node/watch/group.h"
#include "common/node/watch/voters.h"

#define RELEASES 5          /* rounds with a release: four may be lost */
#define ASK_GAP  (5 * MSEC) /* from a denial to the next request, at least */

/* Doublings of the pause. Two nominees that draw from 8 to 16 heartbeats are
 * one apart or more in three of four cases, time enough for a vote request. */
#define DENIALS_MAX 4

static struct nominee_news nominee_ask(struct node *node, nsec_t now);

/* Under component it requests no term, and holds none. */
void
nominee_init(struct node *node, struct grant *grants)
{
	struct node_nominee *c = &node->vote.nominee;

	assert(c->lease.term == 0);
	c->ask_at = c->release_at = NSEC_NEVER;
	if (node_is_quorum(node))
		lease_init(&c->lease, node->setup.timing.lease, grants,
		    voters_count(node));
	else
		c->lease = (struct lease){ .capped = NSEC_NEVER };
}

void
nominee_change(struct node *node, struct grant *grants, nsec_t now)
{
	struct lease *l = &node->vote.nominee.lease;

	if (!node_is_quorum(node))
		return;
	if (l->held == 0)
		nominee_drop(node, now);
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		p->ballot = (struct peer_ballot){ .promised = 0 };
	node->vote.nominee.own_promised = 0;
	lease_change(
	    l, now, node->setup.timing.lease, grants, voters_count(node));
	node->vote.nominee.ask_at = l->held == 0 ? NSEC_NEVER : l->requested_at;
}

bool
nominee_is_settled(const struct node *node, nsec_t now)
{
	return lease_is_settled(&node->vote.nominee.lease, now, 0);
}

/* True if the peer is a voter that does not vote, and has our configuration. */
static bool
is_shut_out(const struct node *node, const struct peer *p)
{
	return voters_number(p) != VOTER_NONE && !voters_votes(p) &&
	       p->link.is_up && configs_agree(node, p);
}

bool
nominee_misses_a_voter(const struct node *node)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (is_shut_out(node, p))
			return true;
	}
	return false;
}

/*
 * True if we may admit the peer, since we lead without it (PROTOCOL.md,
 * Admission). All that it has granted, it granted before its link came up: a
 * lease later no grant of it supports anything. A configuration of an earlier
 * term does not do: the leader of that term may have made a later one, by which
 * the peer granted a longer lease.
 */
static bool
nominee_admits(const struct node *node, nsec_t now, const struct peer *p)
{
	const struct lease *l = &node->vote.nominee.lease;

	return is_shut_out(node, p) &&
	       (node->setup.config_id.config_term == l->held ||
		   !configs_exchange(node)) &&
	       lease_is_settled(l, now, nsec_after(p->link.changed, l->length));
}

bool
nominee_is_granted_by(const struct node *node, nsec_t now, unsigned number)
{
	return lease_is_granted_by(&node->vote.nominee.lease, now, number);
}

void
nominee_pause(struct node *node, nsec_t now, nsec_t pause)
{
	node->vote.nominee.begin_at = nsec_after(now, pause);
}

/*
 * Two nominees that do not meet in the algorithm would outbid each other
 * without end. The random pause gives one of them the time that its vote
 * request takes. The first pause may be short, so that a good nominee loses
 * little time. The next ones grow until no attempt has failed for a detection
 * time.
 */
void
nominee_back_off(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;
	nsec_t beat = node->setup.timing.heartbeat, least = MSEC;

	assert(node_is_quorum(node));
	assert(c->denials <= DENIALS_MAX);
	if (now >= c->calm_at)
		c->denials = 0;
	if (c->denials > 0)
		least = beat << (c->denials - 1);
	nominee_pause(node, now,
	    random_between(&node->random, least, beat << c->denials));
	c->denials += c->denials < DENIALS_MAX;
	c->calm_at = nsec_after(c->begin_at, node_detection(node));
}

/* Makes our vote request due to each voter that we have a session with. */
static void
nominee_tell(struct node *node)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		p->ballot.request_due =
		    p->has_session && voters_number(p) != VOTER_NONE;
		if (p->ballot.request_due && !group_carries(node, p))
			peers_schedule(node, p);
	}
}

static struct nominee_news
nominee_granted(struct node *node, nsec_t now, unsigned number,
    const struct vote_response *vote)
{
	struct lease *l = &node->vote.nominee.lease;
	struct nominee_news next = { .kind = NOMINEE_SAME };

	assert(vote->denial == DENIAL_NONE);
	assert(number < l->grants_count);
	/* Nodes that have seen the later term would not follow us. */
	if (l->held == 0 && l->term < node->election.term)
		return next;
	switch (lease_grant(l, now, number, vote,
	    vote->config_tag == config_tag(&node->setup.config_id))) {
	case LEASE_SAME:
		break;
	case LEASE_PREVOTE_WON:
		lease_request(l, now);
		for (struct peer *p = node->peers; p < peers_end(node); p++)
			p->ballot.denies = false;
		return nominee_ask(node, now);
	case LEASE_WON:
		node_trace(
		    node, now, "a majority granted term %" PRIu64, l->held);
		next.kind = NOMINEE_WON;
		break;
	}
	if (vote->term == l->term)
		next.rival = vote->rival;
	if (vote->rival_term > l->term)
		next.rival_term = vote->rival_term;
	return next;
}

bool
nominee_on_outbid(struct node *node, nsec_t now, uint64_t promised)
{
	const struct lease *l = &node->vote.nominee.lease;

	assert(l->term != 0);
	/* An open election goes above that term already. */
	if (promised < l->term ||
	    (node->election.is_open && node->election.run_term > promised) ||
	    !election_saw(&node->election, promised))
		return false;
	if (l->held != 0)
		return true;
	nominee_drop(node, now);
	election_settle(&node->election);
	nominee_back_off(node, now);
	return false;
}

/* A voter has promised another node this term. Responses of one voter may
 * arrive in another order than it sent them: the highest term counts. */
static void
nominee_note_promise(struct node *node, node_id voter, uint64_t promised)
{
	struct peer *p = peers_find(node, voter);
	uint64_t *term =
	    p != NULL ? &p->ballot.promised : &node->vote.nominee.own_promised;

	assert(p != NULL || voter == node->setup.self);
	if (promised > *term)
		*term = promised;
}

void
nominee_forget_promises(struct node *node)
{
	node->vote.nominee.own_promised = 0;
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		p->ballot.promised = 0;
}

/* A promise below the highest term seen does not count: an election has
 * overtaken it. */
bool
nominee_is_succeeded(const struct node *node)
{
	uint64_t held = nominee_held(node), term = node->election.term;
	unsigned count;

	assert(held != 0);
	if (term <= held)
		term = held + 1;
	count = node->vote.nominee.own_promised >= term;
	for (const struct peer *p = node->peers; p < peers_end(node); p++)
		count += p->ballot.promised >= term;
	return count >= voters_majority(node);
}

static struct nominee_news
nominee_denied(struct node *node, nsec_t now, node_id voter,
    const struct vote_response *vote)
{
	struct node_nominee *c = &node->vote.nominee;
	struct nominee_news next = { .kind = NOMINEE_SAME };
	nsec_t wait = (nsec_t)vote->wait_ms * MSEC;

	assert(vote->denial != DENIAL_NONE);
	assert(voter != NODE_NONE);
	if (c->lease.term == 0 || vote->term != c->lease.term ||
	    vote->is_prevote != c->lease.is_prevote)
		return next;
	node_trace(node, now,
	    "%" PRIu32 " denies term %" PRIu64 ": %s, for %" PRIu32 " ms",
	    voter, vote->term, denial_name(vote->denial), vote->wait_ms);
	if (vote->denial == DENIAL_PROMISED) {
		nominee_note_promise(node, voter, vote->promised);
		return (struct nominee_news){
			.kind = NOMINEE_PROMISED,
			.voter = voter,
			.promised = vote->promised,
		};
	}
	if (wait > 0 && c->lease.held == 0)
		c->ask_at = nsec_earlier(c->ask_at,
		    nsec_after(now, wait > ASK_GAP ? wait : ASK_GAP));
	return next;
}

/* Counts the response of the voter `voter`, which has this number among the
 * voters. Responses to other requests than our present one have no effect. */
static struct nominee_news
nominee_count_vote(struct node *node, nsec_t now, node_id voter,
    unsigned number, const struct vote_response *vote)
{
	assert(number != VOTER_NONE);
	return vote->denial == DENIAL_NONE
		   ? nominee_granted(node, now, number, vote)
		   : nominee_denied(node, now, voter, vote);
}

/* Asks our own voter for our present request, if it may vote. Its promise has
 * to be durable first, as any other voter's. */
static struct nominee_news
nominee_ask_self(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;
	const struct vote_request request = {
		.term = c->lease.term,
		.sent = now,
		.is_prevote = c->lease.is_prevote,
		.lease = node->setup.timing.lease,
		.config_id = node->setup.config_id,
	};
	struct vote_response vote;

	assert(c->lease.term > c->lease.spent);
	if (!voting_ask_self(node, now, &request, &vote))
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	return nominee_count_vote(
	    node, now, node->setup.self, voters_own_number(node), &vote);
}

/* Sends our vote request to each voter and asks our own; does nothing if we
 * request no term. */
static struct nominee_news
nominee_ask(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;

	c->ask_at = NSEC_NEVER;
	if (c->lease.term == 0)
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	/* A change has just been made: grants of this request do not count. */
	if (now < c->lease.requested_at)
		c->ask_at = c->lease.requested_at;
	nominee_tell(node);
	return nominee_ask_self(node, now);
}

struct nominee_news
nominee_on_kept(struct node *node, nsec_t now)
{
	const struct node_nominee *c = &node->vote.nominee;

	if (voting_promise(node)->owner.id == node->setup.self)
		return nominee_ask(node, now);
	if (c->lease.term != 0)
		return nominee_ask_self(node, now);
	return (struct nominee_news){ .kind = NOMINEE_SAME };
}

struct nominee_news
nominee_begin(struct node *node, nsec_t now, uint64_t term)
{
	struct lease *l = &node->vote.nominee.lease;

	assert(node_is_quorum(node));
	assert(term != 0);
	if (term <= l->spent || term <= l->held)
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	node_trace(node, now, "nominated -> ask for term %" PRIu64, term);
	lease_want(l, now, term);
	return nominee_ask(node, now);
}

/*
 * Nodes that have seen the later term would not follow us in ours. If an
 * election of the later term has reached us, it goes on and we begin none.
 */
bool
nominee_renounce(struct node *node, nsec_t now)
{
	const struct lease *l = &node->vote.nominee.lease;
	const struct election *e = &node->election;

	if (l->term == 0 || l->held != 0 || l->term >= e->term)
		return false;
	nominee_drop(node, now);
	return e->run_term < e->term;
}

void
nominee_drop(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;
	bool is_binding = c->lease.term != 0 && !c->lease.is_prevote;

	c->ask_at = NSEC_NEVER;
	c->release_at = lease_drop(&c->lease, now);
	if (is_binding)
		c->releases_due = RELEASES;
	if (c->releases_due == 0)
		c->release_at = NSEC_NEVER;
}

/* True if we request a term that we do not hold yet. */
static bool
nominee_requests(const struct node *node)
{
	const struct lease *l = &node->vote.nominee.lease;

	return l->term != 0 && l->held == 0;
}

/* No deadline of a client lies ahead: releases our terms, at our own voter
 * first. */
static void
nominee_release(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;

	assert(c->lease.spent != 0);
	assert(c->releases_due > 0);
	c->release_at = NSEC_NEVER;
	(void)voting_release(node, voters_self(node), c->lease.spent);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (voters_number(p) != VOTER_NONE)
			peers_schedule(node, p);
	}
	voting_reconsider(node, now);
}

struct nominee_news
nominee_beat(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;

	if (nominee_released(node) != 0)
		c->releases_due--;
	return nominee_ask(node, now);
}

struct nominee_news
nominee_tick(struct node *node, nsec_t now)
{
	struct node_nominee *c = &node->vote.nominee;
	bool is_due = now >= c->ask_at;

	if (now >= c->begin_at)
		c->begin_at = 0;
	if (now >= c->release_at) {
		nominee_release(node, now);
		is_due |= nominee_requests(node);
	}
	if (!is_due)
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	return nominee_ask(node, now);
}

struct nominee_news
nominee_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote)
{
	if (voters_number(p) == VOTER_NONE)
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	if (vote->term == node->vote.nominee.lease.term && !vote->is_prevote)
		p->ballot.denies = vote->denial != DENIAL_NONE;
	return nominee_count_vote(
	    node, now, p->setup.id, voters_number(p), vote);
}

struct nominee_news
nominee_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term)
{
	if (!voting_release(node, owner, term))
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	return nominee_reconsider(node, now);
}

struct nominee_news
nominee_reconsider(struct node *node, nsec_t now)
{
	voting_reconsider(node, now);
	if (!nominee_requests(node))
		return (struct nominee_news){ .kind = NOMINEE_SAME };
	return nominee_ask(node, now);
}

bool
nominee_is_pending(const struct node *node)
{
	return nominee_requests(node) && !node->vote.nominee.lease.is_prevote;
}

bool
nominee_has_hope(const struct node *node, nsec_t now)
{
	unsigned count = voters_has_vote(node, now);

	for (const struct peer *p = node->peers; p < peers_end(node); p++)
		count += voters_votes(p) && !p->ballot.denies;
	return count >= voters_majority(node);
}

bool
nominee_is_paused(const struct node *node, nsec_t now)
{
	return now < node->vote.nominee.begin_at;
}

uint64_t
nominee_held(const struct node *node)
{
	return node->vote.nominee.lease.held;
}

nsec_t
nominee_until(const struct node *node)
{
	return lease_until(&node->vote.nominee.lease);
}

nsec_t
nominee_hand_out(struct node *node, nsec_t now)
{
	return lease_hand_out(&node->vote.nominee.lease, now);
}

nsec_t
nominee_handed_out(const struct node *node)
{
	return node->vote.nominee.lease.handed;
}

void
nominee_take_back(struct node *node, nsec_t now, nsec_t until)
{
	lease_take_back(&node->vote.nominee.lease, now, until);
}

void
nominee_finish(struct node *node)
{
	lease_finish(&node->vote.nominee.lease);
}

bool
nominee_yield(struct node *node, nsec_t now)
{
	lease_yield(&node->vote.nominee.lease, now);
	return node->vote.nominee.lease.held != 0;
}

bool
nominee_yields(const struct node *node)
{
	return node->vote.nominee.lease.capped != NSEC_NEVER;
}

void
nominee_resume(struct node *node)
{
	lease_resume(&node->vote.nominee.lease);
}

uint64_t
nominee_released(const struct node *node)
{
	const struct node_nominee *c = &node->vote.nominee;

	return c->releases_due > 0 && c->release_at == NSEC_NEVER
		   ? c->lease.spent
		   : 0;
}

uint64_t
nominee_bequeathed(const struct node *node)
{
	const struct node_nominee *c = &node->vote.nominee;

	if (c->lease.term == 0 && c->releases_due > 0)
		return c->lease.spent;
	return c->lease.term;
}

bool
nominee_request_of(const struct node *node, nsec_t now, const struct peer *p,
    struct vote_request *request)
{
	const struct lease *l = &node->vote.nominee.lease;

	*request = (struct vote_request){
		.term = l->term,
		.sent = now,
		.is_prevote = l->is_prevote,
		.admits = nominee_admits(node, now, p),
		.lease = node->setup.timing.lease,
		.config_id = node->setup.config_id,
	};
	return p->ballot.request_due && l->term != 0;
}

void
nominee_on_sent(struct peer *p)
{
	p->ballot.request_due = false;
}

nsec_t
nominee_deadline(const struct node *node)
{
	const struct node_nominee *c = &node->vote.nominee;
	nsec_t at = nsec_earlier(c->ask_at, c->release_at);

	return c->begin_at == 0 ? at : nsec_earlier(at, c->begin_at);
}

void
nominee_reset(struct peer *p)
{
	assert(!p->has_session);
	p->ballot.request_due = false;
	p->ballot.promised = 0;
}

void
nominee_check(const struct node *node)
{
	const struct node_nominee *c = &node->vote.nominee;

	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		assert(!p->ballot.request_due || p->has_session);
		assert(p->ballot.promised == 0 || p->has_session);
		assert(
		    !p->ballot.request_due || voters_number(p) != VOTER_NONE);
	}
	assert(c->denials <= DENIALS_MAX);
	assert(c->releases_due <= RELEASES);
	assert(c->release_at == NSEC_NEVER || c->releases_due > 0);
	assert(c->releases_due == 0 || c->lease.spent != 0);
	if (!node_is_quorum(node)) {
		assert(c->lease.term == 0);
		assert(nominee_deadline(node) == NSEC_NEVER);
		return;
	}
	lease_check(&c->lease);
	assert(c->lease.quorum == voters_majority(node));
	/* A node leads under quorum if and only if it holds a term. */
	assert(node_leads(node) == (c->lease.held != 0));
	assert(c->lease.term <= node->election.term);
}

void
nominee_check_lead(const struct node *node)
{
	if (!node_is_quorum(node))
		return;
	assert(nominee_held(node) ==
	       (node_leads(node) ? node->lead.beacon.term : 0));
}
