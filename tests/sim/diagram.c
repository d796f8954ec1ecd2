/* SPDX-License-Identifier: ISC */
#include "tests/sim/diagram.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/sim/diagram_private.h"

struct diagram *
diagram_new(const struct run_setup *setup)
{
	uint32_t nodes = setup->graph->nodes;
	struct diagram *d = calloc(1, sizeof(*d));

	assert(nodes > 0);
	if (d == NULL)
		return NULL;
	d->algorithm = setup->algorithm;
	d->schedule = setup->schedule;
	d->is_ring = setup->graph->kind == TOPOLOGY_RING;
	d->nodes = nodes;
	d->is_too_large = nodes > DIAGRAM_NODES_MAX;
	if (d->is_too_large)
		return d;
	d->lines = calloc(nodes, sizeof(*d->lines));
	if (d->lines == NULL) {
		free(d);
		return NULL;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		d->lines[i] = (struct lifeline){
			.id = setup->ranks[i].id,
			.started = NEVER,
			.touched = NEVER,
			.decided = NEVER,
		};
	}
	return d;
}

void
diagram_free(struct diagram *d)
{
	if (d == NULL)
		return;
	free(d->lines);
	free(d->arrows);
	free(d);
}

/* Gives the place of a moment on the page's axis. */
static uint64_t
moment_at(const struct diagram *d, const struct moment *moment)
{
	return d->schedule == SCHEDULE_UNIT ? moment->time : moment->step;
}

static bool
diagram_grow(struct diagram *d)
{
	uint32_t size = d->size == 0 ? 64 : 2 * d->size;
	struct arrow *arrows = realloc(d->arrows, size * sizeof(*arrows));

	if (arrows == NULL)
		return false;
	d->arrows = arrows;
	d->size = size;
	return true;
}

static void
see_send(struct diagram *d, const struct moment *moment)
{
	const struct message *m = moment->message;

	if (d->count == DIAGRAM_MESSAGES_MAX) {
		d->is_too_large = true;
		return;
	}
	if (d->count == d->size && !diagram_grow(d)) {
		d->has_failed = true;
		return;
	}
	assert(moment->number == d->count);
	d->arrows[d->count++] = (struct arrow){
		.from = moment->node,
		.to = moment->other,
		.link = moment->link,
		.sent = moment_at(d, moment),
		.received = NEVER,
		.kind = m->kind,
		.rank = m->rank,
		.origin = m->origin,
		.phase = m->phase,
	};
}

/* If the winner is not eligible, the decision is that nobody leads. */
static void
see_decision(struct diagram *d, const struct moment *moment)
{
	struct lifeline *line = &d->lines[moment->node];
	node_id winner =
	    moment->winner->is_eligible ? moment->winner->id : NODE_NONE;

	if (line->decided != NEVER && line->winner == winner)
		return;
	line->decided = moment_at(d, moment);
	line->winner = winner;
}

void
diagram_observe(void *context, const struct moment *moment)
{
	struct diagram *d = context;
	struct lifeline *line;
	uint64_t at = moment_at(d, moment);

	if (d->is_too_large || d->has_failed)
		return;
	d->end = at > d->end ? at : d->end;
	line = &d->lines[moment->node];
	if (line->touched == NEVER)
		line->touched = at;
	switch (moment->kind) {
	case MOMENT_START:
		line->started = at;
		break;
	case MOMENT_DELIVER:
		assert(moment->number < d->count);
		d->arrows[moment->number].received = at;
		break;
	case MOMENT_SEND:
		see_send(d, moment);
		break;
	case MOMENT_DECIDE:
		see_decision(d, moment);
		break;
	case MOMENT_TIMER:
		break;
	}
}

int
diagram_write(struct diagram *d, const char *path)
{
	struct layout layout;
	bool is_bad;
	FILE *out;

	if (d->is_too_large)
		return -E2BIG;
	if (d->has_failed)
		return -ENOMEM;
	out = fopen(path, "w");
	if (out == NULL)
		return -errno;
	diagram_place(d, &layout);
	diagram_print(out, d, &layout);
	is_bad = ferror(out) != 0;
	if (fclose(out) != 0)
		return -errno;
	return is_bad ? -EIO : 0;
}
