/* SPDX-License-Identifier: ISC */
/*
 * A node of a virtual tree: when its neighbour's words let it elect, and what
 * it tells of its place. Node 2, and member 1, which says what the test wants;
 * node 3 does not run.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

static struct stage s;
static struct member *const member = &s.members[0];

static void
begin(void)
{
	stage_set(&s, 1);
	stage_path(&s);
	s.setups[0].algorithm = &algorithm_tree;
	stage_begin(&s, 500 * MSEC);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

static int
enter(void **state)
{
	(void)state;
	begin();
	return 0;
}

/* The member says where it stands. */
static void
say(uint64_t epoch, node_id root, unsigned level, bool is_parent, bool is_child)
{
	const struct tree_word word = {
		.label = { .epoch = epoch,
		    .root = root,
		    .level = (uint16_t)level },
		.is_parent = is_parent,
		.is_child = is_child,
	};
	uint8_t frame[FRAME_BYTES + TREE_WORD_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_tree(&w, &word);
	stage_beat(&s, 0, frame, w.size, 1);
}

static struct tree_place
place(void)
{
	return stage_status(&s, 0).tree;
}

static enum tree_side
side(void)
{
	return node_peer_status(s.nodes[0], 0).tree_side;
}

#define BARE(name) STAGE_CASE(name, NULL, &s)
#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(node_is_forming_until_its_neighbour_has_spoken)
{
	assert_true(place().has_tree);
	assert_true(place().is_forming);
	assert_int_equal(place().parent, NODE_NONE);
	assert_int_equal(stage_elect(&s, 0), 0);
	say(0, 2, 1, true, false);
	assert_false(place().is_forming);
	assert_int_equal(place().root, 2);
	assert_int_equal(side(), TREE_SIDE_CHILD);
	assert_int_not_equal(stage_elect(&s, 0), 0);
}

CASE(node_counts_its_parent_once_that_knows_it)
{
	say(0, 1, 0, false, false);
	assert_int_equal(place().parent, 1);
	assert_int_equal(place().level, 1);
	assert_true(place().is_forming);
	assert_int_equal(side(), TREE_SIDE_NONE);
	assert_true(member->tree.is_parent);
	say(0, 1, 0, false, true);
	assert_false(place().is_forming);
	assert_int_equal(side(), TREE_SIDE_PARENT);
}

CASE(child_is_told_at_once_that_it_is_known)
{
	unsigned before;

	before = member->trees;
	say(0, 2, 1, true, false);
	assert_true(member->trees > before);
	assert_true(member->tree.is_child);
	assert_false(member->tree.is_parent);
	assert_int_equal(member->tree.label.root, 2);
}

/* A leader that is worse and comes with a link that is not in the tree yet. */
CASE(leader_of_a_tree_that_is_forming_heeds_no_other)
{
	const struct beacon beacon = member_beacon(member, 9, 1);

	say(0, 2, 1, true, false);
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_ELECTING);
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	stage_join(&s, 0);
	assert_true(place().is_forming);
	stage_lead(&s, 0, &beacon, NULL);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(node_whose_parent_falls_silent_is_a_root_of_the_next_epoch)
{
	say(4, 1, 0, false, true);
	s.is_beating = false;
	stage_run(&s, SEC);
	assert_int_equal(place().parent, NODE_NONE);
	assert_int_equal(place().root, 2);
	assert_false(place().is_forming);
	stage_join(&s, 0);
	assert_int_equal(member->tree.label.epoch, 5);
}

/* The node's label gets no worse as long as the process lives. */
CASE(another_configuration_begins_the_next_epoch)
{
	say(4, 1, 0, false, true);
	stage_change(&s, 0);
	assert_int_equal(place().root, 2);
	stage_run(&s, 200 * MSEC);
	assert_int_equal(member->tree.label.epoch, 5);
}

CASE(word_that_makes_no_sense_is_refused)
{
	uint8_t frame[FRAME_BYTES + TREE_WORD_BYTES];
	struct tree_word word = { .label = { .epoch = 1, .root = 1 } };
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_tree(&w, &word);
	frame[sizeof(frame) - 1] = 3;
	stage_beat(&s, 0, frame, sizeof(frame), 1);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 1);
	assert_int_equal(place().parent, NODE_NONE);
}

/* No node of a full mesh has a place. */
BARE(other_topologies_ignore_words)
{
	stage_set(&s, 1);
	stage_begin(&s, 500 * MSEC);
	say(0, 1, 0, false, true);
	assert_false(place().has_tree);
	assert_int_equal(side(), TREE_SIDE_NONE);
	assert_int_equal(member->trees, 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), 0);
}

TEST(sides_have_names)
{
	assert_null(tree_side_name(TREE_SIDE_NONE));
	assert_string_equal(tree_side_name(TREE_SIDE_PARENT), "parent");
	assert_string_equal(tree_side_name(TREE_SIDE_CHILD), "child");
}
