/* SPDX-License-Identifier: ISC */
/*
 * Timestamps (PROTOCOL.md, Body): each datagram has the time of our clock, and
 * the peer gives the latest one back, moved on by the time for which it held
 * it. So we know the round trip, and how old at least is what the peer says.
 */

#include "common/node/peer/timestamps.h"

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
timestamps_begin(struct peer *p, nsec_t now)
{
	assert(p->timestamps.timestamp == 0);
	p->timestamps.said_at = now;
	p->timestamps.answered = now;
	p->timestamps.silence = 0;
}

void
timestamps_reset(struct peer *p)
{
	assert(!p->has_session);
	p->timestamps.timestamp = 0;
}

uint32_t
timestamps_own(nsec_t now)
{
	uint32_t timestamp = (uint32_t)(now / USEC);

	return timestamp != 0 ? timestamp : 1;
}

static uint32_t
echo_of(const struct peer *p, nsec_t held)
{
	return p->timestamps.timestamp != 0
		   ? p->timestamps.timestamp + (uint32_t)(held / USEC)
		   : 0;
}

uint32_t
timestamps_echo(const struct peer *p, nsec_t now)
{
	return echo_of(p, nsec_since(now, p->timestamps.arrived));
}

uint32_t
timestamps_echo_taken(const struct peer *p, nsec_t now)
{
	return echo_of(p, nsec_since(now, p->timestamps.timestamped));
}

nsec_t
timestamps_silence(const struct peer *p, nsec_t now)
{
	return nsec_since(now, p->timestamps.said_at);
}

void
timestamps_sent(struct node *node, nsec_t now, struct peer *p)
{
	nsec_t silence = nsec_since(now, p->timestamps.said_at);

	assert(p->has_session);
	if (silence > node_detection(node))
		p->timestamps.silence = silence;
	p->timestamps.said_at = now;
}

/* How far the timestamp of ours that a datagram gives back may be from now.
 * Where we were silent for long, the clocks have drifted meanwhile. */
static nsec_t
timestamp_slack(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t silence = nsec_since(now, p->timestamps.said_at);

	if (silence < p->timestamps.silence)
		silence = p->timestamps.silence;
	return node_detection(node) + LATE_MAX + silence / DRIFT_PARTS;
}

/* A peer holds a timestamp for a few heartbeats, of which clocks drift by a
 * part; a larger difference is no drift. */
uint32_t
timestamps_not_ahead(const struct node *node, nsec_t now, uint32_t echo)
{
	uint32_t own = timestamps_own(now), ahead = echo - own;

	return echo != 0 && ahead * USEC <= node->setup.timing.heartbeat ? own
									 : echo;
}

/* An attacker who holds datagrams back must not keep the dead alive: the
 * timestamp must not be too old. A timestamp that is half the range of
 * timestamps old or more looks like one ahead of now, where only drift may
 * bring it. */
bool
timestamps_accept(struct node *node, nsec_t now, struct peer *p, uint32_t echo)
{
	uint32_t elapsed = (uint32_t)(now / USEC) - echo, ahead = 0 - elapsed;
	nsec_t slack = timestamp_slack(node, now, p);

	assert(p->has_session);
	if (echo == 0)
		return true;
	if (elapsed * USEC > slack && ahead * USEC > slack)
		return false;
	if (elapsed * USEC <= node_detection(node))
		p->timestamps.silence = 0;
	return true;
}

void
timestamps_take(
    struct node *node, nsec_t now, struct peer *p, const struct body *b)
{
	uint32_t elapsed = (uint32_t)(node->input.arrived / USEC) - b->echo;

	assert(p->has_session);
	p->timestamps.timestamp = b->timestamp;
	p->timestamps.timestamped = now;
	p->timestamps.arrived = node->input.arrived;
	/* The clock of the peer measured a part of this time, and clocks drift:
	 * the time may come out below 0, or too long after a silence. */
	if (b->echo != 0 && elapsed <= UINT32_MAX / 2 &&
	    p->timestamps.silence == 0)
		rtt_sample(&p->channel.rtt, (nsec_t)elapsed * USEC);
}

uint32_t
timestamps_latest(const struct peer *p)
{
	return p->timestamps.timestamp;
}

nsec_t
timestamps_heard(const struct peer *p)
{
	return p->timestamps.timestamped;
}

/* A timestamp has no part of a microsecond: without one more, an answer to a
 * ping of this instant would seem to be older. An answer to an earlier ping
 * may come after one to a later ping. */
void
timestamps_take_answer(
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
	if (asked > p->timestamps.answered)
		p->timestamps.answered = asked;
}

nsec_t
timestamps_answered(const struct peer *p)
{
	return p->timestamps.answered;
}

void
timestamps_check(const struct node *node, const struct peer *p)
{
	assert(p->has_session || p->timestamps.timestamp == 0);
	assert(p->timestamps.said_at <= node->input.now);
	assert(p->timestamps.timestamped <= node->input.now);
}
