/* SPDX-License-Identifier: ISC */
/* Replays the run of a refutation, as moments of an ordinary run. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/explore/guard.h"
#include "tests/model/sim/explore/private.h"

/* A message under way. */
struct flight {
	struct message message;
	uint64_t number;
	uint64_t time;
	uint32_t from;
	uint32_t part;       /* index of the link in a vector */
	struct flight *next; /* the next in order of sending */
};

struct replay {
	struct explorer x; /* with views, states and outbox, but empty tables */
	struct flight *flights; /* the oldest first; allocated */
	uint64_t times[EXPLORE_NODES_MAX];
	uint64_t sent;
	uint64_t step;
	run_observe *observe;
	void *context;
};

static void
show(struct replay *r, struct moment *m)
{
	const struct algorithm *algorithm = r->x.setup->algorithm;

	m->step = r->step;
	m->time = r->times[m->node];
	m->phase = algorithm->phase(r->x.states[m->node]);
	r->observe(r->context, m);
}

static uint32_t
part_of(const struct replay *r, uint32_t node, uint32_t link)
{
	return r->x.nodes + (uint32_t)r->x.world->graph.first[node] + link;
}

/* Takes the first message like this one from the link; NULL: there is none. */
static struct flight *
flight_take(struct replay *r, const struct explore_step *step)
{
	uint32_t part = part_of(r, step->node, step->link);
	struct flight **at = &r->flights, *flight;

	while (*at != NULL &&
	       ((*at)->part != part || memcmp(&(*at)->message, &step->message,
					   sizeof(step->message)) != 0))
		at = &(*at)->next;
	flight = *at;
	if (flight != NULL)
		*at = flight->next;
	return flight;
}

static bool
replay_send(struct replay *r, uint32_t node, const struct outgoing *sent)
{
	const struct graph *g = &r->x.world->graph;
	const struct graph_end *end = &g->ends[g->first[node] + sent->link];
	struct flight *flight = malloc(sizeof(*flight)), **at = &r->flights;

	if (flight == NULL)
		return false;
	*flight = (struct flight){ .number = r->sent++,
		.time = r->times[node] + 1,
		.from = node,
		.part = part_of(r, end->node, end->link) };
	explorer_copy_message(&flight->message, &sent->message);
	while (*at != NULL)
		at = &(*at)->next;
	*at = flight;
	show(r, &(struct moment){ .kind = MOMENT_SEND,
		    .node = node,
		    .other = end->node,
		    .link = sent->link,
		    .number = flight->number,
		    .message = &flight->message });
	return true;
}

/* Shows the outcome, unless an assertion has failed. */
static bool
replay_input(struct replay *r, struct moment *m, const struct input *in)
{
	struct explorer *x = &r->x;
	struct outbox *out = &x->out;
	bool has_failed = !explorer_step(x, m->node, in);

	r->step++;
	show(r, m);
	for (size_t i = 0; i < out->count && !has_failed; i++) {
		if (out->messages[i].link >= x->views[m->node].links_count)
			break;
		if (!replay_send(r, m->node, &out->messages[i]))
			return false;
	}
	if (out->has_decided && !has_failed)
		show(r, &(struct moment){ .kind = MOMENT_DECIDE,
			    .node = m->node,
			    .winner = &out->winner });
	return true;
}

static bool
replay_step(struct replay *r, const struct explore_step *step)
{
	struct moment m = { .kind = step->kind, .node = step->node };
	struct input in = { .kind = INPUT_TIMER };
	struct flight *flight = NULL;
	bool is_done;

	if (step->kind == MOMENT_START)
		in.kind = INPUT_START;
	if (step->kind == MOMENT_TIMER)
		r->times[step->node] += 2; /* a message and its answer */
	if (step->kind == MOMENT_DELIVER) {
		flight = flight_take(r, step);
		assert(flight != NULL);
		in.kind = INPUT_MESSAGE;
		in.link = m.link = step->link;
		in.message = m.message = &flight->message;
		m.other = flight->from;
		m.number = flight->number;
		if (r->times[step->node] < flight->time)
			r->times[step->node] = flight->time;
	}
	is_done = replay_input(r, &m, &in);
	free(flight);
	return is_done;
}

static void
replay_free(struct replay *r)
{
	while (r->flights != NULL) {
		struct flight *flight = r->flights;

		r->flights = flight->next;
		free(flight);
	}
	explorer_done(&r->x);
	free(r);
}

bool
explore_replay(const struct explore_setup *setup,
    const struct explore_result *result, run_observe *observe, void *context)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct explore_result unused = { 0 };
	struct vector first;
	bool is_done;

	if (r == NULL)
		return false;
	r->observe = observe;
	r->context = context;
	is_done = explorer_init(&r->x, setup, &result->world, &unused) &&
		  explorer_first(&r->x, &first);
	for (size_t i = 0; i < result->steps_count && is_done; i++)
		is_done = replay_step(r, &result->steps[i]);
	replay_free(r);
	return is_done;
}
