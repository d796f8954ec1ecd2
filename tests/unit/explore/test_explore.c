/* SPDX-License-Identifier: ISC */
/*
 * Every order of messages in small systems. The shipped algorithms are proved
 * right. Copies of them with one bug each are refuted, and so are those that
 * need ordered links, when links do not keep order.
 * Takes 3 s.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/mutants/mutants.h"
#include "tests/model/sim/explore/print.h"

static struct explore_setup
setup_of(const struct algorithm *algorithm, uint32_t nodes)
{
	return (struct explore_setup){ .algorithm = algorithm,
		.nodes_min = 1,
		.nodes_max = nodes,
		.memory_bytes = EXPLORE_MEMORY_BYTES };
}

/* Prints the verdict if it is another. */
static bool
has_verdict(const struct explore_setup *setup, enum explore_verdict expected)
{
	struct explore_result result;
	bool is_so;

	explore(setup, &result);
	is_so = result.verdict == expected;
	if (!is_so)
		explore_print(stdout, setup, &result, 0);
	explore_done(&result);
	return is_so;
}

static void
assert_proved(const struct explore_setup *setup)
{
	assert_true(has_verdict(setup, EXPLORE_PROVED));
}

static void
assert_refuted(const struct explore_setup *setup)
{
	assert_true(has_verdict(setup, EXPLORE_REFUTED));
}

/* Tries every combination of its choices. */
static void
assert_proved_with_each_choice(const struct explore_setup *given)
{
	struct explore_setup setup = *given;
	unsigned count = explore_choices_count(setup.algorithm);

	for (unsigned i = 0; i < count; i++) {
		setup.choices = explore_choices(setup.algorithm, i);
		assert_proved(&setup);
	}
}

TEST(three_nodes_with_each_choice_and_preference)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct explore_setup setup = setup_of(algorithms[i], 3);

		assert_proved_with_each_choice(&setup);
		setup.prefer = PREFER_LOWEST;
		assert_proved_with_each_choice(&setup);
	}
}

/* An ineligible node takes part, and wins only where no node is eligible. */
TEST(three_nodes_of_which_some_abstain)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct explore_setup setup = setup_of(algorithms[i], 3);

		for (uint32_t ids = 1; ids < 8; ids++) {
			setup.abstaining = ids;
			assert_proved_with_each_choice(&setup);
		}
	}
}

/* An algorithm may take its links in turn, and theirs is any order. */
TEST(three_nodes_with_links_in_each_order)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct explore_setup setup = setup_of(algorithms[i], 3);

		setup.link_orders = true;
		assert_proved(&setup);
	}
}

TEST(four_nodes_with_each_choice)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct explore_setup setup = setup_of(algorithms[i], 4);

		assert_proved_with_each_choice(&setup);
	}
}

/* The diameter is enough rounds, and one less is not. */
TEST(floodmax_needs_the_diameter_and_no_more)
{
	struct explore_setup setup = setup_of(algorithm_find("floodmax"), 4);

	setup.exact_diameter = true;
	assert_proved(&setup);
	setup.exact_diameter = false;
	setup.choices.diameter = 1;
	assert_refuted(&setup);
}

/* Each set of starters leads to one end, or more where the order shows. */
TEST(every_set_of_starters_comes_to_an_end)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		struct explore_setup setup = setup_of(algorithms[i], 3);
		struct explore_result result;

		setup.nodes_min = 3;
		explore(&setup, &result);
		assert_int_equal(result.verdict, EXPLORE_PROVED);
		assert_true(result.ends >= 7 * result.graphs);
		explore_done(&result);
	}
}

TEST(every_planted_bug_is_found)
{
	unsigned missed = 0;

	for (const struct mutant *m = mutants; m->name != NULL; m++) {
		struct explore_setup setup = setup_of(m->algorithm, 4);

		if (has_verdict(&setup, EXPLORE_REFUTED))
			continue;
		missed++;
		printf("%s is not found\n", m->name);
	}
	assert_int_equal(missed, 0);
}

TEST(every_algorithm_has_planted_bugs)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		unsigned count = 0;

		for (const struct mutant *m = mutants; m->name != NULL; m++)
			count += strcmp(m->algorithm->name,
				     algorithms[i]->name) == 0;
		assert_true(count >= 2);
	}
}

/* The algorithms whose links must keep order, as exploration has shown. */
static const struct order_need {
	const char *algorithm;
	bool needs_order;
} order_needs[] = {
	{ "bully", false },
	{ "bully-broadcast", false },
	{ "lelann", false },
	{ "chang-roberts", false },
	{ "hirschberg-sinclair", false },
	{ "ring-list", false },
	{ "tree", true },      /* TOKEN may overtake WAKEUP */
	{ "tree-echo", true }, /* ECHO may overtake EXPLORER */
	{ "floodmax", true },  /* a round may overtake the one before */
	{ "traversal", false },
	{ "extinction", false },
};

static const struct order_need *
order_need_of(const struct algorithm *algorithm)
{
	size_t count = sizeof(order_needs) / sizeof(order_needs[0]);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(order_needs[i].algorithm, algorithm->name) == 0)
			return &order_needs[i];
	}
	return NULL;
}

TEST(links_without_order_break_those_that_need_it)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct order_need *need = order_need_of(algorithms[i]);
		struct explore_setup setup = setup_of(algorithms[i], 3);

		setup.unordered = true;
		assert_non_null(need);
		if (need->needs_order)
			assert_refuted(&setup);
		else
			assert_proved(&setup);
	}
}
