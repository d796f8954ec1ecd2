/* SPDX-License-Identifier: ISC */
/*
 * Our voter's answers to vote requests of peers (PROTOCOL.md, Voter): what it
 * may promise, which requests wait until the promise is durable, and the rivals
 * that it reports to a holder (Rivals). common/quorum/voter.h has the rules of
 * the voter itself.
 */
#include "common/node/vote/vote.h"

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/voters.h"

/* Under component our voter has no vote, and keeps the promise of the durable
 * state as it is. */
void
voting_init(struct node *node, nsec_t now)
{
	const struct durable_state *r = &node->setup.durable;
	const struct config_id config_id = configs_voted(node);
	struct voter *v = &node->vote.voting.voter;
	nsec_t lease = node->setup.timing.lease;

	assert(v->promise.term == 0);
	if (!node_is_quorum(node)) {
		*v = (struct voter){
			.promise = r->promise,
			.is_kept = true,
			.quarantine_until = NSEC_NEVER,
		};
		node->vote.voting.bound_until = NSEC_NEVER;
		return;
	}
	assert(r->lease >= lease);
	node->vote.voting.bound_until = nsec_after(now, r->lease);
	voter_init(v, &r->promise, true, lease, &config_id,
	    node->vote.voting.bound_until);
}

void
voting_change(struct node *node, nsec_t now)
{
	struct node_voting *v = &node->vote.voting;
	nsec_t lease = node->setup.timing.lease;
	nsec_t until = nsec_after(now, v->voter.lease);

	if (!node_is_quorum(node))
		return;
	/* A still longer one, before that, may bind it for longer. */
	if (lease < v->voter.lease && v->bound_until < until)
		v->bound_until = until;
	voter_change(&v->voter, lease, &node->setup.config_id);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		struct peer_nominee *n = &p->nominee;

		n->is_waiting = n->response_due = n->is_rival = false;
		n->request = (struct vote_request){ .term = 0 };
		n->response.denial = DENIAL_NONE;
	}
}

const struct promise *
voting_promise(const struct node *node)
{
	return &node->vote.voting.voter.promise;
}

bool
voting_is_bound_longer(const struct node *node, nsec_t now)
{
	return now < node->vote.voting.bound_until;
}

bool
voting_moves_on(const struct node *node, uint64_t held)
{
	const struct promise *promise = &node->vote.voting.voter.promise;

	return voters_own_number(node) != VOTER_NONE && promise->is_early &&
	       promise->term > held;
}

/* The best eligible nominee that asks us while another node holds the lease; or
 * NULL. */
static const struct peer *
voting_rival(const struct node *node, nsec_t now)
{
	const struct peer *best = NULL;

	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->nominee.is_rival && p->rank.is_eligible &&
		    nsec_since(now, p->nominee.requested_at) <
			node_detection(node) &&
		    (best == NULL ||
			rank_better(&p->rank, &best->rank, node->setup.prefer)))
			best = p;
	}
	return best;
}

/* A grant to the holder names the rival. */
static void
voting_add_rival(struct node *node, nsec_t now, struct vote_response *vote)
{
	const struct peer *p = NULL;

	vote->rival = (struct rank){ .id = NODE_NONE };
	vote->rival_term = 0;
	if (vote->denial == DENIAL_NONE)
		p = voting_rival(node, now);
	if (p == NULL)
		return;
	vote->rival = p->rank;
	vote->rival_term = p->nominee.response.term;
}

/*
 * False if the term is not credible, for our own elections could not go above
 * it; or if its RELEASE has overtaken the request; or if it is too soon for
 * another promise, as each goes to the disk and a faulty member could ask for
 * many. An honest nominee asks again with its heartbeat.
 */
static bool
voting_may_promise(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	uint64_t promised = node->vote.voting.voter.promise.term;

	assert(!request->is_prevote);
	if (!election_credits(&node->election, request->term)) {
		drop_datagram(node, now, p, DROP_FORMAT);
		return false;
	}
	if (request->term <= promised)
		return true;
	return request->term > p->nominee.released &&
	       now >= node->vote.voting.promise_at;
}

/* True if `holder`, which our voter granted, is the leader that we follow and
 * says that it hands over. */
static bool
voting_is_handed_over(const struct node *node, struct owner holder)
{
	const struct beacon *beacon = &node->lead.beacon;

	return node->lead.is_fresh && beacon->hands_over &&
	       beacon->leader.id == holder.id &&
	       beacon->incarnation == holder.incarnation;
}

/* Lets our voter judge a request. REQUEST_PENDING: *vote is no answer yet, for
 * the promise must be durable first. */
static enum request_outcome
voting_judge(struct node *node, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	struct voter *v = &node->vote.voting.voter;

	assert(nominee.id != NODE_NONE);
	assert(voters_own_number(node) != VOTER_NONE);
	v->votes = voters_has_vote(node, now);
	v->is_yielding = voting_is_handed_over(node, v->holder);
	return voter_answer(v, now, nominee, request, vote);
}

bool
voting_ask_self(struct node *node, nsec_t now,
    const struct vote_request *request, struct vote_response *vote)
{
	if (!voters_has_vote(node, now) ||
	    voting_judge(node, now, voters_self(node), request, vote) ==
		REQUEST_PENDING)
		return false;
	voting_add_rival(node, now, vote);
	return true;
}

/* Lets our voter answer the latest request of a peer, or a later one. If that
 * takes a promise, the request waits until the promise is durable, and
 * voting_on_kept() answers it. */
static void
voting_answer(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	struct voter *v = &node->vote.voting.voter;
	struct owner nominee = session_owner(p);
	bool is_new = nominee.id != v->holder.id;
	uint64_t before;

	assert(p->has_session);
	if (voters_own_number(node) == VOTER_NONE ||
	    p->setup.role != ROLE_CANDIDATE)
		return;
	/* A later request of the nominee has overtaken this one. */
	if (request->sent < p->nominee.request.sent &&
	    request->term <= p->nominee.request.term)
		return;
	if (!request->is_prevote && !voting_may_promise(node, now, p, request))
		return;
	before = v->promise.term;
	p->nominee.is_waiting = voting_judge(node, now, nominee, request,
				    &p->nominee.response) == REQUEST_PENDING;
	if (v->promise.term != before)
		node->vote.voting.promise_at =
		    nsec_after(now, node->setup.timing.heartbeat / 2);
	p->nominee.request = *request;
	p->nominee.response_due = !p->nominee.is_waiting;
	/* While the holder hands over, its successor is no rival. */
	p->nominee.is_rival =
	    p->nominee.response.denial == DENIAL_HELD && !v->is_yielding;
	voting_add_rival(node, now, &p->nominee.response);
	if (!p->nominee.is_waiting &&
	    (is_new || request->is_prevote ||
		p->nominee.response.denial != DENIAL_NONE))
		peers_schedule(node, p);
}

/* An answer to the holder of the lease goes with our next heartbeat, which is
 * too late for a short lease if earlier requests were lost. */
void
voting_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	nsec_t beat = node->setup.timing.heartbeat;
	bool has_missed =
	    nsec_since(now, p->nominee.requested_at) > beat + beat / 2;

	p->nominee.requested_at = now;
	voting_answer(node, now, p, request);
	if (has_missed && p->nominee.response_due)
		peers_schedule(node, p);
}

void
voting_reconsider(struct node *node, nsec_t now)
{
	if (voters_own_number(node) == VOTER_NONE)
		return;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!p->has_session ||
		    p->nominee.response.denial != DENIAL_HELD ||
		    nsec_since(now, p->nominee.requested_at) >
			node_detection(node))
			continue;
		voting_answer(node, now, p, &p->nominee.request);
		if (p->nominee.response_due)
			peers_schedule(node, p);
	}
}

bool
voting_release(struct node *node, struct owner owner, uint64_t term)
{
	assert(owner.id != NODE_NONE);
	assert(term != 0);
	return voter_release(&node->vote.voting.voter, owner, term);
}

void
voting_withdraw(struct peer *p, uint64_t term)
{
	if (term > p->nominee.released)
		p->nominee.released = term;
	if (p->nominee.request.term > term)
		return;
	p->nominee.request.term = 0;
	p->nominee.is_waiting = p->nominee.is_rival = false;
	p->nominee.response.denial = DENIAL_NONE;
}

/* True if this peer sends a binding vote request that our voter has not
 * denied. If we have seen a later term it does not count: we would not
 * follow the peer. */
static bool
voting_is_nominee(const struct node *node, nsec_t now, const struct peer *p)
{
	return p->has_session && p->nominee.request.term != 0 &&
	       !p->nominee.request.is_prevote &&
	       p->nominee.request.term >= node->election.term &&
	       (p->nominee.is_waiting ||
		   p->nominee.response.denial == DENIAL_NONE) &&
	       node_is_recent(node, now, p->nominee.requested_at);
}

bool
voting_is_asked(const struct node *node, nsec_t now)
{
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (voting_is_nominee(node, now, p))
			return true;
	}
	return false;
}

bool
voting_keep(struct node *node, const struct durable_state *kept)
{
	struct voter *v = &node->vote.voting.voter;

	if (v->is_kept || kept->promise.term != v->promise.term ||
	    kept->lease < v->lease)
		return false;
	assert(kept->promise.owner.id == v->promise.owner.id);
	voter_kept(v);
	return true;
}

void
voting_admit(struct node *node, struct owner leader, uint64_t term)
{
	assert(leader.id != node->setup.self);
	voter_admit(&node->vote.voting.voter, leader, term);
}

/* True if we answer the peer's vote request now: it waits for our promise, or
 * the peer hands over and must learn what we promised its successor. */
static bool
voting_owes(const struct node *node, const struct peer *p)
{
	const struct beacon *beacon = &node->lead.beacon;
	bool hands_over = node->lead.is_fresh && beacon->hands_over &&
			  beacon->leader.id == p->setup.id;

	return p->has_session &&
	       (p->nominee.is_waiting ||
		   (hands_over && p->nominee.request.term != 0));
}

void
voting_on_kept(struct node *node, nsec_t now)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!voting_owes(node, p))
			continue;
		voting_answer(node, now, p, &p->nominee.request);
		peers_schedule(node, p);
	}
}

const struct vote_response *
voting_response(const struct peer *p)
{
	return p->nominee.response_due ? &p->nominee.response : NULL;
}

void
voting_on_sent(struct peer *p)
{
	p->nominee.response_due = false;
}

void
voting_reset(struct peer *p)
{
	struct peer_nominee *n = &p->nominee;

	assert(!p->has_session);
	n->is_waiting = n->response_due = n->is_rival = false;
	n->request = (struct vote_request){ .term = 0 };
	n->response.denial = DENIAL_NONE;
	n->released = 0;
}

void
voting_check(const struct node *node)
{
	const struct voter *v = &node->vote.voting.voter;

	assert(v->is_kept || node_is_quorum(node));
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		assert(!p->nominee.is_waiting || !p->nominee.response_due);
		assert(p->has_session || !p->nominee.is_waiting);
		assert(p->has_session || !p->nominee.response_due);
		assert(p->has_session || !p->nominee.is_rival);
		assert(p->has_session || p->nominee.request.term == 0);
		assert(p->has_session || p->nominee.released == 0);
	}
	if (node_is_quorum(node))
		voter_check(v);
}
