/* SPDX-License-Identifier: ISC */
/*
 * The order of messages between two nodes (PROTOCOL.md, Order), without a look
 * into either: the tap wraps the algorithm, and compares what nodes send and
 * take. A process takes from another only messages that the other sent to it
 * since it started, in the same order, each once; two messages with the same
 * content count as equal. While an id is in use twice, or has been, and with
 * discovery, the tap cannot tell its processes apart, and does not check the
 * order.
 */
#include "tests/model/world/host/host.h"

#include <inttypes.h>
#include <stdlib.h>

#define TAP_MAX 512 /* more than a channel holds unacknowledged */

/* The messages that one id sent to another, as hashes, oldest first. */
struct tap {
	uint64_t prints[TAP_MAX];
	size_t first;
	size_t count;
};

/* The state of an algorithm. Before it lie the view that it began with, and its
 * term once that is known. */
struct wrapped {
	const struct view *view;
	uint64_t term;
	max_align_t state[];
};

static struct world *listening; /* the world of the process that moves */
static process_name moving;

/* Computes FNV-1a of what the algorithm itself put into the message. */
static uint64_t
print_of(const struct message *m)
{
	const uint64_t words[] = { m->kind, m->origin, m->phase, m->distance,
		m->list_count, m->rank.id, (uint32_t)m->rank.priority,
		m->rank.is_eligible, m->rank.is_contender };
	uint64_t print = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		print = (print ^ words[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < LIST_MAX && i < m->list_count; i++)
		print = (print ^ m->list[i]) * UINT64_C(0x100000001b3);
	return print;
}

static struct tap *
tap_between(node_id from, node_id to)
{
	struct tap **tap;

	if (listening->discovery.is_on ||
	    listening->processes[WORLD_COPY].lives > 0)
		return NULL;
	tap = &listening->taps.between[from][to];
	if (*tap == NULL)
		*tap = calloc(1, sizeof(**tap));
	assert(*tap != NULL);
	return *tap;
}

static void
tap_sent(node_id from, node_id to, const struct message *m)
{
	struct tap *tap = tap_between(from, to);

	if (tap == NULL)
		return;
	if (tap->count == TAP_MAX) {
		tap->first = (tap->first + 1) % TAP_MAX;
		tap->count--;
	}
	tap->prints[(tap->first + tap->count++) % TAP_MAX] = print_of(m);
}

/* The messages before it were lost on the way, so nobody may take them any
 * more. */
static void
tap_taken(node_id from, node_id to, const struct message *m)
{
	struct tap *tap = tap_between(from, to);
	uint64_t print = print_of(m);

	if (tap == NULL)
		return;
	listening->counters.tapped++;
	while (tap->count > 0) {
		uint64_t sent = tap->prints[tap->first];

		tap->first = (tap->first + 1) % TAP_MAX;
		tap->count--;
		if (sent == print)
			return;
	}
	world_fail(listening,
	    "%" PRIu32 " took a message that %" PRIu32
	    " did not send it, or not in this order",
	    to, from);
}

static const struct algorithm *
inner(void)
{
	assert(listening != NULL);
	return world_algorithm(
	    listening, listening->processes[moving].configs.file.algorithm);
}

static size_t
wrapped_size(const struct view *view)
{
	return sizeof(struct wrapped) + inner()->size(view);
}

static void
wrapped_init(void *state, const struct view *view)
{
	struct wrapped *wrapped = state;

	wrapped->view = view;
	wrapped->term = 0;
	inner()->init(wrapped->state, view);
}

/* An election takes no message of another election. */
static void
check_term(struct wrapped *wrapped, const struct message *m)
{
	if (wrapped->term != 0 && wrapped->term != m->term)
		world_fail(listening,
		    "%u takes a message of term %" PRIu64
		    " into the election of term %" PRIu64,
		    moving, m->term, wrapped->term);
	wrapped->term = m->term;
}

static void
wrapped_step(void *state, const struct input *in, struct outbox *out)
{
	struct wrapped *wrapped = state;
	const struct view_link *links = wrapped->view->links;
	node_id self = listening->processes[moving].id;
	size_t before = out->count;

	if (in->kind == INPUT_MESSAGE) {
		check_term(wrapped, in->message);
		tap_taken(links[in->link].rank.id, self, in->message);
	}
	inner()->step(wrapped->state, in, out);
	for (size_t i = before; i < out->count; i++)
		tap_sent(self, links[out->messages[i].link].rank.id,
		    &out->messages[i].message);
}

static const char *
wrapped_phase(const void *state)
{
	const struct wrapped *wrapped = state;

	return inner()->phase(wrapped->state);
}

static void
wrapped_check(const void *state)
{
	const struct wrapped *wrapped = state;

	inner()->check(wrapped->state);
}

void
tap_init(struct world *w)
{
	const struct algorithm *a;

	for (unsigned i = 0; (a = world_algorithm(w, i)) != NULL; i++) {
		assert(i < WORLD_ALGORITHMS_MAX);
		w->taps.wrapped[i] = *a;
		w->taps.wrapped[i].size = wrapped_size;
		w->taps.wrapped[i].init = wrapped_init;
		w->taps.wrapped[i].step = wrapped_step;
		w->taps.wrapped[i].phase = wrapped_phase;
		w->taps.wrapped[i].check = wrapped_check;
	}
}

void
tap_listen(struct world *w, process_name name)
{
	listening = w;
	moving = name;
}

/* Messages to an earlier process are not for this one. */
void
tap_start(struct world *w, process_name name)
{
	node_id to = w->processes[name].id;

	tap_listen(w, name);
	if (w->discovery.is_on)
		return;
	for (node_id from = 1; from <= w->setup.nodes; from++)
		world_tap_forget(w, from, to);
}

void
world_tap_forget(struct world *w, node_id from, node_id to)
{
	if (w->taps.between[from][to] != NULL)
		w->taps.between[from][to]->count = 0;
}

void
tap_done(struct world *w)
{
	for (node_id from = 1; from <= WORLD_NODES_MAX; from++) {
		for (node_id to = 1; to <= WORLD_NODES_MAX; to++)
			free(w->taps.between[from][to]);
	}
	if (listening == w)
		listening = NULL;
}
