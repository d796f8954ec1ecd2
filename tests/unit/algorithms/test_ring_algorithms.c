/* SPDX-License-Identifier: ISC */
/*
 * Common promises of the algorithms for one-way rings, one instance at a time.
 * The rules of each are in a file of its own; the simulator has whole rings and
 * their counts.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "common/util/random.h"
#include "tests/lib/ring_node.h"

#define ALL 3

static const struct algorithm *const all[ALL] = { &algorithm_lelann,
	&algorithm_chang_roberts, &algorithm_ring_list };

TEST(lists_too_long_hold_their_best_and_a_count)
{
	for (size_t i = 0; i < 2; i++) {
		struct message m = ring_message(ELECTION, 101, 101);

		for (node_id id = 102; m.list_count < LIST_MAX; id++)
			message_list(&m, id);
		m.rank.priority = -1;
		ring_begin(i == 0 ? &algorithm_lelann : &algorithm_ring_list);
		ring_start();
		ring_give(RING_LEFT, &m);
		ring_assert_sent(ELECTION, 101, SELF);
		m = ring_node.room[0].message;
		assert_int_equal(m.list_count, LIST_MAX + 1);
		assert_false(message_lists(&m, 101));
		m.origin = 102;
		m.rank = instance_rank(7);
		ring_give(RING_LEFT, &m);
		ring_assert_sent(ELECTION, 102, 7);
		assert_int_equal(
		    ring_node.room[0].message.list_count, LIST_MAX + 2);
	}
}

TEST(alone_each_decides_at_once_without_a_message)
{
	for (size_t i = 0; i < ALL; i++) {
		for (unsigned bits = 0; bits < 12; bits++) {
			ring_prepare(&ring_node, all[i]);
			ring_node.choices.starters_only = bits & 1;
			ring_node.view.self.is_eligible = bits & 2;
			if (all[i]->choices & CHOICE_VARIANT)
				ring_node.choices.variant = (uint8_t)(bits / 4);
			ring_node.view.links_count = 0;
			ring_ready(&ring_node);
			ring_start();
			ring_assert_decided(SELF);
			assert_true(rank_equal(
			    &ring_node.out.winner, &ring_node.view.self));
			assert_int_equal(ring_node.out.count, 0);
			ring_start();
			ring_assert_nothing();
		}
	}
}

/* In a ring of two both links lead to the same node. */
TEST(only_the_left_link_brings_messages)
{
	for (size_t i = 0; i < ALL; i++) {
		struct message own = ring_message(ELECTION, SELF, SELF);
		struct message other = ring_message(ELECTION, 7, 7);

		ring_begin(all[i]);
		ring_start();
		ring_give(RING_RIGHT, &own);
		ring_assert_nothing();
		ring_give(RING_RIGHT, &other);
		ring_assert_nothing();
		ring_give(RING_LEFT, &other);
		assert_int_equal(ring_node.out.count, 1);
		assert_int_equal(ring_node.room[0].link, RING_RIGHT);
		other.kind = LEADER;
		ring_give(RING_RIGHT, &other);
		ring_assert_nothing();
		ring_give(RING_LEFT, &other);
		ring_assert_decided(7);
	}
}

TEST(messages_without_sense_are_dropped_by_all)
{
	for (size_t i = 0; i < ALL; i++) {
		ring_begin(all[i]);
		for (unsigned kind = 0; kind <= UINT8_MAX; kind++) {
			ring_assert_refused(kind, NODE_NONE, 7);
			ring_assert_refused(kind, 7, NODE_NONE);
			if (kind > LEADER)
				ring_assert_refused(kind, 7, 7);
		}
		outbox_clear(&ring_node.out);
		all[i]->step(ring_node.state,
		    &(struct input){ .kind = INPUT_TIMER }, &ring_node.out);
		ring_assert_nothing();
		ring_assert_phase("idle");
	}
	for (size_t i = 0; i < ALL; i++) {
		struct message m = ring_message(ELECTION, 7, 7);

		if (!all[i]->has_lists)
			continue;
		ring_begin(all[i]);
		m.list_count = 0; /* not even its origin */
		ring_give(RING_LEFT, &m);
		ring_assert_nothing();
		ring_assert_phase("idle");
	}
}

/* An input of any kind, from a few nodes, so that they meet again. */
static void
step_at_random(struct random *random)
{
	uint64_t bits = random_next(random);
	node_id id = bits >> 4 & 7;
	struct message m = {
		.kind = (bits & 3) == 0 ? LEADER : ELECTION,
		.rank = { bits >> 8 & 3, !(bits >> 10 & 15), 0, id },
		.origin = bits >> 16 & 1 ? id : bits >> 17 & 7,
		.list_count = bits >> 24 & 31,
	};

	for (unsigned i = 0; i < m.list_count && m.list_count <= LIST_MAX; i++)
		m.list[i] = 1 + (node_id)random_below(random, 30);
	if ((bits >> 32 & 15) == 0)
		ring_start();
	else
		ring_give((bits >> 36 & 15) == 0 ? RING_RIGHT : RING_LEFT, &m);
}

/* Any message at any time: check() holds, no node decides twice, and no node
 * that can win decides for a worse one. */
TEST(random_messages_never_break_any)
{
	struct random random;

	random_init(&random, 1);
	for (int run = 0; run < 60000; run++) {
		unsigned decisions = 0;

		ring_prepare(&ring_node, all[run % ALL]);
		ring_node.choices.starters_only = run & 8;
		if (ring_node.algorithm->choices & CHOICE_VARIANT)
			ring_node.choices.variant = (uint8_t)(run / 16 % 3);
		ring_node.view.prefer =
		    run & 64 ? PREFER_LOWEST : PREFER_HIGHEST;
		ring_node.view.self.is_eligible = run & 896;
		ring_ready(&ring_node);
		for (int i = 0; i < 16; i++) {
			step_at_random(&random);
			if (!ring_node.out.has_decided)
				continue;
			decisions++;
			if (!ring_node.choices.starters_only)
				assert_false(rank_better(&ring_node.view.self,
				    &ring_node.out.winner,
				    ring_node.view.prefer));
		}
		assert_true(decisions <= 1);
	}
}

/* States are compared as bytes, so the gaps between a message's fields must not
 * get into them. */
TEST(states_hold_no_padding)
{
	for (size_t i = 0; i < ALL; i++) {
		uint8_t first[INSTANCE_STATE_MAX];

		for (int fill = 0; fill < 256; fill += 255) {
			struct message m;

			memset(&m, fill, sizeof(m));
			m.rank.is_eligible = true;
			m.rank.is_contender = false;
			m.rank.priority = 0;
			m.rank.id = 7;
			m.origin = 7;
			m.kind = ELECTION;
			m.list_count = 1;
			m.list[0] = 7;
			ring_begin(all[i]);
			ring_start();
			ring_give(RING_LEFT, &m);
			assert_true(ring_node.out.count == 1);
			if (fill == 0)
				memcpy(first, ring_node.state, sizeof(first));
		}
		assert_memory_equal(first, ring_node.state, sizeof(first));
	}
}

TEST(registry_describes_them)
{
	assert_ptr_equal(algorithm_find("lelann"), &algorithm_lelann);
	assert_ptr_equal(
	    algorithm_find("chang-roberts"), &algorithm_chang_roberts);
	assert_ptr_equal(algorithm_find("ring-list"), &algorithm_ring_list);
	for (size_t i = 0; i < ALL; i++) {
		assert_int_equal(all[i]->topology, TOPOLOGY_RING);
		assert_true(all[i]->choices & CHOICE_JOIN);
		assert_null(all[i]->kinds[LEADER + 1]);
	}
	assert_string_equal(algorithm_lelann.kinds[ELECTION], "CANDIDATE");
	assert_string_equal(algorithm_lelann.kinds[LEADER], "LEADER");
	assert_string_equal(
	    algorithm_chang_roberts.kinds[ELECTION], "ELECTION");
	assert_string_equal(algorithm_chang_roberts.kinds[LEADER], "LEADER");
	assert_string_equal(algorithm_ring_list.kinds[ELECTION], "ELECTION");
	assert_string_equal(algorithm_ring_list.kinds[LEADER], "COORDINATOR");
	assert_string_equal(algorithm_chang_roberts.variants[0], "standard");
	assert_string_equal(
	    algorithm_chang_roberts.variants[1], "bidirectional");
	assert_string_equal(algorithm_chang_roberts.variants[2], "replace");
	assert_null(algorithm_chang_roberts.variants[3]);
}
