/* SPDX-License-Identifier: ISC */
/*
 * The guarantee "quorum" (protocol.md B), above the algorithm and ignorant of
 * it: what an algorithm decides is a nomination. The nominee asks the voters,
 * then claims the term; it leads once a majority has granted it, and then its
 * pulse, not the algorithm, makes it known. Here are the claims and votes on
 * their way between this node's lease, its voter and its peers.
 *
 *   nominated --dry--> would be granted --claims--> leads --lease ends--> gives
 *       |  denied: asks again          promise durable     |  or yields    up
 *       +--- promised elsewhere: a new election            +--- RELEASE --+
 */
#include "common/node_private.h"

#include <inttypes.h>

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
static struct owner
quorum_self(const struct node *node)
{
	return (
	    struct owner){ node->setup.self, node->setup.record.incarnation };
}

/* May this node vote, and stand? */
bool
quorum_is_able(const struct node *node, nsec_t now)
{
	return node->setup.memory == MEMORY_SOUND &&
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
quorum_init(struct node *node, struct support *supports, nsec_t now)
{
	struct quorum *q = &node->quorum;
	struct record *r = &node->setup.record;
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
	lease_init(&q->lease, node->setup.lease, supports, voters);
}

/* Voters that are heard and able, this node perhaps among them. A link that
 * flapped is not up yet in elections, but claims go by it. */
unsigned
quorum_votes(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	for (unsigned i = 0; i < node->peers_count; i++)
		count += node->peers[i].votes;
	return count;
}

/*
 * May an election begin? Only with a majority that is heard also if all that
 * are in doubt turn out to be lost: when this node is cut off it misses one
 * after another, and no term is to be spent on that.
 */
bool
quorum_may_begin(const struct node *node, nsec_t now)
{
	unsigned count = quorum_has_vote(node, now);

	if (now < node->quorum.begin_at)
		return false;
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		count += p->votes && !detector_doubts(&p->detector, now,
					 node->setup.misses, node->health);
	}
	return count >= node->quorum.lease.quorum;
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

/* Every voter is to hear our claim now. */
static void
quorum_tell(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->claim_due = p->has_session && p->number != VOTER_NONE;
		p->datagram_due |= p->claim_due;
	}
}

static void
quorum_won(struct node *node, nsec_t now)
{
	struct pulse pulse = {
		.term = node->quorum.lease.held,
		.leader = node_rank(node, now),
		.incarnation = node->setup.record.incarnation,
		.cause = node->election.cause,
	};

	node_trace(node, now, "a majority granted term %" PRIu64, pulse.term);
	pulse.leader.stands |= node->is_leaving && node_leads(node);
	if (!pulse.leader.stands) {
		quorum_drop(node, now);
		return;
	}
	node->is_starting = false;
	election_settle(&node->election);
	node_follow(node, now, &pulse, pulse.cause, NSEC_NEVER);
}

/*
 * A nominee asks in vain, as we hold the lease. If it is better, or we have no
 * part in elections, we make room: it may be that it cannot tell us itself. If
 * not, it was elected without us,
 * and as its term is later it will not follow: an election above both.
 */
static void
quorum_heed(struct node *node, nsec_t now, const struct vote *vote)
{
	const struct cause merge = { CAUSE_MERGE, vote->rival.id };
	struct rank self = node_rank(node, now);

	if (!vote->rival.stands || !node_leads(node) ||
	    vote->term != node->quorum.lease.term)
		return;
	if (rank_better(&vote->rival, &self, node->setup.prefer) ||
	    !node_takes_part(node))
		quorum_yield(
		    node, now, (struct cause){ CAUSE_PREEMPT, vote->rival.id });
	else if (vote->promised > node->quorum.lease.term &&
		 !node->election.is_open && node_may_begin(node, now) &&
		 election_saw(&node->election, vote->promised)) {
		node_begin_election(node, now, merge);
		quorum_back_off(node, now);
	}
}

/* Tells whom it grants who asks in vain. */
void
quorum_add_rival(const struct node *node, nsec_t now, struct vote *vote)
{
	const struct quorum *q = &node->quorum;

	vote->rival = (struct rank){ .id = NODE_NONE };
	if (vote->denial != DENIAL_NONE || now >= q->rival_until)
		return;
	vote->rival = q->rival;
	vote->promised = q->rival_term;
}

static void
quorum_granted(
    struct node *node, nsec_t now, unsigned number, const struct vote *vote)
{
	struct lease *l = &node->quorum.lease;

	quorum_heed(node, now, vote);
	/* Who has seen a later term would not follow us. */
	if (l->held == 0 && l->term < node->election.term)
		return;
	switch (lease_grant(l, now, number, vote)) {
	case LEASE_SAME:
		break;
	case LEASE_WOULD:
		lease_claim(l, now);
		quorum_ask(node, now);
		break;
	case LEASE_WON:
		quorum_won(node, now);
		break;
	}
}

/* Begins no election for so long. */
void
quorum_pause(struct node *node, nsec_t now, nsec_t pause)
{
	node->quorum.begin_at = nsec_after(now, pause);
}

/* Two nominees that do not meet in the algorithm would outbid each other
 * without end: one of them is to have the time that a claim takes. */
void
quorum_back_off(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	quorum_pause(node, now,
	    random_between(
		&node->random, MSEC, node->setup.heartbeat << q->denials));
	q->denials += q->denials < DENIALS_MAX;
}

/* Our claim is of no use: another has this term, or a later one. */
static void
quorum_outdone(struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	/* An election above it is under way. */
	if (node->election.is_open && node->election.run_term > promised)
		return;
	if (!election_saw(&node->election, promised))
		return;
	if (node->quorum.lease.held != 0) {
		if (node_may_begin(node, now))
			node_begin_election(
			    node, now, (struct cause){ CAUSE_DENIED, voter });
	} else {
		quorum_drop(node, now);
		election_settle(&node->election);
	}
	quorum_back_off(node, now);
}

static void
quorum_denied(
    struct node *node, nsec_t now, node_id voter, const struct vote *vote)
{
	struct quorum *q = &node->quorum;
	nsec_t wait = (nsec_t)vote->wait_ms * MSEC;

	if (q->lease.term == 0 || vote->term != q->lease.term)
		return;
	node_trace(node, now,
	    "%" PRIu32 " denies term %" PRIu64 ": %s, for %" PRIu32 " ms",
	    voter, vote->term, denial_name(vote->denial), vote->wait_ms);
	if (vote->denial == DENIAL_PROMISED && vote->promised >= vote->term)
		quorum_outdone(node, now, voter, vote->promised);
	else if (wait > 0 && q->lease.held == 0)
		q->ask_at = nsec_earlier(q->ask_at,
		    nsec_after(now, wait > ASK_GAP ? wait : ASK_GAP));
}

void
quorum_vote(struct node *node, nsec_t now, node_id voter, unsigned number,
    const struct vote *vote)
{
	if (vote->denial == DENIAL_NONE)
		quorum_granted(node, now, number, vote);
	else
		quorum_denied(node, now, voter, vote);
}

/* Our own vote. A promise must be durable like any other's. */
static void
quorum_ask_self(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	const struct claim claim = {
		.term = q->lease.term,
		.sent = now,
		.is_dry = q->lease.is_dry,
	};
	struct vote vote;

	if (q->number == VOTER_NONE || !quorum_has_vote(node, now))
		return;
	q->voter.votes = true;
	if (voter_claim(&q->voter, now, quorum_self(node), &claim, &vote) ==
	    CLAIM_PENDING)
		return;
	quorum_add_rival(node, now, &vote);
	quorum_vote(node, now, node->setup.self, q->number, &vote);
}

/* Claims once more: renews the lease, or asks again for what was denied. */
void
quorum_ask(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;

	q->ask_at = NSEC_NEVER;
	if (q->lease.term == 0)
		return;
	quorum_tell(node);
	quorum_ask_self(node, now);
}

/* The algorithm has decided for this node. */
void
quorum_nominate(struct node *node, nsec_t now, uint64_t term)
{
	struct lease *l = &node->quorum.lease;

	if (!node_rank(node, now).stands || term <= l->spent || term <= l->held)
		return;
	node_trace(node, now, "nominated -> ask for term %" PRIu64, term);
	lease_want(l, now, term);
	quorum_ask(node, now);
}

/* The algorithm has decided for another: a sitting leader makes room. */
void
quorum_yield(struct node *node, nsec_t now, struct cause cause)
{
	struct quorum *q = &node->quorum;

	if (q->lease.capped == NSEC_NEVER)
		q->yield_cause = cause;
	lease_yield(&q->lease, now);
}

/*
 * A later term was seen: what an earlier one nominated us for is over, as not
 * all would follow. Unless an election of that term has reached us, we begin
 * one.
 */
void
quorum_renounce(struct node *node, nsec_t now)
{
	const struct lease *l = &node->quorum.lease;
	const struct election *e = &node->election;

	if (l->term == 0 || l->held != 0 || l->term >= e->term)
		return;
	quorum_drop(node, now);
	if (e->run_term < e->term && node_may_begin(node, now))
		node_begin_election(node, now, e->cause);
}

/* Gives up what was claimed, and tells so as soon as that may be told. */
void
quorum_drop(struct node *node, nsec_t now)
{
	struct quorum *q = &node->quorum;
	bool is_serious = q->lease.term != 0 && !q->lease.is_dry;

	q->ask_at = NSEC_NEVER;
	q->release_at = lease_drop(&q->lease, now);
	q->releases_due = is_serious ? RELEASES : q->releases_due;
	if (q->releases_due == 0)
		q->release_at = NSEC_NEVER;
}

/* The moment has come: our own voter first, and all others. */
static void
quorum_release(struct node *node)
{
	struct quorum *q = &node->quorum;

	q->release_at = NSEC_NEVER;
	voter_release(&q->voter, quorum_self(node), q->lease.spent);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->datagram_due |= p->has_session && p->number != VOTER_NONE;
	}
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
		quorum_release(node);
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
	return node->quorum.tenure_until;
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
