/* SPDX-License-Identifier: ISC */
#include "daemon/electd/look/survey.h"

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

struct survey {
	uint64_t number;          /* of the snapshots so far */
	nsec_t began;             /* the last one */
	nsec_t took;              /* the last one that has ended */
	struct collection *open;  /* under way; NULL: none */
	struct collection *ended; /* the last that has; NULL: none */
	struct collection *whole; /* the last complete one; NULL: none. Perhaps
	                           * it is `ended` */
	uint64_t fetches_count;   /* so far */
	struct fetch fetches[FETCHES_MAX];
};

struct survey *
survey_new(void)
{
	return calloc(1, sizeof(struct survey));
}

void
survey_free(struct survey *s)
{
	if (s == NULL)
		return;
	collection_free(s->open);
	if (s->whole != s->ended)
		collection_free(s->whole);
	collection_free(s->ended);
	free(s);
}

uint64_t
survey_begin(struct survey *s, struct node *node, nsec_t now)
{
	struct snapshot_name name;

	if (s->open != NULL)
		return s->number;
	name = node_snapshot(node, now);
	s->open = collection_new(&name);
	if (s->open == NULL)
		return 0;
	s->began = now;
	return ++s->number;
}

struct surveyed
survey_last(const struct survey *s)
{
	return (struct surveyed){
		.number = s->number - (s->open != NULL),
		.collection = s->ended,
		.took = s->took,
	};
}

uint64_t
survey_pull(struct survey *s, node_id id, uint64_t from)
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
	if (!collection_path(s->whole, id, &f->pull))
		return 0;
	f->fetched.head = collection_find(s->whole, id)->head;
	f->number = ++s->fetches_count;
	return f->number;
}

bool
survey_has_fetched(
    const struct survey *s, uint64_t number, const struct fetched **fetched)
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
end(struct survey *s, nsec_t now)
{
	if (s->ended != s->whole)
		collection_free(s->ended);
	s->ended = s->open;
	s->open = NULL;
	s->took = nsec_since(now, s->began);
	if (s->ended->outcome != SNAPSHOT_COMPLETE)
		return;
	collection_free(s->whole);
	s->whole = s->ended;
}

static bool
fetch_take(struct survey *s, const struct action *action)
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
survey_take(struct survey *s, nsec_t now, const struct action *action)
{
	if (action->pulled.pull.kind == PULL_EVENTS)
		return fetch_take(s, action);
	if (s->open == NULL)
		return false;
	collection_take(s->open, &action->pulled, action->datagram);
	if (s->open->outcome == SNAPSHOT_OPEN)
		return false;
	end(s, now);
	return true;
}

nsec_t
survey_deadline(const struct survey *s)
{
	return s->open == NULL ? NSEC_NEVER
			       : nsec_after(s->began, SNAPSHOT_TIME);
}

bool
survey_tick(struct survey *s, const struct node *node, nsec_t now)
{
	if (now < survey_deadline(s))
		return false;
	collection_give_up(s->open, node_snapshot_awaits(node));
	end(s, now);
	return true;
}

bool
survey_go_on(struct survey *s, struct node *node, nsec_t now)
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
	while (s->open != NULL && collection_next(s->open, &pull) &&
	       node_pull(node, now, &pull)) {
		collection_asked(s->open, &pull);
		has_begun = true;
	}
	return has_begun;
}
