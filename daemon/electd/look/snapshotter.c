/* SPDX-License-Identifier: ISC */
#include "daemon/electd/look/snapshotter.h"

#include <stdlib.h>
#include <string.h>

#define FETCHES_MAX 8 /* pieces of events at a time, fetched or to be taken */

struct fetch {
	uint64_t number; /* 0: free */
	bool is_asked;
	bool is_over;
	struct pull pull;
	struct fetched fetched;
	uint8_t items[PACKET_MAX];
};

struct snapshotter {
	uint64_t number;        /* of the snapshots so far */
	nsec_t began;           /* the last one */
	nsec_t took;            /* the last one that has ended */
	struct assembly *open;  /* under way; NULL: none */
	struct assembly *ended; /* the last that has; NULL: none */
	struct assembly *whole; /* the last complete one; NULL: none. Perhaps
	                           * it is `ended` */
	uint64_t fetches_count; /* so far */
	struct fetch fetches[FETCHES_MAX];
};

struct snapshotter *
snapshotter_new(void)
{
	return calloc(1, sizeof(struct snapshotter));
}

void
snapshotter_free(struct snapshotter *s)
{
	if (s == NULL)
		return;
	assembly_free(s->open);
	if (s->whole != s->ended)
		assembly_free(s->whole);
	assembly_free(s->ended);
	free(s);
}

uint64_t
snapshotter_begin(struct snapshotter *s, struct node *node, nsec_t now)
{
	struct snapshot_name name;

	if (s->open != NULL)
		return s->number;
	name = node_snapshot(node, now);
	s->open = assembly_new(&name);
	if (s->open == NULL)
		return 0;
	s->began = now;
	return ++s->number;
}

struct assembled
snapshotter_last(const struct snapshotter *s)
{
	return (struct assembled){
		.number = s->number - (s->open != NULL),
		.assembly = s->ended,
		.took = s->took,
	};
}

uint64_t
snapshotter_pull(struct snapshotter *s, node_id id, uint64_t from)
{
	struct fetch *f = NULL;

	/* A client may have gone: the oldest answer gives way. */
	for (unsigned i = 0; i < FETCHES_MAX; i++) {
		struct fetch *other = &s->fetches[i];

		if ((other->number == 0 || other->is_over) &&
		    (f == NULL || other->number < f->number))
			f = other;
	}
	if (f == NULL || s->whole == NULL)
		return 0;
	*f = (struct fetch){ .pull.kind = PULL_EVENTS, .pull.from = from };
	if (!assembly_path(s->whole, id, &f->pull))
		return 0;
	f->fetched.head = assembly_find(s->whole, id)->head;
	f->number = ++s->fetches_count;
	return f->number;
}

bool
snapshotter_has_fetched(const struct snapshotter *s, uint64_t number,
    const struct fetched **fetched)
{
	*fetched = NULL;
	for (unsigned i = 0; i < FETCHES_MAX; i++) {
		const struct fetch *f = &s->fetches[i];

		if (f->number != number)
			continue;
		if (f->is_over)
			*fetched = &f->fetched;
		return f->is_over;
	}
	return true;
}

/* The snapshot has ended. */
static void
end(struct snapshotter *s, nsec_t now)
{
	if (s->ended != s->whole)
		assembly_free(s->ended);
	s->ended = s->open;
	s->open = NULL;
	s->took = nsec_since(now, s->began);
	if (s->ended->outcome != SNAPSHOT_COMPLETE)
		return;
	assembly_free(s->whole);
	s->whole = s->ended;
}

static bool
fetch_take(struct snapshotter *s, const struct action *action)
{
	bool is_over = false;

	for (unsigned i = 0; i < FETCHES_MAX; i++) {
		struct fetch *f = &s->fetches[i];

		if (!f->is_asked || f->is_over ||
		    !pull_equal(&f->pull, &action->pulled.pull))
			continue;
		f->is_over = is_over = true;
		memcpy(f->items, action->datagram, action->size);
		f->fetched.pulled = action->pulled;
		f->fetched.pulled.items = f->items;
	}
	return is_over;
}

bool
snapshotter_take(struct snapshotter *s, nsec_t now, const struct action *action)
{
	if (action->pulled.pull.kind == PULL_EVENTS)
		return fetch_take(s, action);
	if (s->open == NULL)
		return false;
	assembly_take(s->open, &action->pulled, action->datagram);
	if (s->open->outcome == SNAPSHOT_OPEN)
		return false;
	end(s, now);
	return true;
}

nsec_t
snapshotter_deadline(const struct snapshotter *s)
{
	return s->open == NULL ? NSEC_NEVER
			       : nsec_after(s->began, SNAPSHOT_TIME);
}

bool
snapshotter_tick(struct snapshotter *s, const struct node *node, nsec_t now)
{
	if (now < snapshotter_deadline(s))
		return false;
	assembly_give_up(s->open, node_snapshot_awaits(node));
	end(s, now);
	return true;
}

bool
snapshotter_go_on(struct snapshotter *s, struct node *node, nsec_t now)
{
	struct pull pull;
	bool has_begun = false;

	for (unsigned i = 0; i < FETCHES_MAX; i++) {
		struct fetch *f = &s->fetches[i];

		if (f->number == 0 || f->is_asked ||
		    !node_pull(node, now, &f->pull))
			continue;
		f->is_asked = has_begun = true;
	}
	while (s->open != NULL && assembly_next(s->open, &pull) &&
	       node_pull(node, now, &pull)) {
		assembly_asked(s->open, &pull);
		has_begun = true;
	}
	return has_begun;
}
