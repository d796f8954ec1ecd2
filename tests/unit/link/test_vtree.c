/* SPDX-License-Identifier: ISC */
/*
 * One node of the virtual tree: whom it takes as its parent, when it becomes a
 * root, and on which links both ends agree. Whole trees: test_vtree_graphs.c.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "common/link/vtree.h"

#define SELF 5
#define ENDS 3

static struct vtree_end ends[ENDS];
static struct vtree v;
static uint64_t number;

static void
begin(void)
{
	memset(ends, 0, sizeof(ends));
	vtree_init(&v, SELF, 0, ends, ENDS);
	number = 0;
	for (unsigned i = 0; i < ENDS; i++)
		vtree_set_link(&v, i, true);
}

static struct tree_word
word(uint64_t epoch, node_id root, unsigned level)
{
	return (struct tree_word){
		.label = { .epoch = epoch,
		    .root = root,
		    .level = (uint16_t)level },
	};
}

static void
hear(unsigned end, struct tree_word said)
{
	vtree_hear(&v, end, number++, &said);
	vtree_check(&v);
}

static void
assert_place(uint64_t epoch, node_id root, unsigned level, unsigned parent)
{
	vtree_check(&v);
	assert_int_equal(v.label.epoch, epoch);
	assert_int_equal(v.label.root, root);
	assert_int_equal(v.label.level, level);
	assert_int_equal(v.parent, parent);
}

TEST(node_alone_is_a_root)
{
	begin();
	for (unsigned i = 0; i < ENDS; i++)
		vtree_set_link(&v, i, false);
	assert_place(0, SELF, 0, VTREE_NONE);
	assert_true(vtree_is_settled(&v));
}

TEST(node_joins_the_better_tree)
{
	begin();
	hear(0, word(0, 7, 0));
	assert_place(0, SELF, 0, VTREE_NONE);
	hear(1, word(0, 2, 3));
	assert_place(0, 2, 4, 1);
	hear(2, word(1, 9, 6));
	assert_place(1, 9, 7, 2);
}

/* A shorter way does not make it change: each change ends elections. */
TEST(node_keeps_its_parent_in_the_same_tree)
{
	begin();
	hear(1, word(1, 2, 3));
	hear(2, word(1, 2, 0));
	assert_place(1, 2, 4, 1);
	hear(1, word(1, 2, 2));
	assert_place(1, 2, 3, 1);
}

TEST(node_that_lost_its_parent_takes_the_lowest_level)
{
	begin();
	hear(0, word(1, 2, 3));
	hear(1, word(1, 2, 2));
	hear(2, word(1, 2, 1));
	vtree_set_link(&v, 0, false);
	assert_place(1, 2, 2, 2);
}

/* The neighbour may be below us: only a better label shows that it is not. */
TEST(node_takes_no_parent_that_is_no_better_than_itself)
{
	begin();
	hear(0, word(1, 2, 3));
	hear(1, word(1, 2, 4));
	hear(2, word(1, 2, 9));
	vtree_set_link(&v, 0, false);
	assert_place(2, SELF, 0, VTREE_NONE);
}

TEST(neighbour_that_is_not_linked_is_no_parent)
{
	begin();
	vtree_set_link(&v, 1, false);
	hear(1, word(1, 2, 3));
	assert_place(0, SELF, 0, VTREE_NONE);
	vtree_set_link(&v, 1, true);
	assert_place(1, 2, 4, 1);
}

TEST(word_of_a_neighbour_ends_with_its_session)
{
	begin();
	hear(1, word(1, 2, 3));
	vtree_set_link(&v, 1, false);
	vtree_forget(&v, 1);
	vtree_set_link(&v, 1, true);
	assert_place(2, SELF, 0, VTREE_NONE);
	assert_false(vtree_is_settled(&v));
}

TEST(word_that_was_overtaken_is_ignored)
{
	struct tree_word late = word(0, 1, 0), newest = word(1, 2, 3);

	begin();
	vtree_hear(&v, 1, 8, &newest);
	vtree_hear(&v, 1, 7, &late);
	assert_place(1, 2, 4, 1);
}

/* The deepest level that there is has no place below it. */
TEST(node_at_the_last_level_has_no_children)
{
	begin();
	hear(0, word(1, 2, LEVEL_MAX));
	assert_place(0, SELF, 0, VTREE_NONE);
	hear(1, word(1, 2, LEVEL_MAX - 1));
	assert_place(1, 2, LEVEL_MAX, 1);
}

/* A liar: an honest label gets only better. */
TEST(parent_whose_label_gets_worse_is_given_up)
{
	begin();
	hear(0, word(3, 2, 3));
	hear(0, word(2, 2, 3));
	assert_place(4, SELF, 0, VTREE_NONE);
}

TEST(epoch_that_is_not_credible_moves_us_by_one_step)
{
	begin();
	for (unsigned i = 1; i <= 3; i++) {
		hear(0, word(EPOCH_MAX, 2, 0));
		assert_place(i * EPOCH_JUMP, SELF, 0, VTREE_NONE);
	}
	hear(0, word(4 * EPOCH_JUMP, 2, 0));
	assert_place(4 * EPOCH_JUMP, 2, 1, 0);
}

TEST(last_epoch_is_not_exceeded)
{
	begin();
	vtree_init(&v, SELF, EPOCH_MAX - 1, ends, ENDS);
	hear(0, word(EPOCH_MAX, 2, 0));
	vtree_set_link(&v, 0, false);
	assert_place(EPOCH_MAX, SELF, 0, VTREE_NONE);
}

/* The link is an edge for each end once it knows that it is one for both. */
TEST(edge_needs_the_word_of_both_ends)
{
	struct tree_word said = word(1, 2, 3);

	begin();
	hear(0, said);
	assert_true(vtree_word(&v, 0).is_parent);
	assert_false(vtree_word(&v, 1).is_parent);
	assert_false(vtree_has_edge(&v, 0));
	said.is_child = true;
	hear(0, said);
	assert_true(vtree_has_edge(&v, 0));
	said = word(1, 2, 5);
	hear(1, said);
	assert_false(vtree_has_edge(&v, 1));
	assert_false(vtree_word(&v, 1).is_child);
	said.is_parent = true;
	hear(1, said);
	assert_true(vtree_has_edge(&v, 1));
	assert_true(vtree_has_child(&v, 1));
	assert_true(vtree_word(&v, 1).is_child);
	assert_false(vtree_has_child(&v, 0));
}

TEST(tree_is_settled_when_all_neighbours_are_in_it)
{
	struct tree_word parent = word(1, 2, 3);

	begin();
	assert_false(vtree_is_settled(&v));
	hear(0, parent);
	hear(1, word(1, 2, 4));
	hear(2, word(0, 8, 0));
	parent.is_child = true;
	hear(0, parent);
	assert_false(vtree_is_settled(&v));
	hear(2, word(1, 2, 5));
	assert_true(vtree_is_settled(&v));
	parent.is_child = false;
	hear(0, parent);
	assert_false(vtree_is_settled(&v));
}

/* The root's children are gone, and a node below them does not know yet. */
TEST(root_without_children_has_no_tree)
{
	struct tree_word child = word(0, SELF, 1);

	begin();
	vtree_set_link(&v, 2, false);
	child.is_parent = true;
	hear(0, child);
	hear(1, word(0, SELF, 2));
	assert_true(vtree_is_settled(&v));
	vtree_set_link(&v, 0, false);
	assert_false(vtree_is_settled(&v));
	vtree_set_link(&v, 1, false);
	assert_true(vtree_is_settled(&v));
}

TEST(neighbour_is_told_what_is_new)
{
	begin();
	assert_true(vtree_has_news(&v, 0));
	assert_false(vtree_has_news(&v, 0));
	hear(1, word(1, 2, 3));
	assert_true(vtree_has_news(&v, 0));
	assert_true(vtree_has_news(&v, 1));
	hear(1, word(1, 2, 3));
	assert_false(vtree_has_news(&v, 1));
}
