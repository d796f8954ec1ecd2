/* SPDX-License-Identifier: ISC */
/* Vectors, the events that can happen in them, and the laws of each. */
#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/explore/private.h"

static void
init_views(struct explorer *x)
{
	const struct graph *g = &x->world->graph;

	for (uint32_t node = 0; node < x->nodes; node++) {
		uint64_t first = g->first[node];

		for (uint64_t i = first; i < g->first[node + 1]; i++)
			x->view_links[i].rank =
			    x->world->ranks[g->ends[i].node];
		x->views[node] = (struct view){
			.self = x->world->ranks[node],
			.prefer = x->setup->prefer,
			.links = &x->view_links[first],
			.links_count = (size_t)(g->first[node + 1] - first),
			.choices = &x->choices,
			.seed = x->world->seeds[node],
		};
	}
}

/* True if the node may start by itself. All may, but without wake-up only
 * leaves. */
static bool
may_start(const struct explorer *x, uint32_t node)
{
	return !x->choices.no_wakeup || x->views[node].links_count < 2;
}

static void
init_events(struct explorer *x)
{
	const uint64_t *first = x->world->graph.first;
	uint32_t width = x->setup->unordered ? QUEUE_MAX : 1;
	struct event *e = x->events;

	for (uint32_t node = 0; node < x->nodes; node++) {
		if (may_start(x, node))
			*e++ = (struct event){ INPUT_START, .node = node };
		*e++ = (struct event){ INPUT_TIMER, .node = node };
		for (uint64_t i = first[node]; i < first[node + 1]; i++) {
			for (uint32_t at = 0; at < width; at++)
				*e++ = (struct event){ INPUT_MESSAGE, node,
					(uint32_t)(i - first[node]),
					x->nodes + (uint32_t)i, at };
		}
	}
	x->events_count = (uint32_t)(e - x->events);
}

static void
init_tables(struct explorer *x)
{
	size_t local_bytes = sizeof(struct local) + x->state_bytes;
	size_t vector_bytes = x->parts * sizeof(uint16_t);
	size_t *budget = &x->budget_bytes;

	x->budget_bytes = x->setup->memory_bytes;
	table_init(&x->locals, local_bytes, local_bytes, budget);
	table_init(&x->messages, sizeof(struct message), sizeof(struct message),
	    budget);
	table_init(
	    &x->queues, sizeof(struct queue), sizeof(struct queue), budget);
	table_init(
	    &x->effects, EFFECT_KEY_BYTES, sizeof(struct effect), budget);
	table_init(&x->vectors, vector_bytes,
	    explorer_parent_at(x) + sizeof(uint32_t), budget);
}

bool
explorer_init(struct explorer *x, const struct explore_setup *setup,
    const struct explore_world *world, struct explore_result *result)
{
	bool is_done = true;

	*x = (struct explorer){ .setup = setup,
		.world = world,
		.result = result,
		.choices = setup->choices,
		.nodes = world->graph.nodes };
	x->parts = x->nodes + (uint32_t)world->graph.first[x->nodes];
	x->out.messages = x->outgoing;
	if (setup->exact_diameter)
		x->choices.diameter = graph_diameter(&world->graph);
	else if (x->choices.diameter == 0)
		x->choices.diameter = x->nodes - 1;
	init_views(x);
	init_events(x);
	for (uint32_t i = 0; i < x->nodes; i++) {
		size_t size = setup->algorithm->size(&x->views[i]);

		if (size > x->state_bytes)
			x->state_bytes = (size + 7) & ~(size_t)7;
		x->states[i] = malloc(size);
		is_done = is_done && x->states[i] != NULL;
	}
	x->local = malloc(sizeof(*x->local) + x->state_bytes);
	init_tables(x);
	return is_done && x->local != NULL;
}

void
explorer_done(struct explorer *x)
{
	table_done(&x->locals);
	table_done(&x->messages);
	table_done(&x->queues);
	table_done(&x->effects);
	table_done(&x->vectors);
	for (uint32_t i = 0; i < x->nodes; i++)
		free(x->states[i]);
	free(x->local);
}

bool
explorer_first(struct explorer *x, struct vector *first)
{
	uint16_t empty = explorer_number(x, &x->queues, &(struct queue){ 0 });

	if (empty == NOTHING)
		return false;
	*first = (struct vector){ 0 };
	for (uint32_t i = x->nodes; i < x->parts; i++)
		first->parts[i] = empty;
	for (uint32_t i = 0; i < x->nodes; i++) {
		first->parts[i] = explorer_begin(x, i);
		if (first->parts[i] == NOTHING)
			return false;
	}
	return true;
}

static bool
is_anything_under_way(const struct explorer *x, const struct vector *v)
{
	for (uint32_t i = x->nodes; i < x->parts; i++) {
		if (v->parts[i] != 0)
			return true;
	}
	return false;
}

static bool
can_happen(
    const struct explorer *x, const struct vector *v, const struct event *e)
{
	const struct local *local = explorer_local(x, v->parts[e->node]);
	const struct queue *queue;

	switch (e->kind) {
	case INPUT_START:
		return !local->is_reached;
	case INPUT_TIMER:
		return local->is_armed && !is_anything_under_way(x, v);
	case INPUT_MESSAGE:
		queue = table_at(&x->queues, v->parts[e->part]);
		return e->position < queue->count &&
		       (e->position == 0 ||
			   queue->messages[e->position] !=
			       queue->messages[e->position - 1]);
	}
	return false;
}

uint32_t
explorer_next(const struct explorer *x, const struct vector *v, uint32_t event)
{
	while (event < x->events_count && !can_happen(x, v, &x->events[event]))
		event++;
	return event;
}

uint16_t
explorer_message(
    const struct explorer *x, const struct vector *v, const struct event *e)
{
	const struct queue *queue;

	if (e->kind != INPUT_MESSAGE)
		return NOTHING;
	queue = table_at(&x->queues, v->parts[e->part]);
	return queue->messages[e->position];
}

static bool
queue_take(struct explorer *x, uint16_t *part, uint32_t position)
{
	struct queue queue = *(struct queue *)table_at(&x->queues, *part);

	queue.count--;
	for (uint32_t i = position; i < queue.count; i++)
		queue.messages[i] = queue.messages[i + 1];
	queue.messages[queue.count] = 0;
	*part = explorer_number(x, &x->queues, &queue);
	return *part != NOTHING;
}

static bool
queue_put(struct explorer *x, uint16_t *part, uint16_t message)
{
	struct queue queue = *(struct queue *)table_at(&x->queues, *part);
	uint32_t at = queue.count;

	if (queue.count == QUEUE_MAX)
		return explorer_fail(x, EXPLORE_GAVE_UP,
		    "more than %d messages on one link", QUEUE_MAX);
	if (x->setup->unordered) {
		for (; at > 0 && queue.messages[at - 1] > message; at--)
			queue.messages[at] = queue.messages[at - 1];
	}
	queue.messages[at] = message;
	queue.count++;
	*part = explorer_number(x, &x->queues, &queue);
	return *part != NOTHING;
}

/* No two nodes decide differently, not even for a while. */
static bool
check_agreement(struct explorer *x, const struct vector *v, uint32_t node)
{
	node_id winner = explorer_local(x, v->parts[node])->winner;

	for (uint32_t i = 0; i < x->nodes; i++) {
		node_id other = explorer_local(x, v->parts[i])->winner;

		if (other != NODE_NONE && other != winner)
			return explorer_fail(x, EXPLORE_REFUTED,
			    "%u decides for %u, and %u for %u",
			    x->world->ranks[node].id, winner,
			    x->world->ranks[i].id, other);
	}
	return true;
}

bool
explorer_take(struct explorer *x, const struct vector *from, uint32_t event,
    struct vector *to)
{
	const struct event *e = &x->events[event];
	const struct graph *g = &x->world->graph;
	uint16_t message = explorer_message(x, from, e);
	const struct effect *effect =
	    explorer_effect(x, e, from->parts[e->node], message);

	if (effect == NULL)
		return false;
	*to = *from;
	if (message != NOTHING &&
	    !queue_take(x, &to->parts[e->part], e->position))
		return false;
	to->parts[e->node] = effect->after;
	for (uint32_t i = 0; i < effect->sends_count; i++) {
		const struct graph_end *end =
		    &g->ends[g->first[e->node] + effect->sends[i].link];
		uint64_t part = x->nodes + g->first[end->node] + end->link;

		if (!queue_put(x, &to->parts[part], effect->sends[i].message))
			return false;
	}
	return !effect->has_decided || check_agreement(x, to, e->node);
}

bool
explorer_is_quiet(const struct explorer *x, const struct vector *v)
{
	bool has_started = false, waits = false;

	for (uint32_t i = 0; i < x->nodes; i++) {
		const struct local *local = explorer_local(x, v->parts[i]);

		has_started = has_started || local->has_started;
		waits = waits || local->is_armed ||
			(x->choices.no_wakeup && may_start(x, i) &&
			    !local->is_reached);
	}
	return has_started && !waits && !is_anything_under_way(x, v);
}

/* Gives the best of all, or of the starters if only these may win. */
static const struct rank *
expected_winner(const struct explorer *x, const struct vector *v)
{
	const struct rank *best = NULL;

	for (uint32_t i = 0; i < x->nodes; i++) {
		const struct rank *rank = &x->world->ranks[i];

		if (x->choices.starters_only &&
		    !explorer_local(x, v->parts[i])->has_started)
			continue;
		if (best == NULL || rank_better(rank, best, x->setup->prefer))
			best = rank;
	}
	assert(best != NULL);
	return best;
}

bool
explorer_check_end(struct explorer *x, const struct vector *v)
{
	const struct rank *best = expected_winner(x, v);
	const struct rank *winner;

	for (uint32_t i = 0; i < x->nodes; i++) {
		if (explorer_local(x, v->parts[i])->winner == NODE_NONE)
			return explorer_fail(x, EXPLORE_REFUTED,
			    "nothing is under way, and %u has not decided",
			    x->world->ranks[i].id);
	}
	winner = explorer_rank(x, explorer_local(x, v->parts[0])->winner);
	if (winner->id == best->id)
		return true;
	if (!x->choices.any_leader)
		return explorer_fail(x, EXPLORE_REFUTED,
		    "%u wins, and %u is better", winner->id, best->id);
	if (best->is_eligible && !winner->is_eligible)
		return explorer_fail(x, EXPLORE_REFUTED,
		    "%u wins, and does not stand", winner->id);
	return true;
}
