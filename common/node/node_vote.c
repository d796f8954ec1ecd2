/* SPDX-License-Identifier: ISC */
/*
 * What peers say of claims (claim.h), on its way in and out of datagrams; and
 * the record that must be durable before a grant leaves.
 */
#include "common/node/node_private.h"

/* Tells whom it grants who else asks in vain, if that one still wants it. */
void
quorum_add_rival(
    struct node *node, nsec_t now, node_id nominee, struct vote_response *vote)
{
	const struct quorum *q = &node->quorum;
	const struct peer *p = node_find(node, q->rival.id);

	vote->rival = (struct rank){ .id = NODE_NONE };
	vote->rival_term = 0;
	if (vote->denial != DENIAL_NONE || now >= q->rival_until ||
	    q->rival.id == nominee || (p != NULL && !p->rank.is_eligible))
		return;
	vote->rival = q->rival;
	vote->rival_term = q->rival_term;
}

/* Who is denied what another holds is named to that one, with its grants. */
static void
quorum_note_rival(struct node *node, nsec_t now, struct peer *p)
{
	struct quorum *q = &node->quorum;

	/* Whom a holder hands over for is no rival of its. */
	if (p->vote.denial == DENIAL_HELD && !q->voter.is_yielding) {
		q->rival = p->rank;
		q->rival_term = p->vote.term;
		q->rival_until = nsec_after(now, node_detection(node));
	}
	quorum_add_rival(node, now, p->setup.id, &p->vote);
}

/*
 * May this be promised? Nothing that this node's own elections could not go
 * above; and not one after another as fast as a member gone bad can claim them,
 * since each goes to the disk: an honest one claims again with its heartbeat.
 */
static bool
quorum_may_promise(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	struct quorum *q = &node->quorum;

	if (!election_credits(&node->election, request->term)) {
		node_drop(node, now, p, DROP_FORMAT);
		return false;
	}
	return request->term <= q->voter.promise.term || now >= q->promise_at;
}

/* Our voter's answer to a claim. */
enum request_outcome
quorum_judge(struct node *node, nsec_t now, struct owner nominee,
    const struct vote_request *request, struct vote_response *vote)
{
	struct voter *v = &node->quorum.voter;
	bool was_early = v->promise.is_early;
	enum request_outcome receipt;

	v->votes = quorum_has_vote(node, now);
	v->is_yielding = handover_is_made_by(node, v->holder);
	receipt = voter_answer(v, now, nominee, request, vote);
	/* For after a restart; nobody waits for it. */
	if (was_early && !v->promise.is_early)
		node->persist_due = true;
	return receipt;
}

/* A peer claims a term, or asks whether it may. */
void
quorum_take_request(struct node *node, nsec_t now, struct peer *p,
    const struct vote_request *request)
{
	struct voter *v = &node->quorum.voter;
	struct owner nominee = { p->setup.id, p->session.incarnation };
	bool is_new = nominee.id != v->holder.id;
	uint64_t before;

	if (node->quorum.number == VOTER_NONE ||
	    p->setup.role != ROLE_CANDIDATE)
		return;
	/* A question that its claim has overtaken. */
	if (request->sent < p->request.sent && request->term <= p->request.term)
		return;
	if (!request->is_prevote && !quorum_may_promise(node, now, p, request))
		return;
	before = v->promise.term;
	p->is_waiting = quorum_judge(node, now, nominee, request, &p->vote) ==
			REQUEST_PENDING;
	if (v->promise.term != before)
		node->quorum.promise_at =
		    nsec_after(now, node->setup.heartbeat / 2);
	p->request = *request;
	p->vote_due = !p->is_waiting;
	quorum_note_rival(node, now, p);
	if (!p->is_waiting &&
	    (is_new || request->is_prevote || p->vote.denial != DENIAL_NONE))
		peer_tell(node, p);
}

/* Whoever was denied what another holds may be granted it now, or promised. */
void
quorum_reconsider(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;

	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!p->has_session || p->vote.denial != DENIAL_HELD ||
		    nsec_since(now, p->requested_at) > node_detection(node))
			continue;
		quorum_take_request(node, now, p, &p->request);
		if (p->vote_due)
			peer_tell(node, p);
	}
	if (l->term != 0 && l->held == 0)
		quorum_ask(node, now);
}

void
quorum_take_vote(struct node *node, nsec_t now, struct peer *p,
    const struct vote_response *vote)
{
	if (p->number == VOTER_NONE)
		return;
	if (vote->term == node->quorum.lease.term && !vote->is_prevote)
		p->denies = vote->denial != DENIAL_NONE;
	quorum_vote(node, now, p->setup.id, p->number, vote);
}

/* A process has given up its terms up to this one, or is dead and cannot use
 * them; if we wait for that, we ask at once. */
void
quorum_take_release(
    struct node *node, nsec_t now, struct owner owner, uint64_t term)
{
	if (voter_release(&node->quorum.voter, owner, term))
		quorum_reconsider(node, now);
}

/*
 * Until when the leader may be taken for it, told with its beacon: counted from
 * when we sent the datagram of that stamp, which was before it came in. Slower
 * here, and faster there, as clocks may be.
 */
static nsec_t
lease_left_end(const struct node *node, nsec_t now, const struct lease_left *t)
{
	uint32_t elapsed = (uint32_t)(now / USEC) - t->stamp;
	nsec_t told = nsec_earlier(t->valid_us * USEC, node->setup.lease);
	nsec_t valid = told / DRIFT_FAST * DRIFT_SLOW;

	if (elapsed > UINT32_MAX / 2)
		return 0;
	return nsec_after(nsec_since(now, elapsed * USEC), valid);
}

/* May this beacon be believed? Whoever leads by a lease says how long it
 * has. */
bool
quorum_credits(const struct node *node, nsec_t now, const struct beacon *beacon,
    const struct lease_left *t)
{
	if (!node_is_quorum(node) || beacon->leader.id == NODE_NONE)
		return true;
	return t != NULL && lease_left_end(node, now, t) > now;
}

void
quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t)
{
	const struct beacon *mine = &node->lead.beacon;
	nsec_t until = lease_left_end(node, now, t);

	if (node->lead.is_fresh && beacon->term == mine->term &&
	    beacon->leader.id == mine->leader.id &&
	    beacon->incarnation == mine->incarnation &&
	    until > node->quorum.lease_left_until)
		node->quorum.lease_left_until = until;
}

bool
quorum_request_of(const struct node *node, nsec_t now, const struct peer *p,
    struct vote_request *request)
{
	const struct lease *l = &node->quorum.lease;

	*request = (struct vote_request){ l->term, now, l->is_prevote };
	return p->request_due && l->term != 0;
}

/* What is left of the leader's time, to tell this peer; false: it would find
 * that nothing is. */
bool
quorum_lease_left_of(const struct node *node, nsec_t now, const struct peer *p,
    struct lease_left *t)
{
	nsec_t left =
	    p->stamp == 0 ? 0 : nsec_since(quorum_until(node), p->stamped);

	if (left / USEC > UINT32_MAX)
		left = (nsec_t)UINT32_MAX * USEC;
	*t = (struct lease_left){ p->stamp, (uint32_t)(left / USEC) };
	return left / DRIFT_FAST * DRIFT_SLOW > nsec_since(now, p->stamped);
}

/* Nothing is written any more: neither votes nor stands this node. */
void
node_distrust(struct node *node, nsec_t now, enum state_health memory)
{
	if (node->setup.state_health == memory)
		return;
	node->setup.state_health = memory;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_STATE_FILE, .state_health = memory });
	quorum_look(node, now);
}

/* The record as it is to be; false: as it is already, or as it cannot be. */
bool
node_record(struct node *node, nsec_t now, struct durable_state *record)
{
	struct durable_state *r = &node->setup.durable;
	const struct voter *v = &node->quorum.voter;

	bool is_due =
	    node->persist_due || (node_is_quorum(node) && !v->is_kept);

	if (!is_due || node->is_persisting || !node->can_persist)
		return false;
	node->persist_due = false;
	if (node_is_quorum(node)) {
		r->promise = v->promise;
		if (now >= v->quarantine_until)
			r->lease = node->setup.lease;
	}
	node->is_persisting = true;
	node->persisting = *r;
	*record = *r;
	return true;
}

/* Whoever hands over is to know that the next leader is promised its term, even
 * if its last claim has been answered. */
static bool
quorum_owes(const struct node *node, const struct peer *p)
{
	const struct beacon *beacon = &node->lead.beacon;
	bool hands_over = node->lead.is_fresh && beacon->hands_over &&
			  beacon->leader.id == p->setup.id;

	return p->has_session &&
	       (p->is_waiting || (hands_over && p->request.term != 0));
}

/* The promise is durable: who waits for it is answered. */
static void
quorum_kept(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	const struct promise *kept = &node->persisting.promise;

	if (!node_is_quorum(node) || kept->term != q->voter.promise.term ||
	    q->voter.is_kept)
		return;
	voter_kept(&q->voter);
	if (kept->owner.id == node->setup.self)
		quorum_ask(node, now);
	else if (q->lease.term != 0)
		quorum_ask_self(node, now);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!quorum_owes(node, p))
			continue;
		quorum_take_request(node, now, p, &p->request);
		peer_tell(node, p);
	}
}

void
node_persisted(struct node *node, nsec_t now, bool ok)
{
	assert(node->is_persisting || !ok);
	node_wake(node, now);
	node->is_persisting = false;
	if (!ok ||
	    node->persisting.incarnation == node->setup.durable.incarnation)
		node->is_mute = false;
	if (!ok) {
		node->can_persist = false;
		node_distrust(node, now, STATE_HEALTH_FAILED);
	}
	if (node->is_stopping)
		return;
	if (ok)
		quorum_kept(node, now);
	node_conclude(node, now);
}
