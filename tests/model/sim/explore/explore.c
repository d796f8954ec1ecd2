/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/explore/explore.h"

#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/explore/private.h"
#include "tests/model/sim/explore/world.h"

static unsigned
variants_count(const struct algorithm *algorithm)
{
	unsigned count = 0;

	if ((algorithm->choices & CHOICE_VARIANT) == 0)
		return 1;
	while (count < VARIANTS_MAX && algorithm->variants[count] != NULL)
		count++;
	return count;
}

unsigned
explore_choices_count(const struct algorithm *algorithm)
{
	unsigned count = variants_count(algorithm);

	for (unsigned bit = CHOICE_JOIN; bit <= CHOICE_ANNOUNCE; bit <<= 1) {
		if ((algorithm->choices & bit) != 0)
			count *= 2;
	}
	return count;
}

/* Takes the second of a choice's two values, if it has two. */
static bool
choose(const struct algorithm *algorithm, enum choice choice, unsigned *number)
{
	bool is_second;

	if ((algorithm->choices & choice) == 0)
		return false;
	is_second = *number % 2 != 0;
	*number /= 2;
	return is_second;
}

struct choices
explore_choices(const struct algorithm *algorithm, unsigned number)
{
	unsigned variants = variants_count(algorithm);
	struct choices choices = { .variant = (uint8_t)(number % variants) };

	number /= variants;
	choices.starters_only = choose(algorithm, CHOICE_JOIN, &number);
	choices.no_wakeup = choose(algorithm, CHOICE_WAKEUP, &number);
	choices.any_leader = choose(algorithm, CHOICE_ANNOUNCE, &number);
	return choices;
}

/* True if what a node does depends on its seed. */
static bool
draws_lots(const struct explore_setup *setup)
{
	const char *variant =
	    setup->algorithm->variants[setup->choices.variant];

	return variant != NULL && strcmp(variant, "bidirectional") == 0;
}

static void
abstain(struct explore_world *world, uint32_t abstaining)
{
	for (uint32_t i = 0; i < world->graph.nodes; i++) {
		struct rank *rank = &world->ranks[i];

		rank->is_eligible = (abstaining >> (rank->id - 1) & 1) == 0;
	}
}

/* Walks one world. False: the exploration ends, and the result keeps the world.
 */
static bool
explore_world(const struct explore_setup *setup, struct explore_result *result)
{
	static struct explorer x; /* large; init sets it to zero */
	enum explore_verdict verdict;

	if (explorer_init(&x, setup, &result->world, result))
		explorer_search(&x);
	else
		explorer_fail(&x, EXPLORE_GAVE_UP, "no memory");
	explorer_done(&x);
	verdict = result->verdict;
	result->graphs++;
	return verdict == EXPLORE_PROVED;
}

/* Walks the graph of this number with all its lots, in each order of links. */
static bool
explore_orders(const struct explore_setup *setup, struct explore_result *result,
    uint64_t number)
{
	enum topology kind = setup->algorithm->topology;
	uint64_t count = 1;

	for (uint64_t order = 0; order < count; order++) {
		bool exists;

		if (!explore_world_make(&result->world, kind, result->nodes,
			draws_lots(setup), number, &exists)) {
			result->verdict = EXPLORE_GAVE_UP;
			return false;
		}
		if (!exists)
			return true;
		abstain(&result->world, setup->abstaining);
		if (setup->link_orders)
			count = explore_orders_count(&result->world);
		explore_world_order(&result->world, order);
		if (!explore_world(setup, result))
			return false;
		explore_world_free(&result->world);
	}
	return true;
}

static bool
explore_nodes(const struct explore_setup *setup, struct explore_result *result)
{
	uint64_t count = explore_worlds_count(
	    setup->algorithm->topology, result->nodes, draws_lots(setup));

	for (uint64_t i = 0; i < count; i++) {
		if (!explore_orders(setup, result, i))
			return false;
	}
	return true;
}

void
explore(const struct explore_setup *setup, struct explore_result *result)
{
	assert(setup->nodes_min >= 1);
	assert(setup->nodes_max <= EXPLORE_NODES_MAX);
	*result = (struct explore_result){ .verdict = EXPLORE_PROVED };
	for (uint32_t n = setup->nodes_min; n <= setup->nodes_max; n++) {
		result->nodes = n;
		if (!explore_nodes(setup, result))
			return;
	}
}

void
explore_done(struct explore_result *result)
{
	explore_world_free(&result->world);
	free(result->steps);
	*result = (struct explore_result){ 0 };
}
