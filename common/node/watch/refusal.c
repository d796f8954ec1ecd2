/* SPDX-License-Identifier: ISC */
/*
 * Refusals (PROTOCOL.md, Refusals): an ICMP error says that nothing listens at
 * the address of a peer. It is a hint, as anyone can forge it. After the first
 * error the node waits, and pings the peer. After an error that comes instead
 * of the answer it waits once more, and then believes that the peer is over.
 * All this ends when the peer answers.
 */

#include "common/node/watch/refusal.h"

#include "common/node/context.h"
#include "common/node/peer/peers.h"

#define REFUSAL_PARTS 10         /* of a heartbeat: the pause after a refusal */
#define REFUSAL_MIN   (5 * MSEC) /* that pause at least: time to answer */

/* Takes the next step, or goes back to none. `at` is when the one after it
 * follows by itself. */
static void
refusal_set(struct peer *p, enum refusal step, nsec_t at)
{
	bool waits = step == REFUSAL_FIRST || step == REFUSAL_SECOND;

	assert(step == REFUSAL_NONE || step == p->refusal.step + 1);
	assert(waits == (at != NSEC_NEVER));
	p->refusal.step = step;
	p->refusal.at = at;
}

void
refusal_reset(struct peer *p)
{
	refusal_set(p, REFUSAL_NONE, NSEC_NEVER);
}

bool
refusal_is_open(const struct peer *p)
{
	return p->refusal.step != REFUSAL_NONE;
}

/* The time for an answer: two round trips. If the peer leads, the others can
 * ask it in this time, and tell us. */
static nsec_t
refusal_pause(const struct node *node, const struct peer *p)
{
	nsec_t pause = node->setup.timing.heartbeat / REFUSAL_PARTS;

	assert(p->has_session);
	if (pause < REFUSAL_MIN)
		pause = REFUSAL_MIN;
	if (pause < 2 * p->channel.rtt.smoothed)
		pause = 2 * p->channel.rtt.smoothed;
	return nsec_earlier(pause, node->setup.timing.heartbeat);
}

/* False for a refusal soon after one that an answer has cleared: our next
 * datagram may be refused again, by another process, and so on for ever. */
static bool
refusal_counts(const struct node *node, nsec_t now, const struct peer *p)
{
	return p->refusal.first_at == 0 ||
	       nsec_since(now, p->refusal.first_at) >=
		   node->setup.timing.heartbeat;
}

void
refusal_take(struct node *node, nsec_t now, struct peer *p)
{
	nsec_t pause = refusal_pause(node, p);

	switch (p->refusal.step) {
	case REFUSAL_NONE:
		if (!refusal_counts(node, now, p))
			return;
		p->refusal.first_at = now;
		refusal_set(p, REFUSAL_FIRST, nsec_after(now, pause));
		break;
	case REFUSAL_PINGED:
		/* A peer that is alive answers the ping all the same. */
		assert(p->refusal.first_at <= now);
		refusal_set(p, REFUSAL_SECOND, nsec_after(now, pause / 2));
		break;
	case REFUSAL_FIRST:
	case REFUSAL_SECOND:
		break;
	}
}

bool
refusal_tick(struct node *node, nsec_t now, struct peer *p)
{
	if (now < p->refusal.at)
		return false;
	assert(p->has_session);
	if (p->refusal.step == REFUSAL_SECOND)
		return true;
	refusal_set(p, REFUSAL_PINGED, NSEC_NEVER);
	peers_ping(node, p);
	return false;
}

nsec_t
refusal_deadline(const struct peer *p)
{
	return p->refusal.at;
}

bool
refusal_loses_leader(const struct node *node, const struct peer *p)
{
	assert(refusal_is_open(p));
	return lead_id(&node->lead) == p->setup.id && node_is_star(node) &&
	       node->lead.heard <= p->refusal.first_at;
}

void
refusal_check(const struct peer *p)
{
	const struct peer_refusal *r = &p->refusal;
	bool waits = r->step == REFUSAL_FIRST || r->step == REFUSAL_SECOND;

	assert(waits == (r->at != NSEC_NEVER));
	assert(p->has_session || r->step == REFUSAL_NONE);
	assert(r->step == REFUSAL_NONE || r->first_at != 0);
	assert(!waits || r->at >= r->first_at);
}
