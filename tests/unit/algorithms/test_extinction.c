/* SPDX-License-Identifier: ISC */
/*
 * One instance of the echo with adoption: its four cases, by the mark of the
 * link and the best known initiator, the echo and the announcement, and
 * messages that no honest neighbour sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/lib/instance.h"

enum kind {
	EXPLORER,
	ECHO,
	LEADER,
};

/* Node 5. */
static struct instance one;

static void
begin(size_t links_count)
{
	instance_begin(
	    &one, &algorithm_extinction, NULL, instance_rank(5), links_count);
	instance_assert_phase(&one, "idle");
}

static struct message
explorer(node_id origin)
{
	return (struct message){ .kind = EXPLORER, .origin = origin };
}

static struct message
echo(node_id origin, node_id best)
{
	return (struct message){
		.kind = ECHO,
		.rank = instance_rank(best),
		.origin = origin,
	};
}

static struct message
leader(node_id origin, node_id winner)
{
	struct message m = echo(origin, winner);

	m.kind = LEADER;
	return m;
}

static void
receive(unsigned link, struct message m)
{
	instance_receive(&one, link, &m);
}

static void
refuse(unsigned link, struct message m)
{
	instance_assert_refuses(&one, link, &m);
}

/* The i-th message of the last step. */
static void
assert_sent(size_t i, unsigned link, struct message m)
{
	instance_assert_sent(&one, i, link, &m);
}

/* Asserts that the last step sent so many and decided nothing. */
static void
assert_count(size_t count, const char *phase)
{
	instance_assert_count(&one, count);
	instance_assert_undecided(&one);
	instance_assert_phase(&one, phase);
}

TEST(starter_whose_wave_is_complete_knows_the_best_of_all)
{
	begin(3);
	instance_start(&one);
	assert_count(3, "exploring");
	for (unsigned i = 0; i < 3; i++)
		assert_sent(i, i, explorer(5));
	receive(0, echo(5, 8));
	assert_count(0, "exploring");
	receive(1, explorer(5));
	assert_count(0, "exploring");
	receive(2, echo(5, 7));
	instance_assert_decided(&one, 8);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, leader(5, 8));
	assert_sent(1, 2, leader(5, 8));
}

TEST(first_explorer_is_passed_on_in_all_other_directions)
{
	begin(3);
	receive(1, explorer(3));
	assert_count(2, "exploring");
	assert_sent(0, 0, explorer(3));
	assert_sent(1, 2, explorer(3));
	receive(2, echo(3, 9));
	receive(0, echo(3, 4));
	assert_count(1, "echoed");
	assert_sent(0, 1, echo(3, 9));
	receive(1, leader(3, 10));
	instance_assert_decided(&one, 10);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, leader(3, 10));
	assert_sent(1, 2, leader(3, 10));
}

TEST(leaf_echoes_at_once)
{
	begin(1);
	receive(0, explorer(3));
	assert_count(1, "echoed");
	assert_sent(0, 0, echo(3, 5));
	receive(0, leader(3, 9));
	instance_assert_decided(&one, 9);
	instance_assert_count(&one, 0);
}

/* IDx = IDm */
TEST(case_1_equal_marks_make_the_link_no_part_of_the_tree)
{
	begin(3);
	receive(0, explorer(8));
	receive(1, explorer(8));
	assert_count(0, "exploring");
	refuse(1, explorer(9)); /* nothing more comes of it */
	refuse(1, echo(8, 9));
	receive(2, explorer(8));
	assert_count(1, "echoed");
	assert_sent(0, 0, echo(8, 5));
	receive(0, leader(8, 8));
	instance_assert_decided(&one, 8);
	instance_assert_count(&one, 0);
}

/* IDx < IDm */
TEST(case_2_explorer_worse_than_the_mark_is_ignored)
{
	begin(2);
	instance_start(&one);
	refuse(0, explorer(3));
	refuse(1, explorer(4));
	receive(0, explorer(5));
	receive(1, echo(5, 4));
	instance_assert_decided(&one, 5);
}

/* IDm < IDx = IDi: the link's other end was reached another way. */
TEST(case_3_explorer_better_than_the_mark_is_answered)
{
	begin(3);
	receive(0, explorer(3)); /* links 1 and 2 are marked 3 */
	receive(1, explorer(8));
	assert_count(1, "exploring");
	assert_sent(0, 0, explorer(8));
	receive(2, explorer(8));
	assert_count(1, "exploring");
	assert_sent(0, 2, explorer(8));
	/* That settles link 2; the former parent's answer settles link 0. */
	refuse(2, explorer(8));
	receive(0, explorer(8));
	assert_count(1, "echoed");
	assert_sent(0, 1, echo(8, 5));
}

/* IDm < IDx < IDi: the answer is the best we know, and the link stays open. */
TEST(case_3_sender_of_a_worse_explorer_gets_an_answer)
{
	begin(2);
	instance_start(&one);
	receive(0, explorer(8));
	assert_count(0, "exploring");
	receive(1, explorer(7));
	assert_count(1, "exploring");
	assert_sent(0, 1, explorer(8));
	refuse(1, echo(5, 6)); /* of the wave that is no more */
	receive(1, echo(8, 7));
	assert_count(1, "echoed");
	assert_sent(0, 0, echo(8, 7));
}

/* IDm <= IDi < IDx */
TEST(case_4_adoption_passes_the_wave_to_the_former_parent)
{
	begin(3);
	receive(0, explorer(3));
	receive(2, echo(3, 6)); /* this subtree is not explored again */
	receive(1, explorer(8));
	assert_count(1, "exploring");
	assert_sent(0, 0, explorer(8));
	receive(0, echo(8, 7));
	assert_count(1, "echoed");
	assert_sent(0, 1, echo(8, 7));
	receive(1, leader(8, 8));
	instance_assert_decided(&one, 8);
	instance_assert_count(&one, 2);
	assert_sent(0, 0, leader(8, 8));
	assert_sent(1, 2, leader(8, 8));
}

TEST(case_4_adopted_root_has_no_parent_to_tell)
{
	begin(2);
	instance_start(&one);
	receive(0, echo(5, 4));
	receive(1, explorer(8));
	assert_count(1, "echoed");
	assert_sent(0, 1, echo(8, 5));
}

TEST(case_4_parent_that_was_adopted_itself_stays_the_parent)
{
	begin(2);
	receive(0, explorer(3));
	assert_sent(0, 1, explorer(3));
	receive(0, explorer(8));
	assert_count(0, "exploring");
	refuse(0, explorer(7));
	receive(1, echo(3, 4)); /* answers what was sent on that link */
	assert_count(1, "echoed");
	assert_sent(0, 0, echo(8, 5));
}

TEST(lowest_is_best_where_that_is_preferred)
{
	begin(2);
	one.view.prefer = PREFER_LOWEST;
	instance_start(&one);
	refuse(0, explorer(6));
	receive(0, explorer(3));
	assert_count(0, "exploring");
	receive(1, echo(5, 2));
	assert_count(1, "echoed");
	assert_sent(0, 0, echo(3, 2));
	refuse(0, leader(3, 3));
	receive(0, leader(3, 1));
	instance_assert_decided(&one, 1);
}

/* Initiators are compared by id, ranks in full. */
TEST(node_that_is_not_eligible_starts_all_the_same)
{
	struct rank self = { .is_eligible = false, .id = 5 };

	instance_begin(&one, &algorithm_extinction, NULL, self, 1);
	instance_start(&one);
	refuse(0, explorer(4));
	receive(0, echo(5, 2));
	instance_assert_decided(&one, 2);
}

TEST(explorer_or_echo_that_makes_no_sense_is_dropped)
{
	struct message m = echo(3, 5);

	begin(3);
	refuse(0, explorer(NODE_NONE));
	refuse(0, explorer(5)); /* ours: we have not sent any */
	refuse(0, echo(3, 9));
	refuse(0, echo(NODE_NONE, 9));
	receive(0, explorer(3));
	refuse(0, explorer(3));
	refuse(0, explorer(2));
	refuse(1, explorer(5));
	refuse(0, echo(3, 9)); /* a parent sends none */
	refuse(1, echo(4, 9));
	refuse(1, echo(3, NODE_NONE));
	m.rank.priority = 1;
	refuse(1, m); /* our rank, as it is not */
	receive(1, echo(3, 4));
	refuse(1, echo(3, 9));
	refuse(1, explorer(9));
	receive(2, echo(3, 4));
	assert_count(1, "echoed");
	refuse(0, explorer(9));
	refuse(2, explorer(9));
}

TEST(leader_that_makes_no_sense_is_dropped)
{
	struct message m = leader(3, 9);

	begin(2);
	refuse(0, leader(3, 9));
	receive(0, explorer(3));
	refuse(0, leader(3, 9)); /* our subtree is not complete */
	receive(1, echo(3, 8));
	refuse(1, leader(3, 9));
	refuse(0, leader(3, 7)); /* worse than we know */
	refuse(0, leader(3, NODE_NONE));
	refuse(0, leader(NODE_NONE, 9));
	for (m.kind = LEADER + 1; m.kind < MESSAGE_KINDS_MAX; m.kind++)
		refuse(0, m);
	receive(0, leader(3, 9));
	instance_assert_decided(&one, 9);
	refuse(0, leader(3, 10));
	refuse(1, explorer(10));
}
