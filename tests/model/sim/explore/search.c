/* SPDX-License-Identifier: ISC */
/*
 * Walks all vectors, breadth first, so that the fewest events lead to the first
 * one that breaks a law. Then comes the proof that every run ends. The vectors
 * are finitely many, so a run without end would come back to one of its own. If
 * every event leads to the next level, no run does; else a search depth first
 * looks for a vector that can be reached from itself.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/model/sim/explore/private.h"

#define PROGRESS_EVERY ((uint32_t)1 << 12) /* vectors, of all graphs together */

static struct vector
vector_get(const struct explorer *x, uint32_t number)
{
	struct vector v = { 0 };

	memcpy(&v, table_at(&x->vectors, number), x->vectors.record_bytes);
	return v;
}

static uint32_t
vector_parent(const struct explorer *x, uint32_t number)
{
	const unsigned char *record = table_at(&x->vectors, number);
	uint32_t parent;

	memcpy(&parent, record + explorer_parent_at(x), sizeof(parent));
	return parent;
}

static bool
vector_add(struct explorer *x, struct vector *v, uint32_t parent)
{
	uint32_t number;

	memcpy((unsigned char *)v + explorer_parent_at(x), &parent,
	    sizeof(parent));
	number = table_add(&x->vectors, v);
	if (number == TABLE_FULL)
		return explorer_fail(x, EXPLORE_GAVE_UP, "the memory is full");
	if (number < x->level_end)
		x->may_have_cycle = true;
	return true;
}

/* Adds a step to the run in the result. */
static bool
tell_step(struct explorer *x, const struct vector *v, uint32_t event)
{
	struct explore_result *result = x->result;
	const struct event *e = &x->events[event];
	size_t bytes = (result->steps_count + 1) * sizeof(result->steps[0]);
	struct explore_step *steps = realloc(result->steps, bytes);
	struct explore_step *step;

	if (steps == NULL)
		return false;
	result->steps = steps;
	step = &steps[result->steps_count++];
	*step = (struct explore_step){
		.kind = e->kind == INPUT_START ? MOMENT_START : MOMENT_TIMER,
		.node = e->node,
		.link = e->link,
	};
	if (e->kind == INPUT_MESSAGE) {
		step->kind = MOMENT_DELIVER;
		step->message = *(struct message *)table_at(
		    &x->messages, explorer_message(x, v, e));
	}
	return true;
}

/* Gives the event that made this vector from its parent. */
static uint32_t
event_between(struct explorer *x, const struct vector *parent, uint32_t child)
{
	struct vector v;
	uint32_t event = explorer_next(x, parent, 0);

	for (; event < x->events_count;
	     event = explorer_next(x, parent, event + 1)) {
		if (explorer_take(x, parent, event, &v) &&
		    table_find(&x->vectors, &v) == child)
			break;
	}
	assert(event < x->events_count);
	return event;
}

/* Fills in the run that led to a vector. No vector stores its run; this finds
 * it from parent to parent, backwards, and then steps forwards. */
static bool
tell_run(struct explorer *x, uint32_t number)
{
	uint32_t length = 0, *path;
	bool is_told = true;

	for (uint32_t i = number; i != 0; i = vector_parent(x, i))
		length++;
	path = calloc((size_t)length + 1, sizeof(*path));
	if (path == NULL)
		return false;
	for (uint32_t at = length; at > 0; at--) {
		path[at] = number;
		number = vector_parent(x, number);
	}
	for (uint32_t at = 0; at < length && is_told; at++) {
		struct vector v = vector_get(x, path[at]);

		is_told = tell_step(x, &v, event_between(x, &v, path[at + 1]));
	}
	free(path);
	return is_told;
}

/* Fills in the run up to a vector that breaks a law, and the event that breaks
 * one, if there is one. */
static void
tell(struct explorer *x, uint32_t number, const uint32_t *event)
{
	struct vector v = vector_get(x, number);

	if (x->result->verdict != EXPLORE_REFUTED)
		return;
	if (!tell_run(x, number) ||
	    (event != NULL && !tell_step(x, &v, *event)))
		explorer_fail(x, EXPLORE_GAVE_UP, "no memory to tell of it");
}

/* Lets each possible event happen. */
static bool
expand(struct explorer *x, uint32_t number)
{
	struct vector next, v = vector_get(x, number);

	if (explorer_is_quiet(x, &v)) {
		x->result->ends++;
		if (!explorer_check_end(x, &v)) {
			tell(x, number, NULL);
			return false;
		}
	}
	for (uint32_t event = explorer_next(x, &v, 0); event < x->events_count;
	     event = explorer_next(x, &v, event + 1)) {
		if (!explorer_take(x, &v, event, &next) ||
		    !vector_add(x, &next, number)) {
			tell(x, number, &event);
			return false;
		}
		x->result->transitions++;
	}
	return true;
}

static void
show_progress(struct explorer *x, uint32_t number)
{
	const struct explore_setup *setup = x->setup;
	uint64_t states = x->result->states + number + 1;
	struct explore_result so_far;

	if (setup->progress == NULL || states % PROGRESS_EVERY != 0)
		return;
	so_far = *x->result;
	so_far.states = states;
	setup->progress(setup->context, &so_far);
}

static bool
search_breadth(struct explorer *x)
{
	struct vector first;

	if (!explorer_first(x, &first) || !vector_add(x, &first, 0))
		return false;
	for (uint32_t i = 0; i < x->vectors.count; i++) {
		if (i == x->level_end)
			x->level_end = x->vectors.count;
		if (!expand(x, i))
			return false;
		show_progress(x, i);
	}
	return true;
}

/* A vector of the present path, and the event that comes next. */
struct frame {
	uint32_t number;
	uint32_t event;
};

enum colour {
	COLOUR_NEW,
	COLOUR_RUN, /* on the present path */
	COLOUR_OLD, /* all that follows it has been walked */
};

struct depth {
	struct frame *frames; /* allocated */
	uint32_t count;
	uint32_t capacity;
	uint8_t *colours; /* allocated; enum colour, one a vector */
};

static bool
depth_push(struct explorer *x, struct depth *d, uint32_t number)
{
	if (d->count == d->capacity) {
		uint32_t capacity = d->capacity * 2 + 64;
		struct frame *frames =
		    realloc(d->frames, capacity * sizeof(*frames));

		if (frames == NULL)
			return explorer_fail(
			    x, EXPLORE_GAVE_UP, "no memory to look for cycles");
		d->frames = frames;
		d->capacity = capacity;
	}
	d->colours[number] = COLOUR_RUN;
	d->frames[d->count++] = (struct frame){ .number = number };
	return true;
}

/* The path comes back to its own vector `number`. */
static bool
depth_found(struct explorer *x, const struct depth *d, uint32_t number)
{
	uint32_t step = 0;

	while (d->frames[step].number != number)
		step++;
	for (uint32_t i = 0; i < d->count; i++) {
		struct vector v = vector_get(x, d->frames[i].number);

		if (!tell_step(x, &v, d->frames[i].event - 1))
			return explorer_fail(
			    x, EXPLORE_GAVE_UP, "no memory to tell of a cycle");
	}
	return explorer_fail(x, EXPLORE_REFUTED,
	    "it can go on for ever: all is as it was after step %u", step);
}

/* Follows the next event of the path's last vector, or goes back by one. */
static bool
depth_step(struct explorer *x, struct depth *d)
{
	struct frame *last = &d->frames[d->count - 1];
	struct vector next, v = vector_get(x, last->number);
	uint32_t event = explorer_next(x, &v, last->event);
	uint32_t number;

	if (event == x->events_count) {
		d->colours[last->number] = COLOUR_OLD;
		d->count--;
		return true;
	}
	last->event = event + 1;
	if (!explorer_take(x, &v, event, &next))
		return false;
	number = table_find(&x->vectors, &next);
	assert(number != TABLE_FULL);
	if (d->colours[number] == COLOUR_RUN)
		return depth_found(x, d, number);
	return d->colours[number] == COLOUR_OLD || depth_push(x, d, number);
}

static void
search_depth(struct explorer *x)
{
	struct depth d = { .colours = calloc(x->vectors.count, 1) };
	bool goes_on;

	if (d.colours == NULL)
		goes_on = explorer_fail(
		    x, EXPLORE_GAVE_UP, "no memory to look for cycles");
	else
		goes_on = depth_push(x, &d, 0);
	while (goes_on && d.count > 0)
		goes_on = depth_step(x, &d);
	free(d.frames);
	free(d.colours);
}

void
explorer_search(struct explorer *x)
{
	if (search_breadth(x) && x->may_have_cycle)
		search_depth(x);
	x->result->states += x->vectors.count;
}
