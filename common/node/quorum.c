/* SPDX-License-Identifier: ISC */
/*
 * The guarantee "quorum" as this node sees it (PROTOCOL.md, Quorum): which
 * voters it hears, whether a majority is heard, whether a vote request is
 * pending (Pending requests), and until when its leader may be taken for it
 * (Lease, Lease left). This layer does not depend on the algorithm. candidate.c
 * requests votes and gives them up, voting.c answers requests.
 */
#include "common/node/node_inside.h"

struct owner
quorum_self(const struct node *node)
{
	assert(node->setup.self != NODE_NONE);
	assert(node->setup.durable.incarnation > 0);
	return (
	    struct owner){ node->setup.self, node->setup.durable.incarnation };
}

/* True if our durable state may be trusted and our id is not in use twice. */
static bool
quorum_is_able(const struct node *node, nsec_t now)
{
	return node->setup.state_health == STATE_HEALTH_SOUND &&
	       !node_is_duplicate(node, now);
}

bool
quorum_has_vote(const struct node *node, nsec_t now)
{
	return role_votes(node->setup.role) && quorum_is_able(node, now);
}

void
quorum_init(struct node *node, struct grant *grants, nsec_t now)
{
	struct quorum *q = &node->quorum;
	struct durable_state *r = &node->setup.durable;
	unsigned voters = 0;

	assert(q->lease.term == 0);
	assert(!q->is_there);
	q->ask_at = q->release_at = NSEC_NEVER;
	if (!node_is_quorum(node))
		return;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->voting.number = VOTER_NONE;
		if (role_votes(p->setup.role))
			p->voting.number = voters++;
	}
	q->number = VOTER_NONE;
	if (role_votes(node->setup.role))
		q->number = voters++;
	if (r->lease < node->setup.lease)
		r->lease = node->setup.lease;
	voter_init(&q->voter, &r->promise, true, node->setup.lease,
	    nsec_after(now, r->lease));
	assert(voters <= node->peers_count + 1);
	lease_init(&q->lease, node->setup.lease, grants, voters);
}

unsigned
quorum_votes(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].voting.votes;
	return count;
}

/*
 * A node that is cut off misses one peer after another. It must not spend a
 * term on that, so voters in doubt do not count. If another node leads, this
 * node must reach the majority too: else it would elect itself, and all others
 * would deny its vote request.
 */
bool
quorum_holds(const struct node *node, nsec_t now, bool is_contest)
{
	unsigned count = quorum_has_vote(node, now);

	assert(node_is_quorum(node));
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		count += p->voting.votes && (p->is_up || !is_contest) &&
			 !liveness_doubts(node, now, p);
	}
	return count >= node->quorum.lease.quorum;
}

/* True if this node sends a binding vote request for a term that it does not
 * hold. */
static bool
quorum_requests(const struct node *node)
{
	const struct lease *l = &node->quorum.lease;

	return l->term != 0 && !l->is_prevote && l->held == 0;
}

/* True if our vote request can still win: the voters that we hear and that have
 * not denied it are a majority. */
static bool
quorum_has_hope(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	assert(node_is_quorum(node));
	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].voting.votes &&
			 !node->peers[i].voting.denies;
	return count >= node->quorum.lease.quorum;
}

/* True if what a peer says with each heartbeat was said within a detection and
 * a heartbeat. */
static bool
quorum_is_recent(const struct node *node, nsec_t now, nsec_t said)
{
	assert(node->setup.heartbeat > 0);
	return nsec_since(now, said) <=
	       node_detection(node) + node->setup.heartbeat;
}

/* True if this peer sends a binding vote request that our voter has not
 * denied. If we have seen a later term it does not count: we would not
 * follow the peer. */
static bool
quorum_is_nominee(const struct node *node, nsec_t now, const struct peer *p)
{
	assert(node_is_quorum(node));
	return p->has_session && p->voting.request.term != 0 &&
	       !p->voting.request.is_prevote &&
	       p->voting.request.term >= node->election.term &&
	       (p->voting.is_waiting ||
		   p->voting.response.denial == DENIAL_NONE) &&
	       quorum_is_recent(node, now, p->voting.requested_at);
}

bool
quorum_sees_request(const struct node *node, nsec_t now)
{
	if (!node_is_quorum(node) || node->lead.is_fresh)
		return false;
	if (quorum_requests(node))
		return true;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (quorum_is_nominee(node, now, &node->peers[i]))
			return true;
	}
	return false;
}

/*
 * An election would not be won sooner: a voter that is writing one promise can
 * write the next only afterwards. But it would throw away the promises that are
 * about to make a leader, again and again where a disk is slower than the bound
 * of an election. Only the nominee judges whether its request has hope. Once
 * the nominee is gone, or requests no more, nobody waits for it.
 */
bool
quorum_awaits(const struct node *node, nsec_t now)
{
	if (node->lead.is_fresh)
		return false;
	if (quorum_requests(node))
		return quorum_has_hope(node, now);
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (p->voting.sees_request && p->is_up &&
		    quorum_is_recent(node, now, stamps_heard(p)))
			return true;
	}
	return quorum_sees_request(node, now);
}

bool
quorum_releases(const struct node *node)
{
	const struct quorum *q = &node->quorum;

	assert(q->releases_due == 0 || node_is_quorum(node));
	return q->releases_due > 0 && q->release_at == NSEC_NEVER;
}

nsec_t
quorum_until(const struct node *node)
{
	node_id leader = lead_id(&node->lead);

	if (!node_is_quorum(node) || leader == NODE_NONE)
		return 0;
	if (leader == node->setup.self)
		return lease_until(&node->quorum.lease);
	return node->quorum.lease_left_until;
}

bool
quorum_is_over(const struct node *node, nsec_t now)
{
	nsec_t until = quorum_until(node);

	if (!node_is_quorum(node))
		return false;
	if (lead_id(&node->lead) == node->setup.self)
		return now >= until;
	return until != 0 && now >= until;
}

nsec_t
quorum_deadline(const struct node *node)
{
	nsec_t until = quorum_until(node);
	nsec_t at = nsec_earlier(node->quorum.ask_at, node->quorum.release_at);

	if (node->quorum.begin_at != 0)
		at = nsec_earlier(at, node->quorum.begin_at);
	return until == 0 ? at : nsec_earlier(at, until);
}

/* The end of a lease left, counted from when we sent the datagram of that
 * stamp. The clocks may drift: ours may be slow, that of the peer fast. */
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

	assert(node_is_quorum(node));
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

	assert(node_is_quorum(node));
	*request = (struct vote_request){ l->term, now, l->is_prevote };
	return p->voting.request_due && l->term != 0;
}

bool
quorum_lease_left_of(const struct node *node, nsec_t now, const struct peer *p,
    struct lease_left *t)
{
	nsec_t left = stamps_latest(p) == 0
			  ? 0
			  : nsec_since(quorum_until(node), stamps_heard(p));

	assert(node_is_quorum(node));
	assert(node->lead.is_fresh);
	if (left / USEC > UINT32_MAX)
		left = (nsec_t)UINT32_MAX * USEC;
	*t = (struct lease_left){ stamps_latest(p), (uint32_t)(left / USEC) };
	return left / DRIFT_FAST * DRIFT_SLOW >
	       nsec_since(now, stamps_heard(p));
}
