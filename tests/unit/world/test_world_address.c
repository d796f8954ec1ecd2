/* SPDX-License-Identifier: ISC */
/*
 * Five hosts that get other addresses, one after the other, which the settings
 * never name (PROTOCOL.md, Addresses).
 */
#include "algorithms/registry.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define HOSTS 5

static struct world *
world_of(enum guarantee guarantee, uint64_t seed)
{
	struct world_setup setup = {
		.nodes = HOSTS,
		.seed = seed,
		.algorithm = algorithm_find("bully"),
		.topology = TOPOLOGY_FULL,
		.guarantee = guarantee,
	};
	struct world *w = world_with(setup);

	world_begin(w);
	return w;
}

/* A case of each guarantee. */
#define CASES(name)                                                            \
	static void name(enum guarantee guarantee);                            \
	TEST(name##_component)                                                 \
	{                                                                      \
		name(GUARANTEE_COMPONENT);                                     \
	}                                                                      \
	TEST(name##_quorum)                                                    \
	{                                                                      \
		name(GUARANTEE_QUORUM);                                        \
	}                                                                      \
	static void name(enum guarantee guarantee)

/* The one that moved speaks to the others, and they answer it. */
CASES(hosts_that_move_are_found_again)
{
	struct world *w = world_of(guarantee, 1);

	for (process_name name = HOSTS; name >= 1; name--) {
		world_move(w, name);
		world_settle(w);
	}
	world_end(w);
}

/* No host found it while it was there. */
CASES(host_that_comes_back_is_found_again)
{
	struct world *w = world_of(guarantee, 2);
	address_number home = w->network.addresses[3];

	world_move(w, 3);
	w->network.addresses[3] = home;
	world_disturb(w);
	world_settle(w);
	world_move(w, 3);
	world_settle(w);
	w->network.addresses[3] = home;
	world_disturb(w);
	world_settle(w);
	world_end(w);
}

CASES(host_moves_and_starts_again)
{
	struct world *w = world_of(guarantee, 3);

	for (process_name name = 1; name <= HOSTS; name++) {
		world_crash(w, name);
		world_move(w, name);
		world_run(w, SEC);
		world_start(w, name);
		world_settle(w);
	}
	world_end(w);
}

/* The hosts that found host 5 know nothing any more. */
CASES(hosts_that_start_anew_find_it_again)
{
	struct world *w = world_of(guarantee, 4);

	world_move(w, 5);
	world_settle(w);
	for (process_name name = 1; name < HOSTS; name++) {
		world_crash(w, name);
		world_start(w, name);
		world_settle(w);
	}
	world_end(w);
}
