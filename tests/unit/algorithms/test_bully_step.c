/* SPDX-License-Identifier: ISC */
/*
 * One instance of the bully algorithm. A test gives it its inputs by hand: each
 * transition, and messages that no honest node sends.
 */
#include "tests/unit/group.h"

#include <stdalign.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/util/random.h"

#define STATE_MAX 128
#define LINKS     3

enum kind {
	ELECTION,
	OK,
	COORDINATOR,
};

/* Node 3 of 1, 2, 3, 4: two are worse, one is better. */
struct one {
	alignas(max_align_t) uint8_t state[STATE_MAX];
	struct view_link links[LINKS];
	struct view view;
	struct outgoing room[2 * LINKS + 1];
	struct outbox out;
};

static struct one one;

enum link {
	TO_1,
	TO_2,
	TO_4,
};

static struct rank
rank_of(node_id id)
{
	return (struct rank){ .is_eligible = true, .id = id };
}

static void
begin(void)
{
	memset(&one, 0xa5, sizeof(one));
	one.links[TO_1].rank = rank_of(1);
	one.links[TO_2].rank = rank_of(2);
	one.links[TO_4].rank = rank_of(4);
	one.view = (struct view){
		.self = rank_of(3), .links = one.links, .links_count = LINKS
	};
	one.out = (struct outbox){ .messages = one.room,
		.capacity = outbox_capacity(LINKS) };
	algorithm_bully.init(one.state, &one.view);
	algorithm_bully.check(one.state);
}

static void
step(const struct input *in)
{
	outbox_clear(&one.out);
	algorithm_bully.step(one.state, in, &one.out);
	algorithm_bully.check(one.state);
}

static void
start(void)
{
	step(&(struct input){ .kind = INPUT_START });
}

static void
receive(unsigned link, unsigned kind, struct rank rank)
{
	struct message m = { .kind = (uint8_t)kind, .rank = rank };

	step(&(struct input){ INPUT_MESSAGE, link, &m });
}

static void
assert_phase(const char *phase)
{
	assert_string_equal(algorithm_bully.phase(one.state), phase);
}

/* The i-th message of the last step. */
static void
assert_sent(size_t i, unsigned link, enum kind kind)
{
	assert_true(i < one.out.count);
	assert_int_equal(one.out.messages[i].link, link);
	assert_int_equal(one.out.messages[i].message.kind, kind);
	assert_true(
	    rank_equal(&one.out.messages[i].message.rank, &one.view.self));
}

static void
assert_nothing_came_of_it(void)
{
	assert_int_equal(one.out.count, 0);
	assert_false(one.out.has_decided);
}

TEST(starter_asks_the_better_and_waits_for_the_winner)
{
	struct rank four = rank_of(4);

	begin();
	assert_phase("idle");
	start();
	assert_phase("asking");
	assert_int_equal(one.out.count, 1);
	assert_sent(0, TO_4, ELECTION);
	receive(TO_4, OK, four);
	assert_nothing_came_of_it();
	assert_phase("waiting");
	receive(TO_4, COORDINATOR, four);
	assert_int_equal(one.out.count, 0);
	assert_true(one.out.has_decided);
	assert_true(rank_equal(&one.out.winner, &four));
	assert_phase("decided");
}

TEST(nobody_starts_twice)
{
	begin();
	start();
	start();
	assert_nothing_came_of_it();
	receive(TO_1, ELECTION, rank_of(1));
	assert_int_equal(one.out.count, 1);
	assert_sent(0, TO_1, OK);
	receive(TO_1, ELECTION, rank_of(1));
	assert_int_equal(one.out.count, 1);
}

TEST(worse_node_is_answered_and_then_outdone)
{
	begin();
	receive(TO_2, ELECTION, rank_of(2));
	assert_int_equal(one.out.count, 2);
	assert_sent(0, TO_2, OK);
	assert_sent(1, TO_4, ELECTION);
	assert_phase("asking");
}

/* COORDINATOR and ELECTION travel by different links: the count must not
 * depend on which is faster. */
TEST(election_that_comes_after_the_winner_is_held_all_the_same)
{
	begin();
	receive(TO_4, COORDINATOR, rank_of(4));
	assert_phase("decided");
	receive(TO_1, ELECTION, rank_of(1));
	assert_int_equal(one.out.count, 2);
	assert_sent(0, TO_1, OK);
	assert_sent(1, TO_4, ELECTION);
	assert_false(one.out.has_decided);
	assert_phase("decided");
	receive(TO_4, OK, rank_of(4));
	assert_phase("decided");
}

TEST(worse_coordinator_is_bullied)
{
	begin();
	receive(TO_2, COORDINATOR, rank_of(2));
	assert_int_equal(one.out.count, 1);
	assert_sent(0, TO_4, ELECTION);
	assert_false(one.out.has_decided);
	assert_phase("asking");
	receive(TO_1, COORDINATOR, rank_of(1));
	assert_nothing_came_of_it();
	assert_phase("asking");
}

TEST(decision_changes_only_for_a_better_winner)
{
	begin();
	receive(TO_4, COORDINATOR, rank_of(5));
	assert_true(one.out.has_decided);
	receive(TO_4, COORDINATOR, rank_of(5));
	assert_nothing_came_of_it();
	receive(TO_4, COORDINATOR, rank_of(4));
	assert_nothing_came_of_it();
	receive(TO_4, COORDINATOR, rank_of(6));
	assert_true(one.out.has_decided);
	assert_int_equal(one.out.winner.id, 6);
}

TEST(messages_that_make_no_sense_are_dropped)
{
	begin();
	for (unsigned kind = 0; kind < MESSAGE_KINDS_MAX; kind++) {
		receive(TO_1, kind, rank_of(NODE_NONE));
		assert_nothing_came_of_it();
		receive(TO_1, kind, rank_of(3)); /* our own id */
		assert_nothing_came_of_it();
		if (kind > COORDINATOR) {
			receive(TO_1, kind, rank_of(1));
			assert_nothing_came_of_it();
		}
		assert_phase("idle");
	}
	/* A better one asks a worse one; an answer to no question. */
	receive(TO_4, ELECTION, rank_of(4));
	assert_nothing_came_of_it();
	receive(TO_4, OK, rank_of(4));
	assert_nothing_came_of_it();
	assert_phase("idle");
}

/* Any message at any time: check() holds, and the node decides for none that is
 * worse than itself. */
TEST(random_messages_never_break_it)
{
	struct random random;

	random_init(&random, 1);
	for (int run = 0; run < 20000; run++) {
		begin();
		for (int i = 0; i < 12; i++) {
			uint64_t bits = random_next(&random);
			struct rank rank = {
				.is_eligible = bits & 1,
				.is_contender = bits & 2,
				.priority = (int32_t)(bits >> 2 & 3) - 1,
				.id = (node_id)(bits >> 4 & 7),
			};

			if ((bits >> 7 & 15) == 0)
				start();
			else
				receive((unsigned)(bits >> 11) % LINKS,
				    (unsigned)(bits >> 13) % 4, rank);
			if (one.out.has_decided)
				assert_false(rank_better(&one.view.self,
				    &one.out.winner, PREFER_HIGHEST));
		}
	}
}

TEST(registry_knows_every_algorithm_by_name)
{
	assert_ptr_equal(algorithm_find("bully"), &algorithm_bully);
	assert_null(algorithm_find("bull"));
	assert_null(algorithm_find(""));
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		assert_ptr_equal(
		    algorithm_find(algorithms[i]->name), algorithms[i]);
		assert_non_null(algorithms[i]->summary);
		assert_non_null(algorithms[i]->kinds[0]);
	}
	assert_string_equal(algorithm_bully.kinds[ELECTION], "ELECTION");
	assert_string_equal(algorithm_bully.kinds[OK], "OK");
	assert_string_equal(algorithm_bully.kinds[COORDINATOR], "COORDINATOR");
	assert_null(algorithm_bully.kinds[COORDINATOR + 1]);
}
