/* SPDX-License-Identifier: ISC */
/*
 * The guarantee "quorum" as this node sees it (PROTOCOL.md, Quorum): whether it
 * has a majority, whether a vote request is pending (Pending requests), and
 * until when its leader may be taken for it (Lease, Lease left). Under
 * "component" there always is a majority, no request is ever pending, and
 * nothing limits a leader. voters.c knows the voters, nominee.c requests
 * votes, voting.c answers requests.
 */
#include "common/node/vote/vote.h"

#include "common/node/context.h"
#include "common/node/peer/timestamps.h"
#include "common/node/watch/voters.h"

/* The most that a frame can say is left of a lease. */
#define LEASE_LEFT_MAX ((nsec_t)UINT32_MAX * USEC)

void
quorum_init(struct node *node)
{
	assert(!node->vote.quorum.was_lost);
	assert(node->vote.quorum.lease_left_until == 0);
	node->vote.quorum.is_there = voters_majority(node) == 0;
}

bool
quorum_is_there(const struct node *node)
{
	return node->vote.quorum.is_there;
}

bool
quorum_was_lost(const struct node *node)
{
	return node->vote.quorum.was_lost;
}

void
quorum_look(struct node *node, nsec_t now)
{
	struct quorum *q = &node->vote.quorum;
	bool is_there = voters_are_there(node, now);

	if (is_there == q->is_there)
		return;
	assert(node_is_quorum(node));
	q->is_there = is_there;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_QUORUM, .on = is_there });
	if (is_there)
		return;
	q->was_lost = true;
	election_settle(&node->election);
	/* The voters that have granted us become free for other nominees. */
	if (nominee_held(node) == 0)
		nominee_drop(node, now);
}

void
quorum_on_leader(struct node *node)
{
	assert(node->lead.is_fresh);
	node->vote.quorum.lease_left_until = 0;
	node->vote.quorum.was_lost = false;
}

bool
quorum_trusts_state(const struct node *node)
{
	return !node_is_quorum(node) ||
	       node->setup.state_health == STATE_HEALTH_SOUND;
}

bool
quorum_sees_request(const struct node *node, nsec_t now)
{
	if (node->lead.is_fresh || voters_majority(node) == 0)
		return false;
	return nominee_is_pending(node) || voting_is_asked(node, now);
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
	if (node->lead.is_fresh || voters_majority(node) == 0)
		return false;
	if (nominee_is_pending(node))
		return nominee_has_hope(node, now);
	return voters_see_request(node, now) || quorum_sees_request(node, now);
}

nsec_t
quorum_until(const struct node *node)
{
	if (!node->lead.is_fresh)
		return 0;
	return node_leads(node) ? nominee_until(node)
				: node->vote.quorum.lease_left_until;
}

bool
quorum_is_over(const struct node *node, nsec_t now)
{
	nsec_t until = quorum_until(node);

	if (until != 0)
		return now >= until;
	/* A leader that holds no lease does not lead. */
	return node_is_quorum(node) && node_leads(node);
}

nsec_t
quorum_deadline(const struct node *node)
{
	nsec_t until = quorum_until(node);

	return until == 0 ? NSEC_NEVER : until;
}

/* The end of a lease left, counted from when we sent the datagram of that
 * timestamp. The clocks may drift: ours may be slow, that of the peer fast. */
static nsec_t
quorum_lease_left_end(
    const struct node *node, nsec_t now, const struct lease_left *t)
{
	uint32_t elapsed = (uint32_t)(now / USEC) - t->timestamp;
	nsec_t told =
	    nsec_earlier(t->valid_us * USEC, node->setup.timing.lease);
	nsec_t valid = told / DRIFT_FAST * DRIFT_SLOW;

	if (elapsed > UINT32_MAX / 2)
		return 0;
	return nsec_after(nsec_since(now, elapsed * USEC), valid);
}

bool
quorum_credits(const struct node *node, nsec_t now, const struct beacon *beacon,
    const struct lease_left *t)
{
	if (voters_majority(node) == 0 || beacon->leader.id == NODE_NONE)
		return true;
	return t != NULL && quorum_lease_left_end(node, now, t) > now;
}

void
quorum_take_lease_left(struct node *node, nsec_t now,
    const struct beacon *beacon, const struct lease_left *t)
{
	const struct beacon *mine = &node->lead.beacon;
	nsec_t until = quorum_lease_left_end(node, now, t);

	if (voters_majority(node) == 0)
		return;
	if (node->lead.is_fresh && beacon->term == mine->term &&
	    beacon->leader.id == mine->leader.id &&
	    beacon->incarnation == mine->incarnation &&
	    beacon->number >= node->lead.own_number &&
	    until > node->vote.quorum.lease_left_until)
		node->vote.quorum.lease_left_until = until;
}

bool
quorum_limits_lead(const struct node *node)
{
	return node->lead.is_fresh && voters_majority(node) > 0;
}

bool
quorum_lease_left_of(const struct node *node, nsec_t now, const struct peer *p,
    struct lease_left *t)
{
	nsec_t left = timestamps_latest(p) == 0
			  ? 0
			  : nsec_since(quorum_until(node), timestamps_heard(p));

	assert(quorum_limits_lead(node));
	left = nsec_earlier(left, LEASE_LEFT_MAX);
	*t = (struct lease_left){ timestamps_latest(p),
		(uint32_t)(left / USEC) };
	return left / DRIFT_FAST * DRIFT_SLOW >
	       nsec_since(now, timestamps_heard(p));
}

/* Each receiver counts from its timestamp, moved on by the time for which we
 * held it, and takes all of that for its own time. Our clock may be slow, so
 * that time may be too long: we tell less by the difference. */
bool
quorum_lease_left_of_all(
    const struct node *node, nsec_t now, nsec_t held, struct lease_left *t)
{
	nsec_t left = nsec_since(quorum_until(node), now);
	nsec_t less = (held / DRIFT_SLOW + 1) * (DRIFT_FAST - DRIFT_SLOW);

	assert(quorum_limits_lead(node));
	left = nsec_since(left, less);
	left = nsec_earlier(left, LEASE_LEFT_MAX);
	*t =
	    (struct lease_left){ timestamps_own(now), (uint32_t)(left / USEC) };
	return left / USEC > 0;
}

void
quorum_check(const struct node *node)
{
	const struct quorum *q = &node->vote.quorum;

	if (node_is_quorum(node)) {
		assert(voters_majority(node) > 0);
		return;
	}
	assert(q->lease_left_until == 0);
	assert(q->is_there);
	assert(!q->was_lost);
	assert(quorum_deadline(node) == NSEC_NEVER);
}
