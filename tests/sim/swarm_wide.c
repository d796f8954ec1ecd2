/* SPDX-License-Identifier: ISC */
/*
 * The wide seeds, half of all. Their timing may be anything that an operator
 * would configure. What is drawn here comes from a stream of its own, after
 * all else: so the other seeds mean what they always did.
 */
#include "tests/sim/swarm.h"

#define STREAM         UINT64_C(0x776964656e) /* apart from the plan's own */
#define HEARTBEAT_MIN  (10 * MSEC)
#define HEARTBEAT_MAX  (300 * MSEC)
#define MISSES_MOST    5
#define MISSES_LOSSY   3 /* with fewer, a lost datagram may end a session */
#define JITTER_DIVISOR 20

/* Each order of magnitude as often. */
static nsec_t
any_heartbeat(struct random *r)
{
	nsec_t least = HEARTBEAT_MIN << random_below(r, 5);

	return nsec_earlier(random_between(r, least, 2 * least), HEARTBEAT_MAX);
}

static nsec_t
any_startup(struct random *r)
{
	nsec_t some = random_below(r, SEC);

	switch (random_below(r, 3)) {
	case 0:
		return WORLD_NO_STARTUP;
	case 1:
		return some + 1;
	default:
		return SEC;
	}
}

/* Whatever was to happen in a number of heartbeats does so in as many of the
 * new ones: a run takes as many steps as before. The nanoseconds stay: by them
 * one fault comes before another. */
static nsec_t
stretch(nsec_t duration, nsec_t from, nsec_t to)
{
	return duration / USEC * to / (from / USEC) + duration % USEC;
}

/* As short as electd -t allows, or longer. */
static nsec_t
lease_least(const struct world_setup *setup)
{
	return 2 * (setup->misses + 2) * setup->heartbeat;
}

static void
widen_timing(struct swarm_plan *p)
{
	struct world_setup *setup = &p->setup;
	nsec_t old = setup->heartbeat, more = setup->lease - lease_least(setup);
	nsec_t new = any_heartbeat(&p->wide);

	setup->heartbeat = new;
	setup->misses = (unsigned)random_between(&p->wide, 1, MISSES_MOST);
	setup->startup = any_startup(&p->wide);
	setup->lease = lease_least(setup) + stretch(more, old, new);
	setup->calm = stretch(setup->calm, old, new);
	setup->preempt_after = stretch(setup->preempt_after, old, new);
	p->end = stretch(p->end, old, new);
	for (size_t i = 0; i < p->faults_count; i++)
		p->faults[i].at = stretch(p->faults[i].at, old, new);
	/* Such a network suits such a timing. */
	p->fair.jitter = nsec_earlier(p->fair.jitter, new / JITTER_DIVISOR);
	if (setup->misses < MISSES_LOSSY)
		p->fair.loss = 0;
}

void
swarm_widen(struct swarm_plan *p)
{
	random_init(&p->wide, p->seed ^ STREAM);
	p->is_wide = random_below(&p->wide, 2) == 0;
	if (p->is_wide)
		widen_timing(p);
}
