/* SPDX-License-Identifier: ISC */
/* Makes a trial real, and runs it. All chance comes from the trial's seed. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/table/private.h"

static bool
find_variant(struct choices *c, const struct algorithm *a, const char *variant)
{
	if (variant == NULL)
		return true;
	for (uint8_t i = 0; a->variants[i] != NULL; i++) {
		if (strcmp(a->variants[i], variant) != 0)
			continue;
		c->variant = i;
		return true;
	}
	return false;
}

static bool
make_grid(struct graph *g, uint32_t nodes)
{
	uint32_t width = 1;

	for (uint32_t w = 1; w * w <= nodes; w++) {
		if (nodes % w == 0)
			width = w;
	}
	return graph_make_grid(g, width, nodes / width);
}

static bool
make_mesh(struct graph *g, uint32_t nodes, struct random *r)
{
	uint64_t most = (uint64_t)nodes * (nodes - 1) / 2;

	return graph_make_random(
	    g, nodes, 2 * (uint64_t)nodes < most ? 2 * nodes : most, r);
}

static bool
make_graph(struct scene *s)
{
	uint32_t nodes = s->trial->nodes;
	struct graph *g = &s->graph;

	switch (s->trial->shape) {
	case SHAPE_FULL:
		return graph_make_full(g, nodes);
	case SHAPE_RING:
		return graph_make_ring(g, nodes);
	case SHAPE_PATH:
		return graph_make_path(g, nodes);
	case SHAPE_STAR:
		return graph_make_star(g, nodes);
	case SHAPE_TREE:
		return graph_make_random_tree(g, nodes, &s->random);
	case SHAPE_GRID:
		return make_grid(g, nodes);
	case SHAPE_MESH:
		return make_mesh(g, nodes, &s->random);
	case SHAPES:
		break;
	}
	assert(false);
	return false;
}

/* Gives ids 1 to n, in the row's order; `prefer` says which is better. */
static void
make_ranks(struct scene *s)
{
	uint32_t nodes = s->trial->nodes;
	bool rises = s->trial->property->order != ORDER_WORSE;

	if (s->trial->prefer == PREFER_LOWEST)
		rises = !rises;
	for (uint32_t i = 0; i < nodes; i++) {
		s->ranks[i] = (struct rank){ .is_eligible = true,
			.id = rises ? i + 1 : nodes - i };
	}
	if (s->trial->property->order != ORDER_RANDOM)
		return;
	for (uint32_t i = nodes - 1; i > 0; i--) {
		uint32_t j = (uint32_t)random_below(&s->random, i + 1);
		struct rank rank = s->ranks[i];

		s->ranks[i] = s->ranks[j];
		s->ranks[j] = rank;
	}
}

/* Gives the best of all nodes, or of the starters, or the worst. */
static uint32_t
find_best(const struct scene *s, bool among_starters, bool worst)
{
	uint32_t best = s->trial->nodes;

	for (uint32_t i = 0; i < s->trial->nodes; i++) {
		if (among_starters && !s->starters[i])
			continue;
		if (best == s->trial->nodes ||
		    rank_better(&s->ranks[i], &s->ranks[best],
			s->trial->prefer) != worst)
			best = i;
	}
	return best;
}

static uint32_t
count_better(const struct scene *s, uint32_t than)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->trial->nodes; i++)
		count += rank_better(
		    &s->ranks[i], &s->ranks[than], s->trial->prefer);
	return count;
}

/* Draws `wanted` starters; each set of them is equally likely. */
static void
start_some(struct scene *s, uint32_t wanted)
{
	for (uint32_t i = 0; i < s->trial->nodes; i++) {
		s->starters[i] =
		    random_below(&s->random, s->trial->nodes - i) < wanted;
		wanted -= s->starters[i];
	}
}

static void
make_starters(struct scene *s)
{
	uint32_t nodes = s->trial->nodes;
	uint32_t some = (uint32_t)random_between(&s->random, 1, nodes);

	switch (s->trial->property->starters) {
	case STARTERS_ALL:
		start_some(s, nodes);
		break;
	case STARTERS_BEST:
		s->starters[find_best(s, false, false)] = true;
		break;
	case STARTERS_WORST:
		s->starters[find_best(s, false, true)] = true;
		break;
	case STARTERS_ONE:
		start_some(s, 1);
		break;
	case STARTERS_SOME:
		start_some(s, some);
		break;
	case STARTERS_BLOCK:
		for (uint32_t i = 0; i < some; i++)
			s->starters[i] = true;
		break;
	case STARTERS_LEAVES:
		for (uint32_t i = 0; i < nodes; i++)
			s->starters[i] =
			    s->graph.first[i + 1] - s->graph.first[i] <= 1;
		break;
	}
}

static void
reckon_facts(struct scene *s)
{
	const struct choices *c = &s->choices;
	uint32_t starters = 0;
	uint32_t best;

	for (uint32_t i = 0; i < s->trial->nodes; i++)
		starters += s->starters[i];
	s->facts = (struct facts){
		.nodes = s->trial->nodes,
		.starters = starters,
		.edges = (double)s->graph.edges,
		.diameter = graph_diameter(&s->graph),
		.better = count_better(s, find_best(s, true, false)),
	};
	best = find_best(s, c->starters_only, false);
	s->winner = c->any_leader ? NODE_NONE : s->ranks[best].id;
	if ((s->algorithm->choices & CHOICE_DIAMETER) != 0)
		s->choices.diameter = (uint32_t)s->facts.diameter;
}

void
scene_free(struct scene *s)
{
	graph_free(&s->graph);
	free(s->ranks);
	free(s->starters);
}

enum trial_result
scene_make(struct scene *s, const struct trial *t)
{
	assert(t->nodes > 0);
	*s = (struct scene){ .trial = t, .choices = t->property->choices };
	s->algorithm = algorithm_find(t->property->algorithm);
	if (s->algorithm == NULL)
		return TRIAL_UNKNOWN;
	if (!find_variant(&s->choices, s->algorithm, t->property->variant))
		return TRIAL_UNKNOWN;
	random_init(&s->random, t->seed);
	s->ranks = calloc(t->nodes, sizeof(*s->ranks));
	s->starters = calloc(t->nodes, sizeof(*s->starters));
	if (s->ranks == NULL || s->starters == NULL || !make_graph(s)) {
		scene_free(s);
		return TRIAL_NO_MEMORY;
	}
	make_ranks(s);
	make_starters(s);
	reckon_facts(s);
	return TRIAL_DONE;
}

/* Gives when a node learned that it has won. */
static void
see_winner(void *context, const struct moment *moment)
{
	struct scene *s = context;

	if (moment->kind == MOMENT_DECIDE &&
	    moment->winner->id == s->ranks[moment->node].id)
		s->won = moment->time;
}

bool
scene_run(struct scene *s)
{
	struct run_setup setup = {
		.algorithm = s->algorithm,
		.graph = &s->graph,
		.ranks = s->ranks,
		.prefer = s->trial->prefer,
		.choices = s->choices,
		.starters = s->starters,
		.schedule = s->trial->schedule,
		.check = true,
		.seed = s->trial->seed,
		.observe = see_winner,
		.context = s,
	};

	return run_election(&setup, &s->result);
}

bool
scene_elected(const struct scene *s)
{
	if (!s->result.agreed || !s->result.has_leader)
		return false;
	return s->winner == NODE_NONE || s->result.winner == s->winner;
}

bool
scene_measure(const struct scene *s, const char *measure, double *value)
{
	if (strcmp(measure, "total") == 0) {
		*value = (double)s->result.total;
		return true;
	}
	if (strcmp(measure, "time") == 0) {
		*value = (double)s->result.time;
		return true;
	}
	if (strcmp(measure, "won") == 0) {
		*value = (double)s->won;
		return true;
	}
	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++) {
		const char *name = s->algorithm->kinds[i];

		if (name == NULL || strcmp(name, measure) != 0)
			continue;
		*value = (double)s->result.messages[i];
		return true;
	}
	return false;
}
