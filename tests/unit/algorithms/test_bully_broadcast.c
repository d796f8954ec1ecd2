/* SPDX-License-Identifier: ISC */
/*
 * One instance of the bully by silence. A test gives it its messages and its
 * timer by hand, also those that no honest node sends.
 */
#include "tests/unit/group.h"

#include <stdalign.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/util/random.h"

#define STATE_MAX 128
#define LINKS     3

enum kind {
	CANDIDATE,
};

/* Node 3 of 1, 2, 3, 4: two are worse, one is better. */
struct one {
	alignas(max_align_t) uint8_t state[STATE_MAX];
	struct view_link links[LINKS];
	struct choices choices;
	struct view view;
	struct outgoing room[2 * LINKS + 1];
	struct outbox out;
};

enum link {
	TO_1,
	TO_2,
	TO_4,
};

static const struct algorithm *const algorithm = &algorithm_bully_broadcast;
static struct one one;

static struct rank
rank_of(node_id id)
{
	return (struct rank){ .is_eligible = true, .id = id };
}

static void
assert_phase(const char *phase)
{
	assert_string_equal(algorithm->phase(one.state), phase);
}

static void
begin_as(struct rank self, size_t links_count)
{
	memset(&one, 0, sizeof(one));
	one.links[TO_1].rank = rank_of(1);
	one.links[TO_2].rank = rank_of(2);
	one.links[TO_4].rank = rank_of(4);
	one.view = (struct view){
		.self = self,
		.links = one.links,
		.links_count = links_count,
		.choices = &one.choices,
	};
	one.out = (struct outbox){
		.messages = one.room,
		.capacity = outbox_capacity(links_count),
	};
	assert_true(algorithm->size(&one.view) <= STATE_MAX);
	algorithm->init(one.state, &one.view);
	algorithm->check(one.state);
	assert_phase("idle");
}

static void
begin(void)
{
	begin_as(rank_of(3), LINKS);
}

static void
step(const struct input *in)
{
	outbox_clear(&one.out);
	algorithm->step(one.state, in, &one.out);
	algorithm->check(one.state);
}

static void
start(void)
{
	step(&(struct input){ .kind = INPUT_START });
}

static void
expire(void)
{
	step(&(struct input){ .kind = INPUT_TIMER });
}

static void
receive(unsigned link, unsigned kind, struct rank rank)
{
	struct message m = { .kind = (uint8_t)kind, .rank = rank };

	step(&(struct input){ INPUT_MESSAGE, link, &m });
}

/* Asserts that the last step told all about this node. */
static void
assert_stood(void)
{
	assert_int_equal(one.out.count, LINKS);
	for (unsigned i = 0; i < LINKS; i++) {
		const struct message *m = &one.out.messages[i].message;

		assert_int_equal(one.out.messages[i].link, i);
		assert_int_equal(m->kind, CANDIDATE);
		assert_true(rank_equal(&m->rank, &one.view.self));
	}
}

/* The timer begins with the first that a node says or hears. */
static void
assert_listens(bool is_first)
{
	assert_int_equal(one.out.has_armed, is_first);
	assert_false(one.out.has_decided);
	assert_phase("listening");
}

static void
assert_decided(node_id id)
{
	assert_int_equal(one.out.count, 0);
	assert_false(one.out.has_armed);
	assert_true(one.out.has_decided);
	assert_int_equal(one.out.winner.id, id);
	assert_phase("decided");
}

static void
assert_nothing_came_of_it(void)
{
	assert_int_equal(one.out.count, 0);
	assert_false(one.out.has_armed);
	assert_false(one.out.has_decided);
}

TEST(alone_it_decides_at_once)
{
	begin_as(rank_of(3), 0);
	start();
	assert_decided(3);
	start();
	assert_nothing_came_of_it();
}

TEST(starter_that_hears_no_answer_takes_itself)
{
	begin();
	start();
	assert_stood();
	assert_listens(true);
	start();
	assert_nothing_came_of_it();
	expire();
	assert_decided(3);
	expire();
	assert_nothing_came_of_it();
}

TEST(starter_takes_the_best_it_has_heard)
{
	begin();
	start();
	receive(TO_4, CANDIDATE, rank_of(4));
	assert_int_equal(one.out.count, 0);
	assert_listens(false);
	receive(TO_2, CANDIDATE, rank_of(2));
	assert_int_equal(one.out.count, 0);
	assert_listens(false);
	expire();
	assert_decided(4);
}

TEST(worse_candidate_is_outdone_once)
{
	begin();
	receive(TO_1, CANDIDATE, rank_of(1));
	assert_stood();
	assert_listens(true);
	receive(TO_2, CANDIDATE, rank_of(2));
	assert_int_equal(one.out.count, 0);
	assert_listens(false);
	expire();
	assert_decided(3);
}

TEST(better_candidate_is_listened_to_in_silence)
{
	begin();
	receive(TO_4, CANDIDATE, rank_of(4));
	assert_int_equal(one.out.count, 0);
	assert_listens(true);
	start(); /* too late to be a starter */
	assert_nothing_came_of_it();
	expire();
	assert_decided(4);
}

/* The counts do not depend on which of the two comes first. */
TEST(worse_candidate_is_outdone_though_a_better_one_came_first)
{
	begin();
	receive(TO_4, CANDIDATE, rank_of(4));
	receive(TO_1, CANDIDATE, rank_of(1));
	assert_stood();
	assert_listens(false);
	expire();
	assert_decided(4);
	receive(TO_2, CANDIDATE, rank_of(2));
	assert_nothing_came_of_it();
}

TEST(better_candidate_after_the_decision_is_decided_for)
{
	begin();
	receive(TO_1, CANDIDATE, rank_of(1));
	expire();
	assert_decided(3);
	receive(TO_4, CANDIDATE, rank_of(4));
	assert_decided(4);
	receive(TO_2, CANDIDATE, rank_of(2));
	assert_nothing_came_of_it();
}

TEST(lowest_is_best_where_that_is_preferred)
{
	begin();
	one.view.prefer = PREFER_LOWEST;
	receive(TO_4, CANDIDATE, rank_of(4));
	assert_stood();
	receive(TO_1, CANDIDATE, rank_of(1));
	assert_int_equal(one.out.count, 0);
	expire();
	assert_decided(1);
}

TEST(node_that_is_not_eligible_takes_part_and_loses)
{
	begin_as((struct rank){ .is_eligible = false, .id = 3 }, LINKS);
	start();
	assert_stood();
	receive(TO_1, CANDIDATE, rank_of(1));
	assert_int_equal(one.out.count, 0);
	expire();
	assert_decided(1);
}

TEST(rank_is_what_the_candidate_says_not_what_was_known_of_it)
{
	struct rank one_up = { .is_eligible = true, .priority = 1, .id = 1 };

	begin();
	receive(TO_1, CANDIDATE, one_up);
	assert_int_equal(one.out.count, 0);
	assert_listens(true);
	expire();
	assert_decided(1);
}

TEST(nonsense_is_dropped)
{
	begin();
	expire();
	assert_nothing_came_of_it();
	receive(TO_1, CANDIDATE, rank_of(NODE_NONE));
	assert_nothing_came_of_it();
	receive(TO_1, CANDIDATE, rank_of(3)); /* our own id */
	assert_nothing_came_of_it();
	receive(TO_1, CANDIDATE, rank_of(4)); /* another's */
	assert_nothing_came_of_it();
	for (unsigned kind = CANDIDATE + 1; kind < MESSAGE_KINDS_MAX; kind++) {
		receive(TO_1, kind, rank_of(1));
		assert_nothing_came_of_it();
	}
	assert_phase("idle");
	receive(TO_4, CANDIDATE, rank_of(4));
	/* A repeated message does not keep the node waiting for ever. */
	receive(TO_4, CANDIDATE, rank_of(4));
	assert_nothing_came_of_it();
	one.links[TO_1].rank.id = NODE_NONE;
	receive(TO_1, CANDIDATE, rank_of(NODE_NONE));
	assert_nothing_came_of_it();
}

/* Any message at any time: check() holds, and each decision is for a better
 * one than the last. */
TEST(random_messages_never_break_it)
{
	struct random random;

	random_init(&random, 1);
	for (int run = 0; run < 20000; run++) {
		struct rank last = { .id = NODE_NONE };

		begin();
		for (int i = 0; i < 12; i++) {
			struct rank rank = {
				.is_eligible = random_below(&random, 2),
				.priority = (int32_t)random_below(&random, 3),
				.id = (node_id)random_below(&random, 6),
			};

			if (random_below(&random, 8) == 0)
				start();
			else if (random_below(&random, 8) == 0)
				expire();
			else
				receive((unsigned)random_below(&random, LINKS),
				    (unsigned)random_below(&random, 2), rank);
			if (!one.out.has_decided)
				continue;
			assert_false(rank_better(
			    &one.view.self, &one.out.winner, PREFER_HIGHEST));
			if (last.id != NODE_NONE)
				assert_true(rank_better(
				    &one.out.winner, &last, PREFER_HIGHEST));
			last = one.out.winner;
		}
	}
}
