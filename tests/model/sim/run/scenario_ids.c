/* SPDX-License-Identifier: ISC */
/* The ids of a scenario. */
#include "tests/model/sim/run/scenario.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tests/model/sim/arguments.h"

/* Puts the ids in order, backwards, or shuffled, as --ids says. */
static void
ids_arrange(
    struct rank *ranks, uint32_t nodes, unsigned how, struct random *random)
{
	for (uint32_t i = 0; i < nodes; i++)
		ranks[i].id = how == 1 ? nodes - i : i + 1;
	for (uint32_t i = nodes - 1; how == 2 && i > 0; i--) {
		uint32_t j = (uint32_t)random_below(random, (uint64_t)i + 1);
		node_id id = ranks[i].id;

		ranks[i].id = ranks[j].id;
		ranks[j].id = id;
	}
}

static int
id_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Takes the ids of a list; each must be there once. Sorts the list. */
static bool
ids_assign(struct rank *ranks, uint32_t nodes, uint32_t *ids, uint64_t count)
{
	if (count != nodes)
		return false;
	for (uint32_t i = 0; i < nodes; i++)
		ranks[i].id = ids[i];
	qsort(ids, nodes, sizeof(*ids), id_compare);
	for (uint32_t i = 1; i < nodes; i++) {
		if (ids[i] == ids[i - 1])
			return false;
	}
	return true;
}

int
scenario_make_ids(
    struct scenario *s, uint32_t nodes, const char *text, struct random *random)
{
	static const char *const words[] = { "asc", "desc", "random", NULL };
	uint32_t *ids = NULL;
	uint64_t count;
	unsigned how = 0;
	bool fits;

	s->ranks = calloc(nodes, sizeof(*s->ranks));
	if (s->ranks == NULL) {
		argument_complain("no memory");
		return COMMAND_FAILED;
	}
	if (text == NULL || argument_word(text, words, &how)) {
		ids_arrange(s->ranks, nodes, how, random);
		return COMMAND_YES;
	}
	fits = argument_list(text, 1, NODE_ID_MAX, nodes, &ids, &count) &&
	       ids_assign(s->ranks, nodes, ids, count);
	free(ids);
	if (!fits)
		argument_complain("--ids is asc, desc, random or %" PRIu32
				  " different numbers from 1 on, not \"%s\"",
		    nodes, text);
	return fits ? COMMAND_YES : COMMAND_USAGE;
}

bool
scenario_find(
    const struct scenario *s, uint32_t nodes, node_id id, uint32_t *position)
{
	/* Most ids are in order. */
	if (id - 1 < nodes && s->ranks[id - 1].id == id) {
		*position = id - 1;
		return true;
	}
	for (*position = 0; *position < nodes; ++*position) {
		if (s->ranks[*position].id == id)
			return true;
	}
	return false;
}
