/* SPDX-License-Identifier: ISC */
/*
 * Our voter's answers to vote requests of peers (PROTOCOL.md, Voter): what it
 * may promise, which requests wait until the promise is durable, and the rivals
 * that it reports to a holder (Rivals). common/quorum/voter.h has the rules of
 * the voter itself.
 */
#include "common/node/node_inside.h"

/* A grant to the holder names the rival, while that one is eligible and
 * asks. */
void
voting_add_rival(
    struct node *node, nsec_t now, node_id nominee, struct vote_response *vote)
{
	const struct quorum *q = &node->quorum;
	const struct peer *p = peers_find(node, q->rival.id);

	assert(node_is_quorum(node));
	assert(nominee != NODE_NONE);
	vote->rival = (struct rank){ .id = NODE_NONE };
	vote->rival_term = 0;
	if (vote->denial != DENIAL_NONE || now >= q->rival_until ||
	    q->rival.id == nominee || (p != NULL && !p->rank.is_eligible))
		return;
	vote->rival = q->rival;
	vote->rival_term = q->rival_term;
}

/* When we deny a request because another node holds the lease, we remember the
 * nominee as the rival. */
static void
voting_note_rival(struct node *node, nsec_t now, struct peer *p)
{
	struct quorum *q = &node->quorum;

	assert(q->number != VOTER_NONE);
	/* While the holder hands over, its successor is no rival. */
	if (p->voting.response.denial == DENIAL_HELD && !q->voter.is_yielding) {
		q->rival = p->rank;
		q->rival_term = p->voting.response.term;
		q->rival_until = nsec_after(now, node_detection(node));
	}
	voting_add_rival(node, now, p->setup.id, &p->voting.response);
}

/*
 * False if the term is not credible, for our own elections could not go above
 * it; or if it is too soon for another promise, as each goes to the disk and a
 * faulty member could ask for many. An honest nominee asks again with its
 * heartbeat.
 */
static bool
voting_may_promise(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	struct quorum *q = &node->quorum;

	assert(!request->is_prevote);
	if (!election_credits(&node->election, request->term)) {
		drop_datagram(node, now, p, DROP_FORMAT);
		return false;
	}
	return request->term <= q->voter.promise.term || now >= q->promise_at;
}

enum request_outcome
voting_judge(struct node *node, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	struct voter *v = &node->quorum.voter;
	bool was_early = v->promise.is_early;
	enum request_outcome outcome;

	assert(node_is_quorum(node));
	assert(nominee.id != NODE_NONE);
	v->votes = quorum_has_vote(node, now);
	v->is_yielding = leadership_hands_over(node, v->holder);
	outcome = voter_answer(v, now, nominee, request, vote);
	/* The mark matters only after a restart, so nobody waits for the
	 * write. */
	if (was_early && !v->promise.is_early)
		node->disk.is_due = true;
	return outcome;
}

void
voting_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	struct voter *v = &node->quorum.voter;
	struct owner nominee = session_owner(p);
	bool is_new = nominee.id != v->holder.id;
	uint64_t before;

	assert(node_is_quorum(node));
	assert(p->has_session);
	if (node->quorum.number == VOTER_NONE ||
	    p->setup.role != ROLE_CANDIDATE)
		return;
	/* A later request of the nominee has overtaken this one. */
	if (request->sent < p->voting.request.sent &&
	    request->term <= p->voting.request.term)
		return;
	if (!request->is_prevote && !voting_may_promise(node, now, p, request))
		return;
	before = v->promise.term;
	p->voting.is_waiting = voting_judge(node, now, nominee, request,
				   &p->voting.response) == REQUEST_PENDING;
	if (v->promise.term != before)
		node->quorum.promise_at =
		    nsec_after(now, node->setup.heartbeat / 2);
	p->voting.request = *request;
	p->voting.response_due = !p->voting.is_waiting;
	voting_note_rival(node, now, p);
	if (!p->voting.is_waiting &&
	    (is_new || request->is_prevote ||
		p->voting.response.denial != DENIAL_NONE))
		peers_schedule(node, p);
}

void
voting_reconsider(struct node *node, nsec_t now)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!p->has_session ||
		    p->voting.response.denial != DENIAL_HELD ||
		    nsec_since(now, p->voting.requested_at) >
			node_detection(node))
			continue;
		voting_take_request(node, now, p, &p->voting.request);
		if (p->voting.response_due)
			peers_schedule(node, p);
	}
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
	       (p->voting.is_waiting ||
		   (hands_over && p->voting.request.term != 0));
}

void
voting_on_kept(struct node *node, nsec_t now)
{
	assert(node->quorum.voter.is_kept);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!voting_owes(node, p))
			continue;
		voting_take_request(node, now, p, &p->voting.request);
		peers_schedule(node, p);
	}
}

void
voting_reset(struct peer *p)
{
	struct peer_voting *v = &p->voting;

	assert(!p->has_session);
	v->votes = v->is_waiting = v->response_due = v->request_due = false;
	v->request = (struct vote_request){ .term = 0 };
	v->moved_to = 0;
	v->response.denial = DENIAL_NONE;
}
