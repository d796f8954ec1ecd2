/* SPDX-License-Identifier: ISC */
/*
 * Histories come from files and from daemons, so nothing in them is trusted:
 * each value is checked for its type and its range, and everything is bounded.
 * Names are restricted to letters that mean nothing to a terminal, to SVG or to
 * Mermaid.
 */
#include "daemon/history/history.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX (UINT64_C(1) << 61) /* two of them add up to no overflow */

/* Where the reader is, and the first thing that it found wrong. */
struct reading {
	char *error;
	bool is_wrong;
	node_id id;
};

static void __attribute__((format(printf, 2, 3)))
wrong(struct reading *r, const char *format, ...)
{
	va_list args;

	if (r->is_wrong)
		return;
	r->is_wrong = true;
	va_start(args, format);
	vsnprintf(r->error, HISTORY_ERROR_MAX, format, args);
	va_end(args);
}

/* An integer from `least` to `most`; 0 if it is not. */
static uint64_t
take_number(struct reading *r, const json_t *o, const char *key, uint64_t least,
    uint64_t most)
{
	const json_t *value = json_object_get(o, key);
	json_int_t n = json_integer_value(value);

	if (json_is_integer(value) && n >= 0 && (uint64_t)n >= least &&
	    (uint64_t)n <= most)
		return (uint64_t)n;
	wrong(r, "node %u: \"%s\" is missing or out of range", r->id, key);
	return 0;
}

/* The id of a node; null is NODE_NONE. */
static node_id
take_id(struct reading *r, const json_t *o, const char *key)
{
	if (json_is_null(json_object_get(o, key)))
		return NODE_NONE;
	return (node_id)take_number(r, o, key, 1, NODE_ID_MAX);
}

/* A name, "" if it is none. A name that has other letters becomes the id. */
static void
take_name(struct reading *r, const json_t *o, const char *key, char *name,
    size_t room)
{
	const char *text = json_string_value(json_object_get(o, key));

	name[0] = '\0';
	if (text == NULL || strlen(text) >= room)
		wrong(r, "node %u: \"%s\" is missing or too long", r->id, key);
	else if (!history_is_plain(text))
		snprintf(name, room, "%u", r->id);
	else
		strcpy(name, text);
}

static void
take_kinds(struct reading *r, struct history *h, const json_t *o)
{
	const json_t *list = json_object_get(o, "kinds");
	size_t count = json_array_size(list);

	if (count == 0 || count > MESSAGE_KINDS_MAX) {
		wrong(
		    r, "node %u: \"kinds\" names no kinds of messages", r->id);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (text == NULL || strlen(text) >= HISTORY_KIND_MAX ||
		    !history_is_plain(text))
			wrong(
			    r, "node %u: \"kinds\" has what is no name", r->id);
		else
			strcpy(h->kinds[i], text);
	}
	h->kinds_count = (unsigned)count;
}

/* The place of a word in a list. */
static unsigned
take_word(struct reading *r, const json_t *o, const char *key,
    const char *const words[], unsigned count)
{
	const char *text = json_string_value(json_object_get(o, key));

	for (unsigned i = 0; text != NULL && i < count; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	wrong(r, "node %u: \"%s\" is missing, or no word that is known", r->id,
	    key);
	return 0;
}

static uint8_t
take_kind(struct reading *r, const json_t *o)
{
	const char *words[EVENT_KINDS];

	for (unsigned i = 0; i < EVENT_KINDS; i++)
		words[i] = event_kind_name((enum event_kind)i);
	return (uint8_t)take_word(r, o, "kind", words, EVENT_KINDS);
}

/* "died:5"; what is no reason is none, as later releases may have more. */
static struct reason
take_reason(const json_t *o)
{
	const char *text = json_string_value(json_object_get(o, "reason"));
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	unsigned long node = colon == NULL ? 0 : strtoul(colon + 1, NULL, 10);

	for (unsigned i = REASON_NONE + 1; text != NULL && i < REASON_KINDS;
	     i++) {
		struct reason reason = { (enum reason_kind)i, NODE_NONE };
		char known[REASON_TEXT_MAX];

		if (node <= NODE_ID_MAX)
			reason.node = (node_id)node;
		if (strcmp(reason_text(reason, known), text) == 0)
			return reason;
	}
	return (struct reason){ REASON_NONE, NODE_NONE };
}

static void
take_message(struct reading *r, const struct history *h, struct event *e,
    const json_t *o)
{
	static const char *const links[] = { "right", "left" };
	const char *kinds[MESSAGE_KINDS_MAX];

	for (unsigned i = 0; i < h->kinds_count; i++)
		kinds[i] = h->kinds[i];
	e->peer = (node_id)take_number(r, o, "peer", 1, NODE_ID_MAX);
	e->session = take_number(r, o, "session", 0, SESSION_NAME_MAX);
	e->sequence = (uint32_t)take_number(r, o, "sequence", 1, UINT32_MAX);
	e->message = (uint8_t)take_word(r, o, "message", kinds, h->kinds_count);
	e->rank = take_id(r, o, "rank");
	e->origin = take_id(r, o, "origin");
	e->phase = (uint32_t)take_number(r, o, "phase", 0, UINT32_MAX);
	if (json_object_get(o, "link") != NULL)
		e->link = (uint8_t)take_word(r, o, "link", links, 2);
	if (e->peer == h->id)
		wrong(r, "node %u: a message to itself", r->id);
}

static struct event
take_event(struct reading *r, const struct history *h, const json_t *o)
{
	struct event e = { 0 };

	e.number = take_number(r, o, "number", 1, NUMBER_MAX);
	e.at = take_number(r, o, "at", 0, NUMBER_MAX);
	e.term = take_number(r, o, "term", 0, NUMBER_MAX);
	e.kind = take_kind(r, o);
	if (e.kind == EVENT_SENT || e.kind == EVENT_TAKEN)
		take_message(r, h, &e, o);
	else if (e.kind != EVENT_TIMER)
		e.reason = take_reason(o);
	if (e.kind == EVENT_DECIDED || e.kind == EVENT_LEADER ||
	    e.kind == EVENT_NO_LEADER)
		e.leader = take_id(r, o, "leader");
	return e;
}

/* Adds the events of a piece behind those that are there. */
static void
take_events(struct reading *r, struct histories *all, struct history *h,
    const json_t *o)
{
	const json_t *list = json_object_get(o, "events"), *entry;
	size_t i;

	if (!json_is_array(list))
		wrong(r, "node %u: \"events\" is missing", r->id);
	json_array_foreach(list, i, entry)
	{
		struct event e = take_event(r, h, entry);

		if (!r->is_wrong && e.number != h->first + h->count)
			wrong(r, "node %u: event %llu does not follow %llu",
			    r->id, (unsigned long long)e.number,
			    (unsigned long long)(h->first + h->count) - 1);
		if (!r->is_wrong && h->count > 0 &&
		    e.at < h->events[h->count - 1].at)
			wrong(r,
			    "node %u: event %llu is before the one before it",
			    r->id, (unsigned long long)e.number);
		if (e.number > h->last)
			wrong(r, "node %u: \"last\" is not the last", r->id);
		if (all->events_count == HISTORY_EVENTS_MAX)
			wrong(r, "more than %d events", HISTORY_EVENTS_MAX);
		if (r->is_wrong)
			return;
		if (!history_add(h, &e))
			wrong(r, "out of memory");
		all->events_count += !r->is_wrong;
	}
}

/* What an object says of its node, without its events. */
static struct history
take_head(struct reading *r, const json_t *o)
{
	static const char *const clocks[] = {
		[HISTORY_NANOSECONDS] = "ns",
		[HISTORY_UNITS] = "unit",
		[HISTORY_STEPS] = "step",
	};
	struct history h = { 0 };

	h.id = r->id = (node_id)take_number(r, o, "id", 1, NODE_ID_MAX);
	take_name(r, o, "name", h.name, sizeof(h.name));
	take_name(r, o, "cluster", h.cluster, sizeof(h.cluster));
	take_name(r, o, "algorithm", h.algorithm, sizeof(h.algorithm));
	take_name(r, o, "topology", h.topology, sizeof(h.topology));
	take_kinds(r, &h, o);
	h.incarnation = take_number(r, o, "incarnation", 0, NUMBER_MAX);
	h.clock = (enum history_clock)take_word(r, o, "clock", clocks, 3);
	h.epoch_ns = (int64_t)take_number(r, o, "epoch_ns", 0, NUMBER_MAX);
	h.first = take_number(r, o, "first", 1, NUMBER_MAX);
	h.last = take_number(r, o, "last", 0, NUMBER_MAX);
	return h;
}

/* Two nodes, or two pieces of one, that are of different runs. */
static bool
has_same_kinds(const struct history *a, const struct history *b)
{
	if (a->kinds_count != b->kinds_count)
		return false;
	for (unsigned i = 0; i < a->kinds_count; i++) {
		if (strcmp(a->kinds[i], b->kinds[i]) != 0)
			return false;
	}
	return true;
}

static void
check_side_by_side(
    struct reading *r, const struct history *a, const struct history *b)
{
	const char *what = NULL;

	if (strcmp(a->cluster, b->cluster) != 0)
		what = "cluster";
	else if (strcmp(a->algorithm, b->algorithm) != 0 ||
		 !has_same_kinds(a, b))
		what = "algorithm";
	else if (strcmp(a->topology, b->topology) != 0)
		what = "topology";
	else if (a->clock != b->clock)
		what = "clock";
	if (what != NULL)
		wrong(r, "nodes %u and %u are of different runs: see \"%s\"",
		    a->id, b->id, what);
}

/* The place for this node's events: of one that is there, or a new one. */
static struct history *
node_place(struct reading *r, struct histories *all, const struct history *head)
{
	unsigned i = histories_find(all, head->id);
	struct history *more;

	if (i < all->count) {
		more = &all->nodes[i];
		if (head->first != more->first + more->count)
			wrong(r,
			    "node %u: a piece from event %llu does not follow one up to %llu",
			    r->id, (unsigned long long)head->first,
			    (unsigned long long)(more->first + more->count) -
				1);
		if (head->last > more->last)
			more->last = head->last;
		return more;
	}
	if (all->count == HISTORY_NODES_MAX) {
		wrong(r, "more than %d nodes", HISTORY_NODES_MAX);
		return NULL;
	}
	more = realloc(all->nodes, (all->count + 1) * sizeof(*more));
	if (more == NULL) {
		wrong(r, "out of memory");
		return NULL;
	}
	all->nodes = more;
	more[all->count] = *head;
	return &more[all->count++];
}

bool
histories_take(
    struct histories *all, const json_t *object, char error[HISTORY_ERROR_MAX])
{
	struct reading r = { .error = error };
	struct history head = take_head(&r, object), *h;

	if (!r.is_wrong && all->count > 0)
		check_side_by_side(&r, &all->nodes[0], &head);
	h = r.is_wrong ? NULL : node_place(&r, all, &head);
	if (h != NULL)
		take_events(&r, all, h, object);
	return !r.is_wrong;
}

/* True if only blanks are left. */
static bool
is_blank(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (memchr(" \t\r\n", text[i], 4) == NULL)
			return false;
	}
	return true;
}

bool
histories_read(struct histories *h, const char *text, size_t size,
    char error[HISTORY_ERROR_MAX])
{
	size_t at = 0;

	while (!is_blank(text + at, size - at)) {
		json_error_t wrong_json;
		json_t *object = json_loadb(text + at, size - at,
		    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES,
		    &wrong_json);
		bool is_right;

		if (object == NULL) {
			snprintf(error, HISTORY_ERROR_MAX, "not JSON: %.150s",
			    wrong_json.text);
			return false;
		}
		at += (size_t)wrong_json.position;
		is_right = histories_take(h, object, error);
		json_decref(object);
		if (!is_right)
			return false;
	}
	if (h->count > 0)
		return true;
	snprintf(error, HISTORY_ERROR_MAX, "has no history");
	return false;
}

/* Reads up to HISTORY_BYTES_MAX; *size is more if there are more. NULL: errno.
 */
static char *
read_all(FILE *in, size_t *size)
{
	char *text = malloc(HISTORY_BYTES_MAX + 1);

	if (text == NULL)
		return NULL;
	errno = 0;
	*size = fread(text, 1, HISTORY_BYTES_MAX + 1, in);
	if (ferror(in) == 0)
		return text;
	free(text);
	return NULL;
}

bool
histories_read_file(
    struct histories *h, const char *path, char error[HISTORY_ERROR_MAX])
{
	bool is_stdin = strcmp(path, "-") == 0, is_right = false;
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	size_t size = 0;
	char *text = in == NULL ? NULL : read_all(in, &size);

	if (text == NULL)
		snprintf(error, HISTORY_ERROR_MAX, "%s", strerror(errno));
	else if (size > HISTORY_BYTES_MAX)
		snprintf(error, HISTORY_ERROR_MAX, "larger than %d bytes",
		    HISTORY_BYTES_MAX);
	else
		is_right = histories_read(h, text, size, error);
	free(text);
	if (in != NULL && !is_stdin)
		fclose(in);
	return is_right;
}
