/* SPDX-License-Identifier: ISC */
#include "daemon/history/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history/put.h"

static const char *const clock_names[] = {
	[HISTORY_NANOSECONDS] = "ns",
	[HISTORY_UNITS] = "unit",
	[HISTORY_STEPS] = "step",
};

/* By enum ring_link. */
static const char *const link_names[] = { "right", "left" };

void
histories_free(struct histories *h)
{
	for (unsigned i = 0; i < h->count; i++)
		free(h->nodes[i].events);
	free(h->nodes);
	json_decref(h->names);
	*h = (struct histories){ .nodes = NULL };
}

unsigned
histories_find(const struct histories *h, node_id id)
{
	for (unsigned i = 0; i < h->count; i++) {
		if (h->nodes[i].id == id)
			return i;
	}
	return HISTORY_NODES_MAX;
}

bool
history_is_plain(const char *text)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

	return text[0] != '\0' && text[strspn(text, letters)] == '\0';
}

const char *
history_name(const struct histories *h, node_id id, char text[HISTORY_NAME_MAX])
{
	unsigned at = histories_find(h, id);
	const char *name;

	snprintf(text, HISTORY_NAME_MAX, "%" PRIu32, id);
	name = at < HISTORY_NODES_MAX
		   ? h->nodes[at].name
		   : json_string_value(json_object_get(h->names, text));
	if (name != NULL && strlen(name) < HISTORY_NAME_MAX &&
	    history_is_plain(name))
		strcpy(text, name);
	return text;
}

const struct event *
history_event(const struct history *h, uint64_t number)
{
	unsigned low = 0, high = h->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (h->events[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->count && h->events[low].number == number
		   ? &h->events[low]
		   : NULL;
}

void
histories_keep_term(struct histories *all, uint64_t term)
{
	all->events_count = 0;
	for (unsigned i = 0; i < all->count; i++) {
		struct history *h = &all->nodes[i];
		unsigned kept = 0;

		for (unsigned j = 0; j < h->count; j++) {
			if (h->events[j].term == term)
				h->events[kept++] = h->events[j];
		}
		h->count = kept;
		all->events_count += kept;
	}
}

void
history_set_kinds(struct history *h, const char *const kinds[MESSAGE_KINDS_MAX])
{
	h->kinds_count = 0;
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX && kinds[i] != NULL; i++) {
		assert(strlen(kinds[i]) < HISTORY_KIND_MAX);
		strcpy(h->kinds[i], kinds[i]);
		h->kinds_count++;
	}
}

struct history
history_of_event(const struct history *h, const struct event *e)
{
	struct history piece = *h;

	piece.events = h->events + (e - h->events);
	piece.first = e->number;
	piece.count = 1;
	return piece;
}

bool
history_add(struct history *h, const struct event *e)
{
	/* The room doubles when the count is a power of two. */
	if ((h->count & (h->count - 1)) == 0) {
		size_t room = h->count == 0 ? 1 : 2 * (size_t)h->count;
		struct event *more =
		    realloc(h->events, room * sizeof(*h->events));

		if (more == NULL)
			return false;
		h->events = more;
	}
	if (h->count == 0)
		h->first = e->number;
	assert(e->number == h->first + h->count);
	h->events[h->count++] = *e;
	if (h->last < e->number)
		h->last = e->number;
	return true;
}

static bool
is_message(const struct event *e)
{
	return e->kind == EVENT_SENT || e->kind == EVENT_TAKEN;
}

static void
put_message(json_t **o, const struct history *h, const struct event *e)
{
	bool is_ring = strcmp(h->topology, "ring") == 0;

	assert(e->message < h->kinds_count);
	put_id(o, "peer", e->peer);
	put_count(o, "session", e->session);
	put_count(o, "sequence", e->sequence);
	put_text(o, "message", h->kinds[e->message]);
	put_id(o, "rank", e->rank);
	put_id(o, "origin", e->origin);
	put_count(o, "phase", e->phase);
	if (is_ring && e->link < 2)
		put_text(o, "link", link_names[e->link]);
}

static json_t *
event_json(const struct history *h, const struct event *e)
{
	json_t *o = json_object();

	put_count(&o, "number", e->number);
	put_count(&o, "at", e->at);
	put_text(&o, "kind", event_kind_name((enum event_kind)e->kind));
	put_count(&o, "term", e->term);
	if (is_message(e))
		put_message(&o, h, e);
	if (e->kind == EVENT_DECIDED || e->kind == EVENT_LEADER ||
	    e->kind == EVENT_NO_LEADER)
		put_id(&o, "leader", e->leader);
	if (!is_message(e) && e->kind != EVENT_TIMER &&
	    e->reason.kind != REASON_NONE)
		put_reason(&o, e->reason);
	return o;
}

static json_t *
events_json(const struct history *h)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->count; i++)
		put_next(&list, event_json(h, &h->events[i]));
	return list;
}

static json_t *
kinds_json(const struct history *h)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->kinds_count; i++)
		put_next(&list, json_string(h->kinds[i]));
	return list;
}

json_t *
history_json(const struct history *h)
{
	uint64_t next = h->first + h->count;
	json_t *o = json_object();

	put_id(&o, "id", h->id);
	put_text(&o, "name", h->name);
	put_text(&o, "cluster", h->cluster);
	put_text(&o, "algorithm", h->algorithm);
	put_text(&o, "topology", h->topology);
	put_value(&o, "kinds", kinds_json(h));
	put_count(&o, "incarnation", h->incarnation);
	put_text(&o, "clock", clock_names[h->clock]);
	put_value(&o, "epoch_ns", json_integer(h->epoch_ns));
	put_count(&o, "first", h->first);
	put_count(&o, "last", h->last);
	put_count_or_null(&o, "next", next <= h->last, next);
	put_value(&o, "events", events_json(h));
	return o;
}
