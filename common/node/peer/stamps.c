/* SPDX-License-Identifier: ISC */
/*
 * Time stamps (PROTOCOL.md, Body): each datagram has the time of our clock, and
 * the peer gives the latest one back, moved on by the time for which it held
 * it. So we know the round trip, and how old at least is what the peer says.
 */

#include "common/node/peer/stamps.h"

#include "common/node/context.h"

#define LATE_MAX (1 * SEC) /* on the way, beyond a detection */

/*
 * Of a silence: how far two clocks come apart. NTP corrects the rate of a clock
 * by 1/2000 at most (adjtimex(2)), so two differ by 1/1000, and bad crystals
 * may double that. With more an attacker could hold datagrams back for longer.
 * Safety depends on DRIFT_SLOW, not on this: where clocks drift more, a peer's
 * datagrams after a long silence are dropped until we speak to it again.
 */
#define DRIFT_PARTS 500

void
stamps_begin(struct peer *p, nsec_t now)
{
	assert(p->stamps.stamp == 0);
	p->stamps.said_at = now;
	p->stamps.answered = now;
	p->stamps.silence = 0;
}

void
stamps_reset(struct peer *p)
{
	assert(!p->has_session);
	p->stamps.stamp = 0;
}

uint32_t
stamps_own(nsec_t now)
{
	uint32_t stamp = (uint32_t)(now / USEC);

	return stamp != 0 ? stamp : 1;
}

static uint32_t
echo_of(const struct peer *p, nsec_t held)
{
	return p->stamps.stamp != 0 ? p->stamps.stamp + (uint32_t)(held / USEC)
				    : 0;
}

uint32_t
stamps_echo(const struct peer *p, nsec_t now)
{
	return echo_of(p, nsec_since(now, p->stamps.arrived));
}

uint32_t
stamps_echo_taken(const struct peer *p, nsec_t now)
{
	return echo_of(p, nsec_since(now, p->stamps.stamped));
}

nsec_t
stamps_silence(const struct peer *p, nsec_t now)
{
	return nsec_since(now, p->stamps.said_at);
}

void
stamps_sent(struct node *node, nsec_t now, struct peer *p)
{
	nsec_t silence = nsec_since(now, p->stamps.said_at);

	assert(p->has_session);
	if (silence > node_detection(node))
		p->stamps.silence = silence;
	p->stamps.said_at = now;
}

/* How far the stamp of ours that a datagram gives back may be from now. Where
 * we were silent for long, the clocks have drifted meanwhile. */
static nsec_t
stamp_slack(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t silence = nsec_since(now, p->stamps.said_at);

	if (silence < p->stamps.silence)
		silence = p->stamps.silence;
	return node_detection(node) + LATE_MAX + silence / DRIFT_PARTS;
}

/* A peer holds a stamp for a few heartbeats, of which clocks drift by a part; a
 * larger difference is no drift. */
uint32_t
stamps_not_ahead(const struct node *node, nsec_t now, uint32_t echo)
{
	uint32_t own = stamps_own(now), ahead = echo - own;

	return echo != 0 && ahead * USEC <= node->setup.timing.heartbeat ? own
									 : echo;
}

/* An attacker who holds datagrams back must not keep the dead alive: the stamp
 * must not be too old. A stamp that is half the range of stamps old or more
 * looks like one ahead of now, where only drift may bring it. */
bool
stamps_accept(struct node *node, nsec_t now, struct peer *p, uint32_t echo)
{
	uint32_t elapsed = (uint32_t)(now / USEC) - echo, ahead = 0 - elapsed;
	nsec_t slack = stamp_slack(node, now, p);

	assert(p->has_session);
	if (echo == 0)
		return true;
	if (elapsed * USEC > slack && ahead * USEC > slack)
		return false;
	if (elapsed * USEC <= node_detection(node))
		p->stamps.silence = 0;
	return true;
}

void
stamps_take(struct node *node, nsec_t now, struct peer *p, const struct body *b)
{
	uint32_t elapsed = (uint32_t)(node->input.arrived / USEC) - b->echo;

	assert(p->has_session);
	p->stamps.stamp = b->stamp;
	p->stamps.stamped = now;
	p->stamps.arrived = node->input.arrived;
	/* The clock of the peer measured a part of this time, and clocks drift:
	 * the time may come out below 0, or too long after a silence. */
	if (b->echo != 0 && elapsed <= UINT32_MAX / 2 && p->stamps.silence == 0)
		rtt_sample(&p->channel.rtt, (nsec_t)elapsed * USEC);
}

uint32_t
stamps_latest(const struct peer *p)
{
	return p->stamps.stamp;
}

nsec_t
stamps_heard(const struct peer *p)
{
	return p->stamps.stamped;
}

/* A stamp has no part of a microsecond: without one more, an answer to a ping
 * of this instant would seem to be older. An answer to an earlier ping may come
 * after one to a later ping. */
void
stamps_take_answer(
    const struct node *node, struct peer *p, const struct body *b)
{
	nsec_t arrived = node->input.arrived + USEC;
	uint32_t elapsed = (uint32_t)(arrived / USEC) - b->echo;
	nsec_t asked;

	assert(p->has_session);
	if (b->echo == 0)
		return;
	/* The peer's clock may run ahead. */
	if (elapsed > UINT32_MAX / 2)
		elapsed = 0;
	asked = nsec_since(arrived, (nsec_t)elapsed * USEC);
	if (asked > p->stamps.answered)
		p->stamps.answered = asked;
}

nsec_t
stamps_answered(const struct peer *p)
{
	return p->stamps.answered;
}

void
stamps_check(const struct node *node, const struct peer *p)
{
	assert(p->has_session || p->stamps.stamp == 0);
	assert(p->stamps.said_at <= node->input.now);
	assert(p->stamps.stamped <= node->input.now);
}
