/* SPDX-License-Identifier: ISC */
/*
 * Hirschberg and Sinclair's algorithm: one instance, rule by rule and by link
 * number; and whole rings, counted and timed.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

#define PHASE_MAX 31

enum kind {
	PROBE,
	REPLY,
	LEADER,
};

static const struct algorithm *const hs = &algorithm_hirschberg_sinclair;
static const struct choices starters_only = { .starters_only = true };

/* Node 5, unless a case says otherwise. */
static struct instance one;

static struct message
message(enum kind kind, node_id id, uint32_t phase, uint32_t distance)
{
	return (struct message){
		.kind = (uint8_t)kind,
		.rank = instance_rank(id),
		.phase = phase,
		.distance = distance,
	};
}

static void
receive(struct instance *it, unsigned link, enum kind kind, node_id id,
    uint32_t phase, uint32_t distance)
{
	struct message m = message(kind, id, phase, distance);

	instance_receive(it, link, &m);
}

static void
assert_refuses(unsigned link, enum kind kind, node_id id, uint32_t phase,
    uint32_t distance)
{
	struct message m = message(kind, id, phase, distance);

	instance_assert_refuses(&one, link, &m);
}

static void
assert_sent(const struct instance *it, size_t i, unsigned link, enum kind kind,
    node_id id, uint32_t phase, uint32_t distance)
{
	struct message m = message(kind, id, phase, distance);

	instance_assert_sent(it, i, link, &m);
}

static void
begin(const struct choices *choices)
{
	instance_begin(&one, hs, choices, instance_rank(5), RING_LINKS);
}

/* Asserts that the last step sent only one message, and decided nothing. */
static void
assert_sent_only(unsigned link, enum kind kind, node_id id, uint32_t phase,
    uint32_t distance)
{
	instance_assert_count(&one, 1);
	assert_sent(&one, 0, link, kind, id, phase, distance);
	instance_assert_undecided(&one);
}

/* REPLY to node 5, as it arrives: from both sides, all phases below k. */
static void
win_phases(struct instance *it, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++) {
		receive(it, RING_RIGHT, REPLY, 5, i, (uint32_t)1 << i);
		instance_assert_count(it, 0);
		receive(it, RING_LEFT, REPLY, 5, i, (uint32_t)1 << i);
	}
}

TEST(starter_probes_both_neighbours)
{
	begin(NULL);
	instance_assert_phase(&one, "asleep");
	instance_start(&one);
	instance_assert_phase(&one, "probing");
	instance_assert_count(&one, 2);
	assert_sent(&one, 0, RING_LEFT, PROBE, 5, 0, 1);
	assert_sent(&one, 1, RING_RIGHT, PROBE, 5, 0, 1);
	instance_assert_undecided(&one);
	instance_start(&one);
	instance_assert_count(&one, 0);
}

TEST(sleeper_wakes_at_a_probe_and_probes_too)
{
	begin(NULL);
	receive(&one, RING_LEFT, PROBE, 9, 0, 1);
	instance_assert_phase(&one, "probing");
	instance_assert_count(&one, 3);
	assert_sent(&one, 0, RING_LEFT, PROBE, 5, 0, 1);
	assert_sent(&one, 1, RING_RIGHT, PROBE, 5, 0, 1);
	assert_sent(&one, 2, RING_LEFT, REPLY, 9, 0, 1);
	begin(NULL);
	receive(&one, RING_RIGHT, PROBE, 3, 0, 1);
	instance_assert_count(&one, 2);
	instance_assert_phase(&one, "probing");
}

TEST(worse_probe_is_swallowed)
{
	begin(NULL);
	instance_start(&one);
	assert_refuses(RING_LEFT, PROBE, 3, 0, 1);
	assert_refuses(RING_RIGHT, PROBE, 4, 2, 3);
}

TEST(better_probe_goes_on_as_far_as_it_may)
{
	begin(NULL);
	instance_start(&one);
	receive(&one, RING_LEFT, PROBE, 9, 2, 3);
	assert_sent_only(RING_RIGHT, PROBE, 9, 2, 4);
	receive(&one, RING_RIGHT, PROBE, 9, 2, 3);
	assert_sent_only(RING_LEFT, PROBE, 9, 2, 4);
	receive(&one, RING_LEFT, PROBE, 9, 2, 4);
	assert_sent_only(RING_LEFT, REPLY, 9, 2, 1);
	receive(&one, RING_RIGHT, PROBE, 9, 2, 4);
	assert_sent_only(RING_RIGHT, REPLY, 9, 2, 1);
}

TEST(reply_to_another_is_passed_back_as_far_as_its_probe_came)
{
	begin(NULL);
	instance_start(&one);
	receive(&one, RING_RIGHT, REPLY, 9, 2, 3);
	assert_sent_only(RING_LEFT, REPLY, 9, 2, 4);
	receive(&one, RING_LEFT, REPLY, 3, 1, 1);
	assert_sent_only(RING_RIGHT, REPLY, 3, 1, 2);
	assert_refuses(RING_RIGHT, REPLY, 9, 2, 4);
}

TEST(replies_from_both_sides_double_the_reach)
{
	begin(NULL);
	instance_start(&one);
	receive(&one, RING_LEFT, REPLY, 5, 0, 1);
	instance_assert_count(&one, 0);
	assert_refuses(RING_LEFT, REPLY, 5, 0, 1);  /* the same again */
	assert_refuses(RING_RIGHT, REPLY, 5, 1, 2); /* of another phase */
	receive(&one, RING_RIGHT, REPLY, 5, 0, 1);
	instance_assert_count(&one, 2);
	assert_sent(&one, 0, RING_LEFT, PROBE, 5, 1, 1);
	assert_sent(&one, 1, RING_RIGHT, PROBE, 5, 1, 1);
	assert_refuses(RING_RIGHT, REPLY, 5, 0, 1);
	assert_refuses(RING_RIGHT, REPLY, 5, 1, 1); /* not so far from us */
	receive(&one, RING_RIGHT, REPLY, 5, 1, 2);
	receive(&one, RING_LEFT, REPLY, 5, 1, 2);
	assert_sent(&one, 0, RING_LEFT, PROBE, 5, 2, 1);
}

TEST(own_probe_that_comes_round_wins_once)
{
	begin(NULL);
	instance_start(&one);
	win_phases(&one, 2);
	assert_refuses(RING_LEFT, PROBE, 5, 1, 2); /* of a phase that is over */
	receive(&one, RING_LEFT, PROBE, 5, 2, 3);
	instance_assert_decided(&one, 5);
	instance_assert_count(&one, 1);
	assert_sent(&one, 0, RING_RIGHT, LEADER, 5, 0, 0);
	assert_refuses(RING_RIGHT, PROBE, 5, 2, 3);
	assert_refuses(RING_LEFT, LEADER, 5, 0, 0);
}

TEST(leader_message_goes_to_the_right_and_ends_it)
{
	begin(NULL);
	instance_start(&one);
	assert_refuses(RING_RIGHT, LEADER, 9, 0, 0);
	receive(&one, RING_LEFT, LEADER, 9, 0, 0);
	instance_assert_decided(&one, 9);
	instance_assert_count(&one, 1);
	assert_sent(&one, 0, RING_RIGHT, LEADER, 9, 0, 0);
	assert_refuses(RING_LEFT, LEADER, 9, 0, 0);
	assert_refuses(RING_LEFT, LEADER, 10, 0, 0);
}

TEST(decided_node_relays_and_begins_no_phase)
{
	begin(NULL);
	instance_start(&one);
	receive(&one, RING_LEFT, REPLY, 5, 0, 1);
	receive(&one, RING_LEFT, LEADER, 9, 0, 0);
	assert_refuses(RING_RIGHT, REPLY, 5, 0, 1);
	assert_refuses(RING_RIGHT, PROBE, 5, 0, 1);
	receive(&one, RING_RIGHT, PROBE, 9, 3, 4);
	assert_sent_only(RING_LEFT, PROBE, 9, 3, 5);
	receive(&one, RING_LEFT, REPLY, 7, 1, 1);
	assert_sent_only(RING_RIGHT, REPLY, 7, 1, 2);
	assert_refuses(RING_RIGHT, PROBE, 4, 1, 1);
}

TEST(other_node_relays_everything_where_only_starters_win)
{
	begin(&starters_only);
	receive(&one, RING_LEFT, PROBE, 2, 1, 1);
	assert_sent_only(RING_RIGHT, PROBE, 2, 1, 2);
	instance_assert_phase(&one, "relaying");
	receive(&one, RING_LEFT, PROBE, 2, 1, 2);
	assert_sent_only(RING_LEFT, REPLY, 2, 1, 1);
	instance_start(&one);
	instance_assert_count(&one, 0);
	receive(&one, RING_LEFT, LEADER, 2, 0, 0);
	instance_assert_decided(&one, 2);
	receive(&one, RING_RIGHT, PROBE, 1, 1, 1);
	assert_sent_only(RING_LEFT, PROBE, 1, 1, 2);
}

TEST(starter_swallows_worse_probes_after_the_end_too)
{
	begin(&starters_only);
	instance_start(&one);
	assert_refuses(RING_LEFT, LEADER, 2, 0, 0);
	receive(&one, RING_LEFT, LEADER, 9, 0, 0);
	instance_assert_decided(&one, 9);
	assert_refuses(RING_RIGHT, PROBE, 3, 1, 1);
}

TEST(nonsense_is_dropped)
{
	struct message same_id = message(PROBE, 5, 0, 1);

	begin(NULL);
	assert_refuses(RING_LEFT, LEADER, 3, 0, 0); /* we would have won */
	assert_refuses(RING_LEFT, LEADER, 5, 0, 0); /* we have not */
	assert_refuses(RING_LEFT, PROBE, 5, 0, 1);
	assert_refuses(RING_LEFT, REPLY, 5, 0, 1);
	instance_start(&one);
	for (unsigned kind = PROBE; kind < MESSAGE_KINDS_MAX; kind++) {
		assert_refuses(RING_LEFT, kind, NODE_NONE, 0, 1);
		if (kind > LEADER)
			assert_refuses(RING_LEFT, kind, 9, 0, 1);
	}
	for (enum kind kind = PROBE; kind <= REPLY; kind++) {
		assert_refuses(RING_LEFT, kind, 9, 0, 0);
		assert_refuses(RING_LEFT, kind, 9, 0, 2);
		assert_refuses(RING_LEFT, kind, 9, 2, 5);
		assert_refuses(RING_LEFT, kind, 9, PHASE_MAX + 1, 1);
		assert_refuses(RING_LEFT, kind, 9, UINT32_MAX, 1);
		assert_refuses(RING_LEFT, kind, 9, PHASE_MAX, UINT32_MAX);
	}
	same_id.rank.priority = 1;
	instance_assert_refuses(&one, RING_LEFT, &same_id);
}

TEST(phases_end_where_no_ring_is_so_long)
{
	begin(NULL);
	instance_start(&one);
	win_phases(&one, PHASE_MAX);
	assert_sent(&one, 0, RING_LEFT, PROBE, 5, PHASE_MAX, 1);
	win_phases(&one, PHASE_MAX + 1);
	instance_assert_count(&one, 0);
	receive(&one, RING_RIGHT, PROBE, 9, PHASE_MAX, 1);
	assert_sent_only(RING_LEFT, PROBE, 9, PHASE_MAX, 2);
}

/* Takes the i-th message from one of two nodes to the other: the right side of
 * one is the left of the other. */
static void
hand_over(const struct instance *from, size_t i, struct instance *to)
{
	const struct outgoing *o = &from->out.messages[i];
	struct outgoing copy;

	assert_true(i < from->out.count);
	copy = *o;
	instance_receive(to, copy.link == RING_RIGHT ? RING_LEFT : RING_RIGHT,
	    &copy.message);
}

/* Node 5 and node 2, both ways: only the links tell its PROBEs apart. */
TEST(two_nodes_are_a_ring)
{
	static struct instance two;

	begin(NULL);
	instance_begin(&two, hs, NULL, instance_rank(2), RING_LINKS);
	instance_start(&one);
	hand_over(&one, 0, &two); /* the PROBE to the left wakes it */
	instance_assert_count(&two, 3);
	assert_sent(&two, 2, RING_RIGHT, REPLY, 5, 0, 1);
	receive(&one, RING_LEFT, REPLY, 5, 0, 1);
	assert_refuses(RING_RIGHT, PROBE, 2, 0, 1);
	assert_refuses(RING_LEFT, PROBE, 2, 0, 1);
	receive(&two, RING_LEFT, PROBE, 5, 0, 1);
	hand_over(&two, 0, &one);
	assert_sent(&one, 1, RING_RIGHT, PROBE, 5, 1, 1);
	hand_over(&one, 1, &two);
	assert_sent(&two, 0, RING_RIGHT, PROBE, 5, 1, 2);
	hand_over(&two, 0, &one);
	instance_assert_decided(&one, 5);
	hand_over(&one, 0, &two);
	instance_assert_decided(&two, 5);
	hand_over(&two, 0, &one); /* LEADER is back */
	instance_assert_count(&one, 0);
	receive(&two, RING_RIGHT, PROBE, 5, 1, 1); /* the PROBE to the left */
	assert_sent(&two, 0, RING_LEFT, PROBE, 5, 1, 2);
	hand_over(&two, 0, &one);
	instance_assert_count(&one, 0);
	instance_assert_undecided(&one);
}
