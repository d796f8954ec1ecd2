/* SPDX-License-Identifier: ISC */
#include "common/link/detector.h"

void
detector_open(struct detector *d, nsec_t now, nsec_t interval)
{
	assert(interval > 0);
	d->interval = interval;
	d->is_heard = false;
	d->since = now;
	d->heard = 0;
	d->watched = 0;
	d->jitter = 0;
	d->pings = 0;
}

void
detector_close(struct detector *d)
{
	d->is_heard = false;
}

/*
 * Measures the mean deviation of transit times by the timestamps and arrivals
 * of two datagrams, as RFC 3550, 6.4.1 does. So it does not matter when the
 * peer chose to send.
 */
static void
detector_measure(struct detector *d, nsec_t now, uint32_t timestamp)
{
	nsec_t arrived = nsec_since(now, d->heard);
	nsec_t sent = (nsec_t)(timestamp - d->timestamp) * USEC;
	nsec_t deviation;

	/* A later datagram overtook this one: the transit of this one measures
	 * nothing. */
	if (d->heard == 0 || timestamp - d->timestamp > UINT32_MAX / 2)
		return;
	deviation = arrived > sent ? arrived - sent : sent - arrived;
	/* A pause of the peer's process is no jitter. */
	deviation = nsec_earlier(deviation, d->interval);
	d->jitter += deviation / 16;
	d->jitter -= d->jitter / 16;
}

void
detector_heard(
    struct detector *d, nsec_t now, uint32_t timestamp, nsec_t interval)
{
	assert(interval > 0);
	d->interval = interval;
	detector_measure(d, now, timestamp);
	d->timestamp = timestamp;
	/* detector_excuse() may have moved `heard` beyond this datagram's age:
	 * `heard` stays there. */
	if (d->heard < now)
		d->heard = now;
	d->pings = 0;
	d->is_heard = true;
}

void
detector_watch(struct detector *d, nsec_t now)
{
	d->watched = now;
	d->pings = 0;
}

bool
detector_is_current(const struct detector *d)
{
	return d->heard != 0 && d->heard >= d->watched;
}

nsec_t
detector_margin(const struct detector *d)
{
	nsec_t margin = 4 * d->jitter;

	if (margin < d->interval / 10)
		margin = d->interval / 10;
	return nsec_earlier(margin, d->interval * 5 / 2);
}

/* Since when the peer has been silent. */
static nsec_t
detector_from(const struct detector *d)
{
	nsec_t from = d->heard != 0 ? d->heard : d->since;

	return from < d->watched ? d->watched : from;
}

nsec_t
detector_deadline(const struct detector *d, unsigned misses, unsigned health)
{
	nsec_t patience = misses * d->interval + detector_margin(d);

	assert(misses > 0);
	assert(health <= HEALTH_MAX);
	return nsec_after(detector_from(d), patience * (1 + health));
}

bool
detector_doubts(
    const struct detector *d, nsec_t now, unsigned misses, unsigned health)
{
	return nsec_after(now, d->interval / 2) >=
	       detector_deadline(d, misses, health);
}

nsec_t
detector_ping_at(const struct detector *d, unsigned misses, unsigned health)
{
	nsec_t at = detector_deadline(d, misses, health) - d->interval;
	nsec_t least = nsec_after(detector_from(d), d->interval * 3 / 4);

	if (!d->is_heard || d->pings >= DETECTOR_PINGS)
		return NSEC_NEVER;
	/* Each answer to a ping counts as a datagram of the peer. With misses =
	 * 1 an earlier ping would therefore lead to pings without end, and one
	 * at the end of the interval would leave a tenth of it, less than
	 * clocks may differ by. */
	if (at < least)
		at = least;
	return nsec_after(at, d->pings * d->interval / 10);
}

void
detector_pinged(struct detector *d)
{
	assert(d->pings < DETECTOR_PINGS);
	d->pings++;
}

void
detector_excuse(struct detector *d, nsec_t lag)
{
	if (d->heard != 0)
		d->heard += lag;
	else
		d->since += lag;
	if (d->watched != 0)
		d->watched += lag;
}

void
detector_check(const struct detector *d)
{
	assert(d->pings <= DETECTOR_PINGS);
	if (!d->is_heard)
		return;
	assert(d->heard > 0);
	assert(d->interval > 0);
}
