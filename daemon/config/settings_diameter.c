/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_topology.h"

#include <stdlib.h>

#define WORDS (NODES_MAX / 64) /* of a set of nodes */

_Static_assert(NODES_MAX % 64 == 0, "a set has a bit for every node");

/* A set of nodes by their index among the known. */
struct set {
	uint64_t words[WORDS];
};

static void
set_put(struct set *set, size_t index)
{
	set->words[index / 64] |= (uint64_t)1 << index % 64;
}

/* Adds to `next` whatever is linked with a node of word `w` of `last`. */
static void
set_step(
    struct set *next, const struct set *last, size_t w, const struct set *links)
{
	for (size_t bit = 0; bit < 64; bit++) {
		const struct set *more = &links[64 * w + bit];

		if ((last->words[w] >> bit & 1) == 0)
			continue;
		for (size_t i = 0; i < WORDS; i++)
			next->words[i] |= more->words[i];
	}
}

/* Takes from `set` what is in `reached`, and adds the rest to that. */
static bool
set_keep_new(struct set *set, struct set *reached)
{
	bool any = false;

	for (size_t i = 0; i < WORDS; i++) {
		set->words[i] &= ~reached->words[i];
		reached->words[i] |= set->words[i];
		any |= set->words[i] != 0;
	}
	return any;
}

/* After how many steps from node `start` all that can be reached is. */
static unsigned
steps_from(const struct set *links, size_t start)
{
	struct set reached = { { 0 } };
	struct set last;
	unsigned steps = 0;

	set_put(&reached, start);
	last = reached;
	for (;;) {
		struct set next = { { 0 } };

		for (size_t w = 0; w < WORDS; w++) {
			if (last.words[w] != 0)
				set_step(&next, &last, w, links);
		}
		if (!set_keep_new(&next, &reached))
			return steps;
		last = next;
		steps++;
	}
}

unsigned
topology_links_diameter(const struct topology_build *b)
{
	const struct settings *s = b->settings;
	struct set *links = calloc(NODES_MAX, sizeof(links[0]));
	unsigned most = 0;

	if (links == NULL) {
		b->errors->out_of_memory = true;
		return 0;
	}
	for (size_t i = 0; i < s->links_count; i++) {
		size_t x = topology_index(b, s->links[i].a);
		size_t y = topology_index(b, s->links[i].b);

		set_put(&links[x], y);
		set_put(&links[y], x);
	}
	for (size_t i = 0; i < b->known_count; i++) {
		unsigned steps = steps_from(links, i);

		most = steps > most ? steps : most;
	}
	free(links);
	return most;
}
