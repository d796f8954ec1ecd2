/* SPDX-License-Identifier: ISC */
/*
 * Common promises of the algorithms for one-way rings, one instance at a time.
 * The rules of each are in a file of its own; the simulator has whole rings and
 * their counts.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/lib/instance.h"
#include "tests/lib/steps.h"

#define ALL 3

static const struct algorithm *const all[ALL] = { &algorithm_lelann,
	&algorithm_chang_roberts, &algorithm_ring_list };

/* Node 5. */
static struct instance one;

static void
begin(const struct algorithm *algorithm)
{
	instance_begin(&one, algorithm, NULL, instance_rank(5), RING_LINKS);
}

TEST(lists_too_long_hold_their_best_and_a_count)
{
	for (size_t i = 0; i < ALL; i += 2) {
		struct message m = { .origin = 101, .rank = { .id = 101 } };

		for (node_id id = 101; m.list_count < LIST_MAX; id++)
			message_list(&m, id);
		begin(all[i]);
		instance_start(&one);
		instance_receive(&one, RING_LEFT, &m);
		instance_assert_count(&one, 1);
		m = one.room[0].message;
		assert_int_equal(m.rank.id, 5);
		assert_int_equal(m.list_count, LIST_MAX + 1);
		assert_false(message_lists(&m, 101));
		m.origin = 102;
		m.rank = instance_rank(7);
		instance_receive(&one, RING_LEFT, &m);
		instance_assert_count(&one, 1);
		assert_int_equal(one.room[0].message.rank.id, 7);
		assert_int_equal(one.room[0].message.list_count, LIST_MAX + 2);
	}
}

/* In a ring of two both links lead to the same node. */
TEST(only_the_left_link_brings_messages)
{
	for (size_t i = 0; i < ALL; i++) {
		const char *election = all[i]->kinds[0];
		const char *leader = all[i]->kinds[1];

		steps(all[i],
		    "begin 2\n"
		    "start > right %s o5 5\n"
		    "right %s o5 5 refused\n"
		    "right %s o7 7 refused\n"
		    "left %s o7 7 > right %s o7 7\n"
		    "right %s o7 7 refused\n"
		    "left %s o7 7 > right %s o7 7, decides 7 = %s\n",
		    election, election, election, election, election, leader,
		    leader, leader, i == 2 ? "electing" : "decided");
	}
}

TEST(messages_without_sense_are_dropped_by_all)
{
	for (size_t i = 0; i < ALL; i++) {
		steps(all[i], "begin 2\n"
			      "left other o7 7 refused\n"
			      "left other o0 7 refused\n"
			      "left other o7 0 refused\n"
			      "timer = idle\n");
		for (size_t kind = 0; all[i]->kinds[kind] != NULL; kind++)
			steps(all[i],
			    "left %s o0 7 refused\n"
			    "left %s o7 0 refused = idle\n",
			    all[i]->kinds[kind], all[i]->kinds[kind]);
		if (all[i]->has_lists) /* it lists not even its origin */
			steps(all[i], "left %s o7 7 l refused = idle\n",
			    all[i]->kinds[0]);
	}
}

/* States are compared as bytes, so what a message has beside the fields that count
 * must not get into them. */
TEST(states_hold_no_padding)
{
	for (size_t i = 0; i < ALL; i++) {
		uint8_t first[INSTANCE_STATE_MAX];

		for (int fill = 0; fill < 256; fill += 255) {
			struct message m;

			memset(&m, fill, sizeof(m));
			m.kind = 0;
			m.rank = (struct rank){ .is_eligible = true, .id = 7 };
			m.origin = 7;
			m.list_count = 1;
			m.list[0] = 7;
			begin(all[i]);
			instance_start(&one);
			instance_receive(&one, RING_LEFT, &m);
			assert_true(one.out.count == 1);
			if (fill == 0)
				memcpy(first, one.state, sizeof(first));
		}
		assert_memory_equal(first, one.state, sizeof(first));
	}
}
