/* SPDX-License-Identifier: ISC */
/*
 * The guarantee "quorum" (PROTOCOL.md, Quorum), above the algorithm and
 * ignorant of it: who votes, whether a majority is heard, and the leader's side
 * of its lease: until when it leads, for whom it hands over, and how what was
 * claimed is given up. How it is won: node_nominee.c. What peers say:
 * node_vote.c.
 */
#include "common/node/node_private.h"

bool
node_is_quorum(const struct node *node)
{
	return node->setup.guarantee == GUARANTEE_QUORUM;
}

static bool
role_votes(enum role role)
{
	return role != ROLE_OBSERVER;
}

/* This node, as it is known to voters. */
struct owner
quorum_self(const struct node *node)
{
	return (
	    struct owner){ node->setup.self, node->setup.durable.incarnation };
}

/* May this node vote, and stand? */
bool
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

/* Do claims and votes go between us? */
bool
quorum_keeps(const struct node *node, const struct peer *p)
{
	return node_is_quorum(node) &&
	       (role_votes(node->setup.role) || role_votes(p->setup.role));
}

void
quorum_init(struct node *node, struct grant *grants, nsec_t now)
{
	struct quorum *q = &node->quorum;
	struct durable_state *r = &node->setup.durable;
	unsigned voters = 0;

	q->ask_at = q->release_at = NSEC_NEVER;
	if (!node_is_quorum(node))
		return;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->number = VOTER_NONE;
		if (role_votes(p->setup.role))
			p->number = voters++;
	}
	q->number = VOTER_NONE;
	if (role_votes(node->setup.role))
		q->number = voters++;
	if (r->lease < node->setup.lease)
		r->lease = node->setup.lease;
	voter_init(&q->voter, &r->promise, true, node->setup.lease,
	    nsec_after(now, r->lease));
	lease_init(&q->lease, node->setup.lease, grants, voters);
}

/* Voters that are heard and able, this node perhaps among them. */
unsigned
quorum_votes(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].votes;
	return count;
}

/*
 * Would an election make sense? Only with a majority that is heard also if all
 * that are in doubt turn out to be lost: when this node is cut off it misses
 * one after another, and no term is to be spent on that. If there is a leader,
 * it must reach that majority too: else this node would elect itself, to be
 * denied by all others.
 */
bool
quorum_holds(const struct node *node, nsec_t now, bool is_contest)
{
	unsigned count = quorum_has_vote(node, now);

	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		count += p->votes && (p->is_up || !is_contest) &&
			 !watch_doubts(node, now, p);
	}
	return count >= node->quorum.lease.quorum;
}

/* Does this node claim a term that it does not hold? */
static bool
quorum_requests(const struct node *node)
{
	const struct lease *l = &node->quorum.lease;

	return l->term != 0 && !l->is_prevote && l->held == 0;
}

/* The claim can still win: the voters that we hear and that have not denied it
 * form a majority. */
static bool
quorum_has_hope(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].votes && !node->peers[i].denies;
	return count >= node->quorum.lease.quorum;
}

/* Was what a peer says at present said only a moment ago? */
static bool
quorum_is_recent(const struct node *node, nsec_t now, nsec_t said)
{
	return nsec_since(now, said) <=
	       node_detection(node) + node->setup.heartbeat;
}

/* True if this peer claims a term that our voter has not denied. Not if we have
 * seen a later one: we would not follow it. */
static bool
quorum_is_nominee(const struct node *node, nsec_t now, const struct peer *p)
{
	return p->has_session && p->request.term != 0 &&
	       !p->request.is_prevote &&
	       p->request.term >= node->election.term &&
	       (p->is_waiting || p->vote.denial == DENIAL_NONE) &&
	       quorum_is_recent(node, now, p->requested_at);
}

/* Does this node claim a term, or hear a claimant that it does not deny it? */
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
 * Is a claim pending, that this node or one that it hears knows of? Then no
 * election begins, or begins again. It would not be won any sooner: a voter
 * that is about to promise the one term can write the next only when it has
 * written that. But it would throw away the promises that are about to make a
 * leader, again and again where a disk takes longer than the bound of an
 * election. The claimant alone judges whether its claim is hopeless; once it is
 * gone, or claims no more, nobody waits for it.
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

		if (p->sees_request && p->is_up &&
		    quorum_is_recent(node, now, p->stamped))
			return true;
	}
	return quorum_sees_request(node, now);
}

/* Tells when a majority comes into hearing, or goes out of it. */
void
quorum_look(struct node *node, nsec_t now)
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
		quorum_drop(node, now);
}

/*
 * A nominee asks in vain, as we hold the lease. If it is better, or we have no
 * part in elections, we hand over: it may be that it cannot tell us itself. If
 * not, it was elected without us, and as its term is later it will not follow:
 * an election above both.
 */
void
quorum_heed(struct node *node, nsec_t now, const struct vote_response *vote)
{
	const struct reason merge = { REASON_MERGE, vote->rival.id };
	struct rank self = node_rank(node, now);

	if (!vote->rival.is_eligible || !node_leads(node) ||
	    vote->term != node->quorum.lease.term)
		return;
	if (rank_better(&vote->rival, &self, node->setup.prefer) ||
	    !node_takes_part(node))
		handover_make(node, now,
		    (struct reason){ REASON_PREEMPT, node->setup.self }, false,
		    NODE_NONE);
	else if (vote->rival_term > node->quorum.lease.term &&
		 !node->election.is_open && node_may_begin(node, now) &&
		 election_saw(&node->election, vote->rival_term)) {
		node_begin_election(node, now, merge);
		quorum_back_off(node, now);
	}
}

/* Gives up what was claimed, and tells so as soon as that may be told. */
void
quorum_drop(struct node *node, nsec_t now)
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
quorum_release(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	q->release_at = NSEC_NEVER;
	voter_release(&q->voter, quorum_self(node), q->lease.spent);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p->number != VOTER_NONE)
			peer_tell(node, p);
	}
	quorum_reconsider(node, now);
}

bool
quorum_releases(const struct node *node)
{
	const struct quorum *q = &node->quorum;

	return q->releases_due > 0 && q->release_at == NSEC_NEVER;
}

/* With each heartbeat. */
void
quorum_beat(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	if (quorum_releases(node))
		q->releases_due--;
	quorum_ask(node, now);
}

void
quorum_tick(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	if (now >= q->release_at)
		quorum_release(node, now);
	if (now >= q->ask_at)
		quorum_ask(node, now);
	if (now >= q->begin_at)
		q->begin_at = 0;
}

/* Until when may whom we follow be taken for the leader? 0: not known. */
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

/* Is its time over? */
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
