/* SPDX-License-Identifier: ISC */
/* What a plan draws again and again. */
#include "tests/model/sim/swarm/swarm.h"

bool
swarm_one_in(struct swarm_plan *p, unsigned n)
{
	return random_below(&p->random, n) == 0;
}

unsigned
swarm_any_id(struct swarm_plan *p)
{
	return (unsigned)random_between(&p->random, 1, p->setup.nodes);
}

/* Draws a set of nodes. */
unsigned
swarm_any_ids(struct swarm_plan *p)
{
	return (unsigned)random_below(&p->random, 1u << p->setup.nodes) << 1;
}

/* Draws 20 ms to 10 s; each order of magnitude is equally likely. */
nsec_t
swarm_duration(struct swarm_plan *p)
{
	nsec_t longest = 20 * MSEC << random_below(&p->random, 10);

	return random_between(&p->random, longest / 2, longest);
}

struct wire
swarm_weather(struct swarm_plan *p)
{
	struct random *r = &p->random;
	struct wire wire = { .delay_min = 100 * USEC, .delay_max = MSEC };

	if (p->has[CLASS_LOSS])
		wire.loss = (unsigned)random_below(r, 400);
	if (p->has[CLASS_DOUBLES])
		wire.doubles = (unsigned)random_below(r, 500);
	if (p->has[CLASS_LATE]) {
		wire.late = (unsigned)random_below(r, 500);
		wire.jitter = random_below(r, 100 * MSEC);
	}
	if (p->has[CLASS_CORRUPT])
		wire.corrupt = (unsigned)random_below(r, 100);
	if (p->has[CLASS_SLOW])
		wire.delay_max = MSEC << random_below(r, 13);
	if (p->has[CLASS_SLOW] && swarm_one_in(p, 4)) { /* spikes */
		wire.late = (unsigned)random_below(r, 100);
		wire.jitter = random_below(r, 4 * SEC);
	}
	return wire;
}
