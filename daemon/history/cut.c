/* SPDX-License-Identifier: ISC */
#include "daemon/history/cut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/history/put.h"

static bool
is_within(const struct causes *c, const struct cut *cut, struct place at)
{
	return at.index != CAUSES_NONE &&
	       causes_event(c, at)->number <= cut->at[at.node];
}

enum crossing
cut_crossing(
    const struct causes *c, const struct cut *cut, const struct passage *p)
{
	bool is_taken = is_within(c, cut, p->taken);
	bool is_sent = is_within(c, cut, p->sent);

	switch (p->sending) {
	case SENDING_KNOWN:
		if (is_sent == is_taken)
			return CROSSING_NONE;
		return is_sent ? CROSSING_TRANSIT : CROSSING_BROKEN;
	case SENDING_EARLIER:
		return is_taken ? CROSSING_NONE : CROSSING_TRANSIT;
	case SENDING_LATER:
		return is_taken ? CROSSING_BROKEN : CROSSING_NONE;
	case SENDING_UNKNOWN:
		break;
	}
	return is_taken ? CROSSING_UNKNOWN : CROSSING_NONE;
}

/* Reads a number up to `most`; moves *text behind it. False if there is none.
 */
static bool
read_number(const char **text, uint64_t most, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *number <= most;
}

/* True if the history has the event, or the one after it. */
static bool
has_end(const struct history *h, uint64_t number)
{
	return number + 1 >= h->first && number < h->first + h->count;
}

static bool
read_part(struct cut *cut, bool *is_named, const struct histories *h,
    const char **text, char error[HISTORY_ERROR_MAX])
{
	uint64_t id, number;
	unsigned node;

	if (!read_number(text, NODE_ID_MAX, &id) || *(*text)++ != ':' ||
	    !read_number(text, UINT64_MAX - 1, &number)) {
		snprintf(error, HISTORY_ERROR_MAX,
		    "a cut is NODE:EVENT,NODE:EVENT, as 1:17,2:9,3:22");
		return false;
	}
	node = histories_find(h, (node_id)id);
	if (node == HISTORY_NODES_MAX)
		snprintf(error, HISTORY_ERROR_MAX,
		    "there is no history of node %u", (unsigned)id);
	else if (is_named[node])
		snprintf(error, HISTORY_ERROR_MAX, "node %u is named twice",
		    (unsigned)id);
	else if (!has_end(&h->nodes[node], number))
		snprintf(error, HISTORY_ERROR_MAX,
		    "the history of node %u has the events %llu to %llu, not %llu",
		    (unsigned)id, (unsigned long long)h->nodes[node].first,
		    (unsigned long long)(h->nodes[node].first +
					 h->nodes[node].count) -
			1,
		    (unsigned long long)number);
	else {
		cut->at[node] = number;
		is_named[node] = true;
		return true;
	}
	return false;
}

bool
cut_read(struct cut *cut, const struct histories *h, const char *text,
    char error[HISTORY_ERROR_MAX])
{
	bool is_named[HISTORY_NODES_MAX] = { false };

	*cut = (struct cut){ .verdict = CUT_IS_UNJUDGED };
	do {
		if (!read_part(cut, is_named, h, &text, error))
			return false;
	} while (*text++ == ',');
	if (text[-1] != '\0') {
		snprintf(error, HISTORY_ERROR_MAX,
		    "a cut is NODE:EVENT,NODE:EVENT, as 1:17,2:9,3:22");
		return false;
	}
	for (unsigned i = 0; i < h->count; i++) {
		if (is_named[i])
			continue;
		snprintf(error, HISTORY_ERROR_MAX,
		    "the cut does not name node %u", h->nodes[i].id);
		return false;
	}
	return true;
}

/* The node's last event in the cut; null if it has none that is here. */
static json_t *
frontier_json(const struct causes *c, const struct cut *cut, unsigned node)
{
	const struct history *h = &c->histories->nodes[node];
	const struct event *e = history_event(h, cut->at[node]);
	json_t *o = json_object(), *list, *event = json_null();

	if (e != NULL) {
		struct history piece = history_of_event(h, e);
		json_t *whole = history_json(&piece);

		list = json_object_get(whole, "events");
		event = json_incref(json_array_get(list, 0));
		json_decref(whole);
	}
	put_id(&o, "id", h->id);
	put_text(&o, "name", h->name);
	put_count(&o, "number", cut->at[node]);
	put_value(&o, "event", event);
	return o;
}

static void
put_end(json_t **o, const struct causes *c, const char *key, struct place at)
{
	bool is_known = at.index != CAUSES_NONE;

	put_count_or_null(
	    o, key, is_known, is_known ? causes_event(c, at)->number : 0);
}

static json_t *
passage_json(const struct causes *c, const struct passage *p)
{
	const struct event *e = p->event;
	bool is_sent = e->kind == EVENT_SENT;
	const struct history *h =
	    &c->histories->nodes[is_sent ? p->sent.node : p->taken.node];
	json_t *o = json_object();

	put_id(&o, "from", is_sent ? h->id : e->peer);
	put_id(&o, "to", is_sent ? e->peer : h->id);
	put_text(&o, "message", h->kinds[e->message]);
	put_count(&o, "session", e->session);
	put_count(&o, "sequence", e->sequence);
	put_end(&o, c, "sent", p->sent);
	put_end(&o, c, "taken", p->taken);
	return o;
}

static json_t *
passages_json(
    const struct causes *c, const struct cut *cut, enum crossing crossing)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < c->passages_count; i++) {
		const struct passage *p = &c->passages[i];

		if (cut_crossing(c, cut, p) == crossing)
			put_next(&list, passage_json(c, p));
	}
	return list;
}

static json_t *
verdict_json(const json_t *broken, const json_t *unknown)
{
	if (json_array_size(broken) > 0)
		return json_false();
	return json_array_size(unknown) > 0 ? json_null() : json_true();
}

json_t *
cut_json(const struct causes *c, const struct cut *cut)
{
	json_t *broken = passages_json(c, cut, CROSSING_BROKEN);
	json_t *unknown = passages_json(c, cut, CROSSING_UNKNOWN);
	json_t *frontier = json_array(), *o = json_object();

	for (unsigned i = 0; i < c->histories->count; i++)
		put_next(&frontier, frontier_json(c, cut, i));
	put_value(&o, "consistent", verdict_json(broken, unknown));
	put_value(&o, "frontier", frontier);
	put_value(&o, "broken", broken);
	put_value(&o, "unknown", unknown);
	put_value(&o, "transit", passages_json(c, cut, CROSSING_TRANSIT));
	return o;
}
