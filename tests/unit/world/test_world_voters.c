/* SPDX-License-Identifier: ISC */
/*
 * Five hosts whose voters change, by the two ways that electd.conf(5)
 * documents: in every order of the hosts, and in orders and with crashes drawn
 * from a seed. The world's own checks see that no term comes again, and that
 * none goes back. Without a higher generation no node leads.
 */
#include "tests/unit/group.h"
#include "tests/world/world_assert.h"

#define HOSTS   5
#define SEEDS   60
#define CHANGES 5
#define ORDERS  120 /* of five hosts */
#define ALL     (((1u << HOSTS) - 1) << 1)

static struct random random_;
static unsigned leaders; /* how many there were after a change */
static unsigned voting;  /* bit set of the ids; the others do not run, so
			  * they learn no term */

static bool
one_in(unsigned n)
{
	return random_below(&random_, n) == 0;
}

/* Draws a set of ids that has one of these at least. */
static unsigned
some_ids(void)
{
	return (unsigned)random_between(&random_, 1, (1u << HOSTS) - 1) << 1;
}

/* Adds one of them, or takes one away. */
static unsigned
one_changed(unsigned ids)
{
	unsigned changed = 0;

	while (changed == 0)
		changed = ids ^ 1u << random_between(&random_, 1, HOSTS);
	return changed;
}

static bool
has_leader(struct world *w)
{
	return w->leading != 0;
}

/* Elections and crashes: so terms rise that not all nodes know. */
static void
live(struct world *w)
{
	for (unsigned i = 0; i < 4; i++) {
		node_id id = (node_id)random_between(&random_, 1, HOSTS);

		if (!(voting >> id & 1))
			continue;
		if (world_run_until(w, has_leader, 5 * SEC) && one_in(2))
			world_elect(w, id);
		else if (one_in(2))
			world_crash(w, id);
		else
			world_start(w, id);
		world_run(w, random_below(&random_, 500 * MSEC));
	}
}

static void
start_in_any_order(struct world *w, unsigned ids)
{
	ids &= voting;
	while (ids != 0) {
		node_id id = (node_id)random_between(&random_, 1, HOSTS);

		if (!(ids >> id & 1))
			continue;
		world_start(w, id);
		ids &= ~(1u << id);
		if (one_in(2))
			world_run(w, random_below(&random_, 4 * SEC));
	}
}

/* The second way: all stop, or are killed, and then start; or not all. */
static void
change_all_at_once(struct world *w, unsigned ids, uint32_t generation)
{
	for (node_id id = 1; id <= HOSTS; id++)
		world_crash(w, id);
	world_change_voters(w, ids, generation);
	start_in_any_order(w, one_in(2) ? ALL : some_ids());
}

/* The first way: one host after the other; hosts that are down stay so. */
static void
change_one_by_one(struct world *w, unsigned ids, uint32_t generation)
{
	unsigned left = ALL;

	world_change_voters(w, ids, generation);
	while (left != 0) {
		node_id id = (node_id)random_between(&random_, 1, HOSTS);
		bool ran = world_runs(w, id) || one_in(2);

		if (!(left >> id & 1))
			continue;
		left &= ~(1u << id);
		world_crash(w, id);
		if (ran && voting >> id & 1)
			world_start(w, id);
		world_run(w, random_below(&random_, one_in(2) ? SEC : 3 * SEC));
	}
}

/* The voters change, with a leader between two changes or not; then all run. */
static void
go_through_changes(uint64_t seed, bool is_one_by_one)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = HOSTS, .seed = seed, .guarantee = GUARANTEE_QUORUM });
	unsigned ids = 1u << 1 | 1u << 2 | 1u << 3;

	voting = ids;

	random_init(&random_, seed);
	world_change_voters(w, ids, 0);
	for (node_id id = 1; id <= HOSTS; id++)
		w->processes[id].durable.electorate = w->electorate;
	start_in_any_order(w, ALL);
	for (uint32_t generation = 1; generation <= CHANGES; generation++) {
		live(w);
		ids = is_one_by_one ? one_changed(ids) : some_ids();
		voting = ids;
		if (is_one_by_one)
			change_one_by_one(w, ids, generation);
		else
			change_all_at_once(w, ids, generation);
		leaders += world_run_until(
		    w, has_leader, random_below(&random_, 6 * SEC));
	}
	start_in_any_order(w, ALL);
	assert_true(world_run_until(w, has_leader, 60 * SEC));
	world_free(w);
}

static void
voters_that_change_all_at_once_take_no_term_twice(void **state)
{
	(void)state;
	leaders = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		go_through_changes(seed, false);
	assert_true(leaders > SEEDS);
}

static void
voters_that_change_one_by_one_take_no_term_twice(void **state)
{
	(void)state;
	leaders = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		go_through_changes(seed, true);
	assert_true(leaders > SEEDS);
}

/* Gives the order of the five hosts that has this number. */
static void
order_of(unsigned number, node_id order[HOSTS])
{
	node_id left[HOSTS] = { 1, 2, 3, 4, 5 };

	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned taken = number % (HOSTS - i);

		order[i] = left[taken];
		left[taken] = left[HOSTS - i - 1];
		number /= HOSTS - i;
	}
}

/* Voters 1, 2 and 3 of generation 0, in their third term. */
static struct world *
three_voters(void)
{
	const unsigned ids = 1u << 1 | 1u << 2 | 1u << 3;
	struct world *w = world_with((struct world_setup){
	    .nodes = HOSTS, .guarantee = GUARANTEE_QUORUM });

	world_change_voters(w, ids, 0);
	for (node_id id = 1; id <= 3; id++) {
		w->processes[id].durable.electorate = w->electorate;
		world_start(w, id);
	}
	for (node_id id = 1; id <= 3; id++) {
		assert_true(world_run_until(w, has_leader, 60 * SEC));
		world_elect(w, id);
		world_run(w, SEC);
	}
	return w;
}

/* A script goes on at once; an operator waits for a leader, or until none
 * comes. */
static void
go_on(struct world *w, bool is_script)
{
	if (is_script)
		world_run(w, 100 * MSEC);
	else
		leaders += world_run_until(w, has_leader, 5 * SEC);
}

static void
change_at_once_in_order(const node_id order[HOSTS], bool is_script)
{
	const unsigned ids = 1u << 1 | 1u << 4 | 1u << 5;
	struct world *w = three_voters();

	for (node_id id = 1; id <= HOSTS; id++)
		world_crash(w, id);
	world_change_voters(w, ids, 1);
	for (unsigned i = 0; i < HOSTS; i++) {
		if (!(ids >> order[i] & 1))
			continue;
		world_start(w, order[i]);
		go_on(w, is_script);
	}
	assert_true(world_run_until(w, has_leader, 60 * SEC));
	world_free(w);
}

/* The voters become 1, 2, 3, 4, then all, then without 1, then without 2. */
static void
change_one_by_one_in_order(const node_id order[HOSTS], bool is_script)
{
	static const unsigned steps[] = { 0x1e, 0x3e, 0x3c, 0x38 };
	struct world *w = three_voters();

	for (uint32_t step = 0; step < 4; step++) {
		world_change_voters(w, steps[step], step + 1);
		for (unsigned i = 0; i < HOSTS; i++) {
			world_crash(w, order[i]);
			if (steps[step] >> order[i] & 1)
				world_start(w, order[i]);
			go_on(w, is_script);
		}
	}
	assert_true(world_run_until(w, has_leader, 60 * SEC));
	world_free(w);
}

static void
in_every_order(void (*change)(const node_id order[HOSTS], bool is_script))
{
	node_id order[HOSTS];

	leaders = 0;
	for (unsigned number = 0; number < ORDERS; number++) {
		order_of(number, order);
		change(order, true);
		change(order, false);
	}
	assert_true(leaders > ORDERS);
}

static void
voters_changed_at_once_in_every_order_take_no_term_twice(void **state)
{
	(void)state;
	in_every_order(change_at_once_in_order);
}

static void
voters_changed_one_by_one_in_every_order_take_no_term_twice(void **state)
{
	(void)state;
	in_every_order(change_one_by_one_in_order);
}

/* Their state health says why. */
static void
voter_of_others_of_the_same_generation_has_no_vote(void **state)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = HOSTS, .guarantee = GUARANTEE_QUORUM });

	(void)state;
	for (node_id id = 1; id <= HOSTS; id++)
		w->processes[id].durable.electorate.generation = 2;
	world_change_voters(w, ALL, 2);
	world_start_all(w);
	world_run(w, 20 * SEC);
	assert_false(has_leader(w));
	assert_int_equal(world_status(w, 1).state_health, STATE_HEALTH_CHANGED);
	world_free(w);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(voters_that_change_all_at_once_take_no_term_twice),
	cmocka_unit_test(voters_that_change_one_by_one_take_no_term_twice),
	cmocka_unit_test(
	    voters_changed_at_once_in_every_order_take_no_term_twice),
	cmocka_unit_test(
	    voters_changed_one_by_one_in_every_order_take_no_term_twice),
	cmocka_unit_test(voter_of_others_of_the_same_generation_has_no_vote),
};

GROUP(tests);
