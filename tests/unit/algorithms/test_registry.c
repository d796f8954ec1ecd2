/* SPDX-License-Identifier: ISC */
/* The table of algorithms, and what the contract demands of each. */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

#define SEEDS 40
#define STEPS 60

TEST(each_algorithm_is_found_by_its_name)
{
	for (size_t i = 0; algorithms[i] != NULL; i++)
		assert_ptr_equal(
		    algorithm_find(algorithms[i]->name), algorithms[i]);
	assert_ptr_equal(algorithm_find("bully"), &algorithm_bully);
	assert_ptr_equal(algorithm_find("extinction"), &algorithm_extinction);
}

/* One name is the beginning of another: bully, tree. */
TEST(unknown_name_has_no_algorithm)
{
	static const char *const strangers[] = { "", "b", "bull", "bully-",
		"bully_broadcast", "Bully", " bully", "tree-ech", "raft" };

	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
		assert_null(algorithm_find(strangers[i]));
}

/* Names as electd.conf and a command line may have them. */
TEST(each_algorithm_says_what_it_is)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct algorithm *a = algorithms[i];

		assert_int_equal(strspn(a->name, "abcdefghijklmnopqrstuvwxyz-"),
		    strlen(a->name));
		assert_true(strlen(a->summary) > 0);
		assert_null(strchr(a->summary, '\n'));
		assert_non_null(a->kinds[0]);
		for (size_t k = 1; k < MESSAGE_KINDS_MAX; k++)
			assert_true(a->kinds[k] == NULL || a->kinds[k - 1]);
		assert_int_equal(
		    (a->choices & CHOICE_VARIANT) != 0, a->variants[0] != NULL);
		assert_null(a->variants[VARIANTS_MAX - 1]);
	}
}

static size_t
links_of(const struct algorithm *algorithm)
{
	return algorithm->topology == TOPOLOGY_RING ? RING_LINKS : 3;
}

/* Runs out a timer that this instance did not ask for. */
static void
assert_timer_moves_nothing(struct instance *it)
{
	uint8_t before[INSTANCE_STATE_MAX];

	memcpy(before, it->state, sizeof(before));
	outbox_clear(&it->out);
	it->algorithm->step(
	    it->state, &(struct input){ .kind = INPUT_TIMER }, &it->out);
	assert_int_equal(it->out.count, 0);
	assert_false(it->out.has_decided);
	assert_false(it->out.has_armed);
	assert_memory_equal(before, it->state, sizeof(before));
}

/* After any messages so far, only bully-broadcast asks for timers. */
TEST(instance_without_a_timer_ignores_timers)
{
	const struct algorithm *const *wanted = algorithms;
	const struct choices choices = { .diameter = 3 };
	struct random random;
	struct instance it;

	for (; *wanted != NULL; wanted++) {
		if (*wanted == &algorithm_bully_broadcast)
			continue;
		for (unsigned seed = 0; seed < SEEDS; seed++) {
			random_init(&random, seed);
			instance_begin(&it, *wanted, &choices, instance_rank(4),
			    links_of(*wanted));
			assert_timer_moves_nothing(&it);
			instance_start(&it);
			for (unsigned step = 0; step < STEPS; step++) {
				assert_timer_moves_nothing(&it);
				instance_receive_random(&it, &random);
			}
		}
	}
}
