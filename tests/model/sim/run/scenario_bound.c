/* SPDX-License-Identifier: ISC */
/* The most messages that a scenario's run takes, where a formula says it. */
#include "tests/model/sim/run/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "common/wire/rank.h"

static uint64_t
bully_max(const struct scenario *s)
{
	uint64_t n = s->graph.nodes;

	/* Every node may ask every better one, and the best announces itself to
	 * all. */
	return n * n - 1;
}

static uint64_t
broadcast_max(const struct scenario *s)
{
	uint64_t n = s->graph.nodes;

	return n * (n - 1);
}

/* Counts the nodes that send a token round the ring. */
static uint64_t
tokens(const struct scenario *s)
{
	return s->setup.choices.starters_only ? s->starters_count
					      : s->graph.nodes;
}

static uint64_t
lelann_max(const struct scenario *s)
{
	uint64_t n = s->graph.nodes;

	return tokens(s) * n + n;
}

static uint64_t
ring_list_max(const struct scenario *s)
{
	return 2 * (uint64_t)s->starters_count * s->graph.nodes;
}

static uint64_t
floodmax_max(const struct scenario *s)
{
	return 2 * s->graph.edges * s->setup.choices.diameter;
}

/*
 * If all start, and ranks go one way, each goes as far as the next better node,
 * and the best goes all round. The count goes backwards from the best; each
 * node knows how far away the next better one is. 0: no memory.
 */
static uint64_t
chang_roberts_max(const struct scenario *s)
{
	const struct rank *ranks = s->ranks;
	uint32_t n = s->graph.nodes, best = 0;
	uint32_t *far = malloc(n * sizeof(*far));
	uint64_t messages = 2 * (uint64_t)n;

	if (far == NULL || s->starters_count < n ||
	    s->setup.choices.variant != 0) {
		free(far);
		return 0;
	}
	for (uint32_t i = 1; i < n; i++) {
		if (rank_better(&ranks[i], &ranks[best], s->setup.prefer))
			best = i;
	}
	for (uint32_t back = 1; back < n; back++) {
		uint32_t at = (best + n - back) % n, d = 1;

		while (rank_better(
		    &ranks[at], &ranks[(at + d) % n], s->setup.prefer))
			d += far[(at + d) % n];
		far[at] = d;
		messages += d;
	}
	free(far);
	return messages;
}

static const struct {
	const char *algorithm;
	uint64_t (*messages_max)(const struct scenario *s);
} bounds[] = {
	{ "bully", bully_max },
	{ "bully-broadcast", broadcast_max },
	{ "lelann", lelann_max },
	{ "chang-roberts", chang_roberts_max },
	{ "ring-list", ring_list_max },
	{ "floodmax", floodmax_max },
};

uint64_t
scenario_messages_max(const struct scenario *s)
{
	const char *name = s->setup.algorithm->name;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		if (strcmp(bounds[i].algorithm, name) == 0)
			return bounds[i].messages_max(s);
	}
	return 0;
}
