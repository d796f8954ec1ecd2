/* SPDX-License-Identifier: ISC */
#include "daemon/history/causes.h"

#include <stdio.h>
#include <stdlib.h>

/* The name of a message, which both ends know. */
struct key {
	node_id from;
	node_id to;
	uint64_t session;
	uint32_t sequence;
};

/* A message that was sent, by its name; sorted. */
struct sent {
	struct key key;
	unsigned passage;
};

const struct event *
causes_event(const struct causes *c, struct place at)
{
	return &c->histories->nodes[at.node].events[at.index];
}

int64_t
causes_time(const struct causes *c, struct place at)
{
	return c->histories->nodes[at.node].epoch_ns +
	       (int64_t)causes_event(c, at)->at;
}

static int
key_compare(const struct key *a, const struct key *b)
{
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->session != b->session)
		return a->session < b->session ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return 0;
}

static int
sent_compare(const void *a, const void *b)
{
	return key_compare(
	    &((const struct sent *)a)->key, &((const struct sent *)b)->key);
}

static struct key
key_of(const struct history *h, const struct event *e)
{
	bool is_sent = e->kind == EVENT_SENT;

	return (struct key){
		.from = is_sent ? h->id : e->peer,
		.to = is_sent ? e->peer : h->id,
		.session = e->session,
		.sequence = e->sequence,
	};
}

/* The first that is not before this name. */
static unsigned
find_from(const struct sent *list, unsigned count, const struct key *key)
{
	unsigned low = 0, high = count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (key_compare(&list[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
is_same_channel(const struct key *a, const struct key *b)
{
	return a->from == b->from && a->to == b->to && a->session == b->session;
}

/* A channel keeps its order: other messages of the session show on which side
 * of the sender's history this one is. */
static enum sending
judge_missing(const struct causes *c, const struct sent *list, unsigned count,
    unsigned at, const struct key *key)
{
	if (histories_find(c->histories, key->from) == HISTORY_NODES_MAX)
		return SENDING_UNKNOWN;
	if (at < count && is_same_channel(&list[at].key, key))
		return SENDING_EARLIER;
	if (at > 0 && is_same_channel(&list[at - 1].key, key))
		return SENDING_LATER;
	return SENDING_UNKNOWN;
}

static unsigned
count_kind(const struct histories *h, enum event_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->count; i++) {
		for (unsigned j = 0; j < h->nodes[i].count; j++)
			count += h->nodes[i].events[j].kind == kind;
	}
	return count;
}

/* Makes a passage of each sending, and lists them by name. */
static void
list_sent(struct causes *c, struct sent *list)
{
	const struct histories *h = c->histories;

	for (unsigned i = 0; i < h->count; i++) {
		for (unsigned j = 0; j < h->nodes[i].count; j++) {
			const struct event *e = &h->nodes[i].events[j];
			unsigned p = c->passages_count;

			if (e->kind != EVENT_SENT)
				continue;
			list[p] = (struct sent){ key_of(&h->nodes[i], e), p };
			c->passages[p] = (struct passage){
				.sent = { i, j },
				.taken = { 0, CAUSES_NONE },
				.event = e,
			};
			c->passage_of[i][j] = p;
			c->passages_count++;
		}
	}
	qsort(list, c->passages_count, sizeof(*list), sent_compare);
}

static bool
find_twice(const struct causes *c, const struct sent *list, unsigned count,
    char error[HISTORY_ERROR_MAX])
{
	for (unsigned i = 1; i < count; i++) {
		if (key_compare(&list[i - 1].key, &list[i].key) != 0)
			continue;
		snprintf(error, HISTORY_ERROR_MAX,
		    "node %u sent message %u of a session to node %u twice",
		    list[i].key.from, list[i].key.sequence, list[i].key.to);
		return true;
	}
	(void)c;
	return false;
}

/* Finds the passage of a taking, or makes one that has no sending. */
static bool
match_taken(struct causes *c, const struct sent *list, unsigned count,
    struct place at, char error[HISTORY_ERROR_MAX])
{
	const struct event *e = causes_event(c, at);
	struct key key = key_of(&c->histories->nodes[at.node], e);
	unsigned i = find_from(list, count, &key), p = c->passages_count;

	if (i < count && key_compare(&list[i].key, &key) == 0) {
		p = list[i].passage;
		if (c->passages[p].taken.index != CAUSES_NONE) {
			snprintf(error, HISTORY_ERROR_MAX,
			    "node %u took message %u of a session with node %u twice",
			    key.to, key.sequence, key.from);
			return false;
		}
	} else {
		c->passages[p] = (struct passage){
			.sent = { 0, CAUSES_NONE },
			.sending = judge_missing(c, list, count, i, &key),
			.event = e,
		};
		c->passages_count++;
	}
	c->passages[p].taken = at;
	c->passage_of[at.node][at.index] = p;
	return true;
}

static bool
match(struct causes *c, struct sent *list, char error[HISTORY_ERROR_MAX])
{
	const struct histories *h = c->histories;
	unsigned count;

	list_sent(c, list);
	count = c->passages_count;
	if (find_twice(c, list, count, error))
		return false;
	for (unsigned i = 0; i < h->count; i++) {
		for (unsigned j = 0; j < h->nodes[i].count; j++) {
			if (h->nodes[i].events[j].kind == EVENT_TAKEN &&
			    !match_taken(
				c, list, count, (struct place){ i, j }, error))
				return false;
		}
	}
	return true;
}

/* The row of a taken message's sending; `false`: the event has to wait. */
static bool
is_ready(const struct causes *c, const unsigned *done, struct place at)
{
	unsigned p = c->passage_of[at.node][at.index];
	struct place sent;

	if (causes_event(c, at)->kind != EVENT_TAKEN)
		return true;
	sent = c->passages[p].sent;
	return sent.index == CAUSES_NONE || sent.index < done[sent.node];
}

/*
 * What one input causes shares a row: the message that came in, and what the
 * node sends and decides by it.
 */
static uint64_t
row_for(const struct causes *c, struct place at)
{
	const struct event *e = causes_event(c, at);
	bool is_taken = e->kind == EVENT_TAKEN;
	uint64_t row = 0;

	if (at.index > 0) {
		bool is_one_step = !is_taken && e[-1].at == e->at;

		row = c->row_of[at.node][at.index - 1] + !is_one_step;
	}
	if (is_taken) {
		const struct passage *p =
		    &c->passages[c->passage_of[at.node][at.index]];

		if (p->sent.index != CAUSES_NONE &&
		    row <= c->row_of[p->sent.node][p->sent.index])
			row = c->row_of[p->sent.node][p->sent.index] + 1;
	}
	return row;
}

/* The earliest event that is next at its node and has all its causes. */
static bool
find_next(const struct causes *c, const unsigned *done, struct place *next)
{
	bool is_found = false;

	for (unsigned i = 0; i < c->histories->count; i++) {
		struct place at = { i, done[i] };

		if (at.index == c->histories->nodes[i].count ||
		    (is_found && causes_time(c, at) >= causes_time(c, *next)) ||
		    !is_ready(c, done, at))
			continue;
		*next = at;
		is_found = true;
	}
	return is_found;
}

static bool
put_in_order(struct causes *c, unsigned *done, char error[HISTORY_ERROR_MAX])
{
	struct place at;

	while (find_next(c, done, &at)) {
		uint64_t row = row_for(c, at);

		c->row_of[at.node][at.index] = row;
		c->order[c->order_count++] = at;
		if (c->rows < row + 1)
			c->rows = row + 1;
		done[at.node]++;
	}
	if (c->order_count == c->histories->events_count)
		return true;
	snprintf(error, HISTORY_ERROR_MAX,
	    "the histories contradict each other: a message was taken before it was sent");
	return false;
}

/* Memory for `count` elements; never of 0 bytes. */
static void *
many(size_t count, size_t size)
{
	return calloc(count > 0 ? count : 1, size);
}

static bool
make_room(struct causes *c)
{
	const struct histories *h = c->histories;

	c->passages =
	    many(count_kind(h, EVENT_SENT) + (size_t)count_kind(h, EVENT_TAKEN),
		sizeof(*c->passages));
	c->order = many(h->events_count, sizeof(*c->order));
	c->passage_of = many(h->count, sizeof(*c->passage_of));
	c->row_of = many(h->count, sizeof(*c->row_of));
	if (c->passages == NULL || c->order == NULL || c->passage_of == NULL ||
	    c->row_of == NULL)
		return false;
	for (unsigned i = 0; i < h->count; i++) {
		unsigned count = h->nodes[i].count;

		c->passage_of[i] = many(count, sizeof(**c->passage_of));
		c->row_of[i] = many(count, sizeof(**c->row_of));
		if (c->passage_of[i] == NULL || c->row_of[i] == NULL)
			return false;
		for (unsigned j = 0; j < count; j++)
			c->passage_of[i][j] = CAUSES_NONE;
	}
	return true;
}

bool
causes_find(
    struct causes *c, const struct histories *h, char error[HISTORY_ERROR_MAX])
{
	struct sent *list = many(count_kind(h, EVENT_SENT), sizeof(*list));
	unsigned *done = many(h->count, sizeof(*done));
	bool is_right = false;

	*c = (struct causes){ .histories = h };
	if (list == NULL || done == NULL || !make_room(c))
		snprintf(error, HISTORY_ERROR_MAX, "out of memory");
	else
		is_right =
		    match(c, list, error) && put_in_order(c, done, error);
	free(list);
	free(done);
	return is_right;
}

void
causes_free(struct causes *c)
{
	for (unsigned i = 0; c->histories != NULL && i < c->histories->count;
	     i++) {
		if (c->passage_of != NULL)
			free(c->passage_of[i]);
		if (c->row_of != NULL)
			free(c->row_of[i]);
	}
	free(c->passages);
	free(c->order);
	free(c->passage_of);
	free(c->row_of);
	*c = (struct causes){ .histories = NULL };
}
