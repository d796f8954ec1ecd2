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
		.label = { epoch, root, (uint16_t)level },
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

static void
node_alone_is_a_root(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < ENDS; i++)
		vtree_set_link(&v, i, false);
	assert_place(0, SELF, 0, VTREE_NONE);
	assert_true(vtree_is_settled(&v));
}

static void
node_joins_the_better_tree(void **state)
{
	(void)state;
	begin();
	hear(0, word(0, 7, 0));
	assert_place(0, SELF, 0, VTREE_NONE);
	hear(1, word(0, 2, 3));
	assert_place(0, 2, 4, 1);
	hear(2, word(1, 9, 6));
	assert_place(1, 9, 7, 2);
}

/* A shorter way does not make it change: each change ends elections. */
static void
node_keeps_its_parent_in_the_same_tree(void **state)
{
	(void)state;
	begin();
	hear(1, word(1, 2, 3));
	hear(2, word(1, 2, 0));
	assert_place(1, 2, 4, 1);
	hear(1, word(1, 2, 2));
	assert_place(1, 2, 3, 1);
}

static void
node_that_lost_its_parent_takes_the_lowest_level(void **state)
{
	(void)state;
	begin();
	hear(0, word(1, 2, 3));
	hear(1, word(1, 2, 2));
	hear(2, word(1, 2, 1));
	vtree_set_link(&v, 0, false);
	assert_place(1, 2, 2, 2);
}

/* It may be below us: only a better label shows that it is not. */
static void
node_takes_no_parent_that_is_no_better_than_itself(void **state)
{
	(void)state;
	begin();
	hear(0, word(1, 2, 3));
	hear(1, word(1, 2, 4));
	hear(2, word(1, 2, 9));
	vtree_set_link(&v, 0, false);
	assert_place(2, SELF, 0, VTREE_NONE);
}

static void
neighbour_that_is_not_linked_is_no_parent(void **state)
{
	(void)state;
	begin();
	vtree_set_link(&v, 1, false);
	hear(1, word(1, 2, 3));
	assert_place(0, SELF, 0, VTREE_NONE);
	vtree_set_link(&v, 1, true);
	assert_place(1, 2, 4, 1);
}

static void
what_was_said_in_a_session_ends_with_it(void **state)
{
	(void)state;
	begin();
	hear(1, word(1, 2, 3));
	vtree_set_link(&v, 1, false);
	vtree_forget(&v, 1);
	vtree_set_link(&v, 1, true);
	assert_place(2, SELF, 0, VTREE_NONE);
	assert_false(vtree_is_settled(&v));
}

static void
word_that_was_overtaken_is_ignored(void **state)
{
	struct tree_word late = word(0, 1, 0), newest = word(1, 2, 3);

	(void)state;
	begin();
	vtree_hear(&v, 1, 8, &newest);
	vtree_hear(&v, 1, 7, &late);
	assert_place(1, 2, 4, 1);
}

/* The deepest level that there is has no place below it. */
static void
node_at_the_last_level_has_no_children(void **state)
{
	(void)state;
	begin();
	hear(0, word(1, 2, LEVEL_MAX));
	assert_place(0, SELF, 0, VTREE_NONE);
	hear(1, word(1, 2, LEVEL_MAX - 1));
	assert_place(1, 2, LEVEL_MAX, 1);
}

/* A liar: an honest label gets only better. */
static void
parent_whose_label_gets_worse_is_given_up(void **state)
{
	(void)state;
	begin();
	hear(0, word(3, 2, 3));
	hear(0, word(2, 2, 3));
	assert_place(4, SELF, 0, VTREE_NONE);
}

static void
epoch_that_is_not_credible_moves_us_by_one_step(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 1; i <= 3; i++) {
		hear(0, word(EPOCH_MAX, 2, 0));
		assert_place(i * EPOCH_JUMP, SELF, 0, VTREE_NONE);
	}
	hear(0, word(4 * EPOCH_JUMP, 2, 0));
	assert_place(4 * EPOCH_JUMP, 2, 1, 0);
}

static void
last_epoch_is_not_exceeded(void **state)
{
	(void)state;
	begin();
	vtree_init(&v, SELF, EPOCH_MAX - 1, ends, ENDS);
	hear(0, word(EPOCH_MAX, 2, 0));
	vtree_set_link(&v, 0, false);
	assert_place(EPOCH_MAX, SELF, 0, VTREE_NONE);
}

/* The link is an edge for each end once it knows that it is one for both. */
static void
edge_needs_the_word_of_both_ends(void **state)
{
	struct tree_word said = word(1, 2, 3);

	(void)state;
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

static void
tree_is_settled_when_all_neighbours_are_in_it(void **state)
{
	struct tree_word parent = word(1, 2, 3);

	(void)state;
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

/* Its children are gone, and a node below them does not know that yet. */
static void
root_without_children_has_no_tree(void **state)
{
	struct tree_word child = word(0, SELF, 1);

	(void)state;
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

static void
neighbour_is_told_what_is_new(void **state)
{
	(void)state;
	begin();
	assert_true(vtree_has_news(&v, 0));
	assert_false(vtree_has_news(&v, 0));
	hear(1, word(1, 2, 3));
	assert_true(vtree_has_news(&v, 0));
	assert_true(vtree_has_news(&v, 1));
	hear(1, word(1, 2, 3));
	assert_false(vtree_has_news(&v, 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(node_alone_is_a_root),
	cmocka_unit_test(node_joins_the_better_tree),
	cmocka_unit_test(node_keeps_its_parent_in_the_same_tree),
	cmocka_unit_test(node_that_lost_its_parent_takes_the_lowest_level),
	cmocka_unit_test(node_takes_no_parent_that_is_no_better_than_itself),
	cmocka_unit_test(neighbour_that_is_not_linked_is_no_parent),
	cmocka_unit_test(what_was_said_in_a_session_ends_with_it),
	cmocka_unit_test(word_that_was_overtaken_is_ignored),
	cmocka_unit_test(node_at_the_last_level_has_no_children),
	cmocka_unit_test(parent_whose_label_gets_worse_is_given_up),
	cmocka_unit_test(epoch_that_is_not_credible_moves_us_by_one_step),
	cmocka_unit_test(last_epoch_is_not_exceeded),
	cmocka_unit_test(edge_needs_the_word_of_both_ends),
	cmocka_unit_test(tree_is_settled_when_all_neighbours_are_in_it),
	cmocka_unit_test(root_without_children_has_no_tree),
	cmocka_unit_test(neighbour_is_told_what_is_new),
};

GROUP(tests);
