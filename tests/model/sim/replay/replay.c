/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"

static const char *
topology_word(enum topology topology)
{
	static const char *const words[] = { "full", "ring", "tree", "graph" };

	return words[topology];
}

/* Doubles the room of an array that is full; false without memory. */
static bool
grow(void **array, size_t count, size_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return true;
	more = realloc(*array, (2 * *room + 8) * size);
	if (more == NULL)
		return false;
	*array = more;
	*room = 2 * *room + 8;
	return true;
}

/* The present episode; NULL if none is kept. */
static struct episode *
present(struct replay *r)
{
	return r->wants_text && r->episodes_count > 0
		   ? &r->episodes[r->episodes_count - 1]
		   : NULL;
}

static void
add_text(struct replay *r, const char *text)
{
	struct episode *e = present(r);
	size_t size = strlen(text);

	if (e == NULL || r->is_short)
		return;
	while (e->text_size + size >= e->text_room) {
		void *array = e->text;

		r->is_short = !grow(&array, e->text_room, &e->text_room, 1);
		if (r->is_short)
			return;
		e->text = array;
	}
	memcpy(e->text + e->text_size, text, size + 1);
	e->text_size += size;
}

static int64_t
wall_time(const struct replay *r, nsec_t now)
{
	return r->file->head.epoch_ns + (int64_t)now;
}

static void
add_episode(struct replay *r, uint64_t number, nsec_t now)
{
	void *array = r->episodes;

	if (!r->wants_text || r->is_short)
		return;
	r->is_short = !grow(
	    &array, r->episodes_count, &r->episodes_room, sizeof(*r->episodes));
	if (r->is_short)
		return;
	r->episodes = array;
	r->episodes[r->episodes_count++] = (struct episode){
		.number = number,
		.at = wall_time(r, now),
	};
}

/* The events since those that the history has. */
static void
take_events(struct replay *r)
{
	const struct event_log *log = node_events(r->node);
	struct history *h = &r->history;
	uint64_t from = event_log_first(log);
	const struct event *e;

	if (h->first == 0 || from > h->last + 1) {
		h->count = 0;
		h->first = from;
		h->last = from - 1;
	}
	while ((e = event_log_find(log, h->last + 1)) != NULL) {
		if (!history_add(h, e)) {
			r->is_short = true;
			return;
		}
	}
}

static void
on_node(void *context, struct node *node, const struct algorithm *algorithm,
    enum topology topology)
{
	struct replay *r = context;
	struct history *h = &r->history;

	/* The messages of another algorithm have other names. */
	if (r->algorithm != NULL && r->algorithm != algorithm)
		h->first = 0;
	r->node = node;
	r->algorithm = algorithm;
	snprintf(h->algorithm, sizeof(h->algorithm), "%s", algorithm->name);
	snprintf(
	    h->topology, sizeof(h->topology), "%s", topology_word(topology));
	memset(h->kinds, 0, sizeof(h->kinds));
	h->kinds_count = 0;
	history_set_kinds(h, algorithm->kinds);
	take_events(r);
}

/* The line of an input comes before those of the actions, which are entries of
 * their own. */
static void
tell_input(struct replay *r, const struct entry *in)
{
	char words[REPLAY_WORDS_MAX], time[REPLAY_TIME_MAX];
	char line[REPLAY_WORDS_MAX + REPLAY_TIME_MAX + TAPE_NAME_MAX + 32];
	struct episode *e = present(r);

	if (e == NULL)
		return;
	replay_input_words(words, in, e->has_received ? &e->received : NULL);
	replay_time_words(time, e->at);
	snprintf(line, sizeof(line), "%s %s #%llu %s\n", time,
	    r->file->head.name, (unsigned long long)r->number, words);
	add_text(r, line);
}

static void
on_entry(void *context, uint64_t number, const struct entry *in)
{
	struct replay *r = context;
	bool is_first = present(r) == NULL;

	r->number = number;
	if (in->kind != TAPE_ACTS || is_first)
		add_episode(r, number, in->now);
	if (in->kind == TAPE_ACTS && is_first)
		tell_input(r, in);
}

static void
add_letter(struct replay *r, const struct action *a)
{
	struct episode *e = present(r);
	struct letter l;
	void *array;

	if (e == NULL || r->is_short || !replay_sent(&l, a))
		return;
	array = e->sent;
	r->is_short =
	    !grow(&array, e->sent_count, &e->sent_room, sizeof(*e->sent));
	if (r->is_short)
		return;
	e->sent = array;
	e->sent[e->sent_count++] = l;
}

static void
on_action(void *context, const struct action *action)
{
	struct replay *r = context;
	char words[REPLAY_WORDS_MAX], line[REPLAY_WORDS_MAX + 8];

	if (!r->wants_text)
		return;
	add_letter(r, action);
	replay_action_words(words, action, r->node, r->algorithm);
	snprintf(line, sizeof(line), "    %s\n", words);
	add_text(r, line);
}

static void
on_end(void *context, struct node *node, const struct entry *in,
    const uint8_t *plain, size_t plain_size)
{
	struct replay *r = context;
	struct episode *e = present(r);

	r->node = node;
	take_events(r);
	if (e == NULL || in->kind == TAPE_ACTS)
		return;
	e->has_received = in->kind == TAPE_RECEIVE && plain != NULL;
	if (e->has_received)
		e->received = replay_letter(in->bytes, plain, plain_size);
	tell_input(r, in);
}

static void
begin(struct replay *r, const char *path, const struct tape_file *file,
    bool wants_text)
{
	const struct tape_head *head = &file->head;

	*r = (struct replay){
		.path = path,
		.file = file,
		.wants_text = wants_text,
		.history = {
			.id = head->id,
			.incarnation = head->incarnation,
			.clock = HISTORY_NANOSECONDS,
			.epoch_ns = head->epoch_ns,
		},
	};
	_Static_assert(TAPE_NAME_MAX <= HISTORY_NAME_MAX, "names fit");
	memcpy(r->history.name, head->name, sizeof(head->name));
	memcpy(r->history.cluster, head->cluster, sizeof(head->cluster));
}

void
replay_run(struct replay *r, const char *path, const struct tape_file *file,
    uint64_t until, bool wants_text)
{
	const struct playback_audience audience = {
		.on_node = on_node,
		.on_entry = on_entry,
		.on_action = on_action,
		.on_end = on_end,
		.context = r,
	};

	begin(r, path, file, wants_text);
	for (unsigned i = 0; i < file->reels_count; i++) {
		const struct reel *reel = &file->reels[i];

		if (reel->first >= until && i > 0)
			break;
		r->result =
		    playback_run(reel, algorithm_find, until, &audience);
		if (r->result.number > reel->first)
			r->inputs += r->result.number - reel->first;
		if (r->result.end != PLAYBACK_SAME)
			break;
	}
	r->node = NULL;
}

void
replay_free(struct replay *r)
{
	for (size_t i = 0; i < r->episodes_count; i++) {
		free(r->episodes[i].text);
		free(r->episodes[i].sent);
	}
	free(r->episodes);
	free(r->history.events);
}
