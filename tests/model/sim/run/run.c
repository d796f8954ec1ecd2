/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/run.h"

#include <stdlib.h>

#include "tests/model/sim/run/post.h"
#include "tests/model/sim/run/timers.h"

#define TIMER_UNITS    2 /* of time: a message and its answer */
#define PROGRESS_EVERY ((uint64_t)1 << 20) /* messages; a power of two */
#define COMING         4 /* nodes whose seats are being fetched */

/* A node. Its links are those of the graph; view.links points to them. */
struct seat {
	struct view view;
	void *state;
	uint32_t depth; /* the longest chain of messages that has reached it */
	node_id winner; /* NODE_NONE: it has not decided */
};

_Static_assert(sizeof(struct seat) == 64, "it is to be one line of a cache");

struct run {
	const struct run_setup *setup;
	struct run_result *result;
	struct seat *seats;      /* allocated; one a node, by position */
	struct view_link *links; /* allocated; all nodes' links, as the graph */
	char *states;            /* allocated; one behind the other */
	struct outbox out;       /* its messages are allocated */
	struct post post;
	struct timers timers;
	uint32_t coming[COMING];
	unsigned coming_next;
	struct rank winner; /* of the last decision */
	uint64_t step;
	bool has_failed; /* no memory */
};

static void
run_observe_moment(
    const struct run *run, const struct seat *seat, struct moment *moment)
{
	const struct run_setup *setup = run->setup;

	moment->step = run->step;
	moment->time = seat->depth;
	moment->node = (uint32_t)(seat - run->seats);
	moment->phase = setup->algorithm->phase(seat->state);
	setup->observe(setup->context, moment);
}

/* Gives the graph's number of a node's link. */
static uint64_t
run_end(const struct run *run, const struct seat *seat, unsigned link)
{
	assert(link < seat->view.links_count);
	return (uint64_t)(seat->view.links - run->links) + link;
}

/* Gives the channel of messages from this end of a link. */
static uint32_t
run_channel(const struct run *run, uint64_t end)
{
	return run->setup->schedule == SCHEDULE_UNIT ? 0 : (uint32_t)end;
}

static void
run_send(struct run *run, const struct seat *seat, const struct outgoing *o)
{
	uint64_t end = run_end(run, seat, o->link);
	const struct graph_end *to = &run->setup->graph->ends[end];
	struct address address = {
		.number = run->result->total,
		.node = to->node,
		.link = to->link,
		.depth = seat->depth + 1,
	};

	assert(address.depth > seat->depth);
	if (!post_put(&run->post, run_channel(run, end), &o->message, &address))
		run->has_failed = true;
	run->result->total++;
	run->result->messages[o->message.kind]++;
	if (run->setup->observe != NULL)
		run_observe_moment(run, seat,
		    &(struct moment){
			.kind = MOMENT_SEND,
			.other = to->node,
			.link = o->link,
			.number = address.number,
			.message = &o->message,
		    });
}

static void
run_decide(struct run *run, struct seat *seat, const struct rank *winner)
{
	if (seat->winner == NODE_NONE)
		run->result->decided++;
	seat->winner = winner->id;
	run->winner = *winner;
	if (run->setup->observe != NULL)
		run_observe_moment(run, seat,
		    &(struct moment){
			.kind = MOMENT_DECIDE,
			.winner = winner,
		    });
}

/* Performs one step of a node; `moment` says of which kind. */
static void
run_step(struct run *run, struct seat *seat, const struct input *in,
    struct moment *moment)
{
	const struct algorithm *algorithm = run->setup->algorithm;
	struct outbox *out = &run->out;

	outbox_clear(out);
	algorithm->step(seat->state, in, out);
	if (run->setup->check)
		algorithm->check(seat->state);
	if (run->setup->observe != NULL)
		run_observe_moment(run, seat, moment);
	for (size_t i = 0; i < out->count; i++)
		run_send(run, seat, &out->messages[i]);
	if (out->has_decided)
		run_decide(run, seat, &out->winner);
	if (out->has_armed &&
	    !timers_arm(&run->timers, (uint32_t)(seat - run->seats),
		seat->depth + TIMER_UNITS))
		run->has_failed = true;
	run->step++;
}

/* Fetches a node's seat, and what the seat of an earlier one needs. */
static void
run_announce(void *context, uint32_t node)
{
	struct run *run = context;
	uint32_t *coming = &run->coming[run->coming_next++ % COMING];
	const struct seat *seat = &run->seats[*coming];

	__builtin_prefetch(seat->state, 1);
	__builtin_prefetch(
	    &run->setup->graph->ends[seat->view.links - run->links]);
	__builtin_prefetch(&run->seats[node], 1);
	*coming = node;
}

static void
run_start(struct run *run, struct seat *seat)
{
	struct moment moment = { .kind = MOMENT_START };

	run_step(run, seat, &(struct input){ .kind = INPUT_START }, &moment);
}

static void
run_deliver(struct run *run, const struct message *m, const struct address *to)
{
	struct seat *seat = &run->seats[to->node];
	struct moment moment = {
		.kind = MOMENT_DELIVER,
		.link = to->link,
		.number = to->number,
		.message = m,
	};

	if (seat->depth < to->depth)
		seat->depth = to->depth;
	if (run->setup->observe != NULL) {
		uint64_t end = run_end(run, seat, to->link);

		moment.other = run->setup->graph->ends[end].node;
	}
	run_step(run, seat,
	    &(struct input){
		.kind = INPUT_MESSAGE,
		.link = to->link,
		.message = m,
	    },
	    &moment);
	run->result->delivered++;
	if (run->result->delivered % PROGRESS_EVERY == 0 &&
	    run->setup->progress != NULL)
		run->setup->progress(
		    run->setup->context, run->result->delivered);
}

static void
run_expire(struct run *run)
{
	struct moment moment = { .kind = MOMENT_TIMER };
	uint32_t depth;
	struct seat *seat = &run->seats[timers_take(&run->timers, &depth)];

	if (seat->depth < depth)
		seat->depth = depth;
	run_step(run, seat, &(struct input){ .kind = INPUT_TIMER }, &moment);
}

/*
 * A timer runs out after all messages of its moment. Under a random schedule it
 * runs out after all messages, since it bounds how long they take.
 */
static bool
run_is_timer_next(struct run *run)
{
	if (timers_are_empty(&run->timers))
		return false;
	return post_is_empty(&run->post) ||
	       (run->setup->schedule == SCHEDULE_UNIT &&
		   timers_depth(&run->timers) < post_depth(&run->post));
}

static void
run_loop(struct run *run)
{
	const bool *starters = run->setup->starters;
	struct message message = { 0 };
	struct address to;

	for (uint32_t i = 0; i < run->setup->graph->nodes; i++) {
		if (starters == NULL || starters[i])
			run_start(run, &run->seats[i]);
	}
	while (!run->has_failed) {
		if (run_is_timer_next(run))
			run_expire(run);
		else if (post_take(&run->post, &message, &to))
			run_deliver(run, &message, &to);
		else
			break;
	}
}

/* Gives the bytes of a node's state, rounded up so that the next one is
 * aligned. */
static size_t
run_state_size(const struct run *run, const struct view *view)
{
	size_t align = _Alignof(max_align_t);

	return (run->setup->algorithm->size(view) + align - 1) / align * align;
}

/* Gives each node its view; the result is the bytes of all states. */
static size_t
run_make_views(struct run *run, struct random *random)
{
	const struct run_setup *setup = run->setup;
	const struct graph *g = setup->graph;
	size_t size = 0;

	for (uint32_t i = 0; i < g->nodes; i++) {
		struct view *view = &run->seats[i].view;

		run->seats[i] = (struct seat){ .winner = NODE_NONE };
		*view = (struct view){
			.self = setup->ranks[i],
			.prefer = setup->prefer,
			.links = run->links + g->first[i],
			.links_count = g->first[i + 1] - g->first[i],
			.choices = &setup->choices,
			.seed = random_next(random),
		};
		for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++)
			run->links[e].rank = setup->ranks[g->ends[e].node];
		size += run_state_size(run, view);
	}
	return size;
}

static void
run_make_states(struct run *run)
{
	char *next = run->states;

	for (uint32_t i = 0; i < run->setup->graph->nodes; i++) {
		struct seat *seat = &run->seats[i];

		seat->state = next;
		next += run_state_size(run, &seat->view);
		run->setup->algorithm->init(seat->state, &seat->view);
	}
}

static size_t
links_max(const struct graph *g)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < g->nodes; i++) {
		uint64_t count = g->first[i + 1] - g->first[i];

		most = count > most ? count : most;
	}
	return most;
}

/* Gives the number of channels for post_init(). */
static uint64_t
run_channels(const struct run_setup *setup)
{
	if (setup->schedule == SCHEDULE_UNIT)
		return 1;
	return setup->unordered ? 0 : 2 * setup->graph->edges + 1;
}

static bool
run_init(struct run *run)
{
	const struct run_setup *setup = run->setup;
	const struct graph *g = setup->graph;
	struct outbox *out = &run->out;
	struct random random;
	size_t states;

	random_init(&random, setup->seed);
	timers_init(&run->timers, g->nodes);
	run->seats =
	    aligned_alloc(sizeof(*run->seats), g->nodes * sizeof(*run->seats));
	run->links = calloc(2 * g->edges + 1, sizeof(*run->links));
	out->capacity = outbox_capacity(links_max(g));
	out->messages = calloc(out->capacity, sizeof(*out->messages));
	if (run->seats == NULL || run->links == NULL || out->messages == NULL)
		return false;
	states = run_make_views(run, &random);
	run->states = calloc(1, states);
	if (run->states == NULL)
		return false;
	run_make_states(run);
	return post_init(&run->post, run_channels(setup),
	    setup->algorithm->has_lists, &random, run_announce, run);
}

static void
run_free(struct run *run)
{
	free(run->seats);
	free(run->links);
	free(run->states);
	free(run->out.messages);
	post_free(&run->post);
	timers_free(&run->timers);
}

/* Fills in the result once all is quiet. */
static void
run_finish(const struct run *run, struct run_result *result)
{
	uint32_t nodes = run->setup->graph->nodes;

	result->agreed = result->decided == nodes;
	for (uint32_t i = 0; i < nodes; i++) {
		const struct seat *seat = &run->seats[i];

		if (seat->winner != run->seats[0].winner)
			result->agreed = false;
		if (seat->depth > result->time)
			result->time = seat->depth;
	}
	if (result->agreed) {
		result->winner = run->winner.id;
		result->has_leader = run->winner.is_eligible;
	}
}

bool
run_election(const struct run_setup *setup, struct run_result *result)
{
	struct run run = { .setup = setup, .result = result };

	*result = (struct run_result){ 0 };
	if (run_init(&run)) {
		run_loop(&run);
		run_finish(&run, result);
	} else {
		run.has_failed = true;
	}
	run_free(&run);
	return !run.has_failed;
}
