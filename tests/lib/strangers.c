/* SPDX-License-Identifier: ISC */
#include "tests/lib/strangers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void
strangers_lose(struct world *w, unsigned loss)
{
	const struct wire weather = {
		.loss = loss, .delay_min = 50 * USEC, .delay_max = MSEC
	};

	world_weather(w, &weather);
}

struct world *
strangers(struct world_setup setup, unsigned voters, unsigned degree)
{
	struct world *w = world_with(setup);

	world_discover(w, voters, degree);
	strangers_lose(w, 0);
	return w;
}

void
strangers_start(struct world *w, process_name name)
{
	world_rename(w, name, w->processes[name].id);
	world_start(w, name);
}

void
strangers_start_to(struct world *w, process_name last)
{
	for (process_name name = 1; name <= last; name++) {
		if (!world_runs(w, name))
			strangers_start(w, name);
	}
}

void
assert_gather(struct world *w, nsec_t limit)
{
	if (world_gather(w, ~0u, limit) == NSEC_NEVER)
		world_fail(w, "seed %u: no cluster: %s",
		    (unsigned)w->setup.seed, w->why);
}

void
assert_knows(const struct world *w, process_name name, unsigned count)
{
	assert_int_equal(world_peers_count(&w->processes[name]) + 1, count);
}

void
strangers_come_or_go(struct world *w, struct random *random, unsigned keeping)
{
	process_name who =
	    1 + (process_name)random_below(random, w->setup.nodes);
	struct process *p = &w->processes[who];

	if (random_below(random, 4) == 0) {
		world_heal(w);
		world_split(w, (unsigned)random_next(random));
	} else if (world_runs(w, who)) {
		world_crash(w, who);
	} else {
		if (!(keeping >> who & 1) && random_below(random, 2) == 0)
			world_rename(w, who,
			    p->id + (random_below(random, 2) == 0
					    ? WORLD_NODES_MAX
					    : 0));
		world_start(w, who);
	}
}

void
strangers_mend(struct world *w, unsigned keeping)
{
	world_heal(w);
	strangers_lose(w, 0);
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			continue;
		if (keeping >> name & 1)
			world_start(w, name);
		else
			strangers_start(w, name);
	}
}
