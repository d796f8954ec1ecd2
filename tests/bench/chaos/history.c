/* SPDX-License-Identifier: ISC */
#include "tests/bench/chaos/history.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define SOCKET_MAX (2 * SEC) /* a daemon has its socket after that */

void
history_init(struct history *h)
{
	*h = (struct history){ .ended = NSEC_NEVER };
}

void
history_done(struct history *h)
{
	free(h->lives);
	free(h->beliefs);
	free(h->heals);
	free(h->elections);
	history_init(h);
}

/* Makes space for one more; capacities are powers of two. */
static void *
grow(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return array;
	array = realloc(array, (count == 0 ? 1 : 2 * count) * size);
	if (array == NULL) {
		perror("history");
		exit(EXIT_FAILURE);
	}
	return array;
}

static bool
complain(unsigned line, const char *what)
{
	fprintf(stderr, "line %u: %s\n", line, what);
	return false;
}

static const char *
word_of(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	return word != NULL ? word : "";
}

static uint64_t
number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static struct deed *
history_deed(struct history *h, const char *name)
{
	for (unsigned i = 0; i < HISTORY_KINDS_MAX; i++) {
		struct deed *deed = &h->deeds[i];

		if (deed->count == 0)
			snprintf(deed->name, sizeof(deed->name), "%s", name);
		if (strcmp(deed->name, name) == 0)
			return deed;
	}
	return &h->deeds[HISTORY_KINDS_MAX - 1];
}

unsigned
history_count(const struct history *h, const char *name)
{
	for (unsigned i = 0; i < HISTORY_KINDS_MAX; i++)
		if (h->deeds[i].count > 0 &&
		    strcmp(h->deeds[i].name, name) == 0)
			return h->deeds[i].count;
	return 0;
}

/* Gives the host's last start, or NULL. */
static struct life *
history_life(struct history *h, unsigned host)
{
	for (size_t i = h->lives_count; i > 0; i--)
		if (h->lives[i - 1].host == host)
			return &h->lives[i - 1];
	return NULL;
}

static bool
history_begin(struct history *h, const json_t *line, nsec_t at)
{
	h->nodes = (unsigned)number_of(line, "nodes");
	h->is_quorum = strcmp(word_of(line, "guarantee"), "quorum") == 0;
	h->seed = number_of(line, "seed");
	h->began = at;
	snprintf(h->algorithm, sizeof(h->algorithm), "%s",
	    word_of(line, "algorithm"));
	return h->nodes > 0 && h->nodes <= HISTORY_NODES_MAX;
}

static bool
history_start(struct history *h, const json_t *line, nsec_t at)
{
	const json_t *offset = json_object_get(line, "mono_offset_ns");
	const struct life *last;
	struct life life = {
		.host = (unsigned)number_of(line, "host"),
		.number = (unsigned)number_of(line, "start"),
		.offset_ns = json_integer_value(offset),
		.began = at,
		.died = NSEC_NEVER,
	};

	last = history_life(h, life.host);
	if (life.host < 1 || life.host > h->nodes || !json_is_integer(offset))
		return false;
	if (last != NULL && last->died == NSEC_NEVER)
		return false;
	if (life.number != (last == NULL ? 0 : last->number) + 1)
		return false;
	if (life.offset_ns != 0 || number_of(line, "boot_offset_ns") != 0)
		history_deed(h, "clock")->count++;
	h->lives = grow(h->lives, h->lives_count, sizeof(*h->lives));
	h->lives[h->lives_count++] = life;
	return true;
}

/* Without quorum a daemon may refuse to start on a full disk. */
static bool
is_refusal(const struct history *h, const json_t *line)
{
	return !h->is_quorum && json_is_true(json_object_get(line, "full")) &&
	       number_of(line, "code") == 1;
}

/* The daemon was killed, or found dead; the first of the two counts. */
static bool
history_death(struct history *h, const json_t *line, nsec_t at)
{
	struct life *life = history_life(h, (unsigned)number_of(line, "host"));

	if (life == NULL || life->number != number_of(line, "start"))
		return false;
	life->died = nsec_earlier(life->died, at);
	if (json_is_false(json_object_get(line, "asked")) &&
	    !is_refusal(h, line))
		h->deaths++;
	return true;
}

static bool
history_heal(struct history *h, nsec_t at)
{
	h->heals = grow(h->heals, h->heals_count, sizeof(*h->heals));
	h->heals[h->heals_count++] = at;
	return true;
}

static bool
history_take_deed(struct history *h, const json_t *line)
{
	const json_t *at_value = json_object_get(line, "mono_ns");
	const char *what = word_of(line, "what");
	nsec_t at = number_of(line, "mono_ns");

	if (!json_is_integer(at_value) || *what == '\0')
		return false;
	/* The daemons end with the run, which is no fault. */
	if (h->ended == NSEC_NEVER)
		history_deed(h, what)->count++;
	if (strcmp(what, "begin") == 0)
		return history_begin(h, line, at);
	if (strcmp(what, "start") == 0)
		return history_start(h, line, at);
	if (strcmp(what, "kill") == 0 || strcmp(what, "exit") == 0)
		return history_death(h, line, at);
	if (strcmp(what, "healed") == 0)
		return history_heal(h, at);
	if (strcmp(what, "unwatched") == 0)
		h->unwatched++;
	if (strcmp(what, "end") == 0)
		h->ended = at;
	return true;
}

bool
history_read_log(struct history *h, FILE *log)
{
	unsigned number = 0;
	size_t capacity = 0;
	char *text = NULL;
	bool is_right = true;

	while (is_right && getline(&text, &capacity, log) >= 0) {
		json_t *line = json_loads(text, 0, NULL);

		number++;
		is_right = line != NULL && history_take_deed(h, line);
		json_decref(line);
	}
	if (!is_right)
		complain(number, text);
	free(text);
	if (is_right && (h->nodes == 0 || h->ended == NSEC_NEVER))
		return complain(number, "no begin, or no end");
	return is_right;
}

static void
history_believe(struct history *h, size_t life, const json_t *line, nsec_t at,
    bool is_first)
{
	struct belief belief = {
		.life = life,
		.at = at,
		.term = number_of(line, "term"),
		.leader = (unsigned)number_of(line, "leader"),
		.is_first = is_first,
	};

	h->beliefs = grow(h->beliefs, h->beliefs_count, sizeof(*h->beliefs));
	h->beliefs[h->beliefs_count++] = belief;
}

static void
history_election(struct history *h, uint64_t term)
{
	h->elections =
	    grow(h->elections, h->elections_count, sizeof(*h->elections));
	h->elections[h->elections_count++] = term;
}

static bool
history_take_event(struct history *h, size_t life, const json_t *line)
{
	const char *event = word_of(line, "event");
	const struct life *l = &h->lives[life];
	nsec_t at;

	if (*event == '\0' || number_of(line, "self") != l->host ||
	    !json_is_integer(json_object_get(line, "mono_ns")))
		return false;
	at = (nsec_t)((int64_t)number_of(line, "mono_ns") - l->offset_ns);
	if (strcmp(event, "election") == 0)
		history_election(h, number_of(line, "term"));
	if (strcmp(event, "no-leader") == 0 &&
	    !json_is_null(json_object_get(line, "leader")))
		return false;
	if (strcmp(event, "state") == 0 || strcmp(event, "leader") == 0 ||
	    strcmp(event, "no-leader") == 0)
		history_believe(h, life, line, at, strcmp(event, "state") == 0);
	return true;
}

bool
history_read_watch(struct history *h, size_t life, FILE *watch)
{
	unsigned number = 0;
	size_t capacity = 0;
	char *text = NULL;
	bool is_right = true;

	while (is_right && getline(&text, &capacity, watch) >= 0) {
		json_t *line = json_loads(text, 0, NULL);

		number++;
		is_right = line != NULL && history_take_event(h, life, line);
		json_decref(line);
	}
	if (!is_right)
		complain(number, text);
	free(text);
	return is_right;
}

/* A daemon that died before it had a socket has no watcher, but no other may
 * lack one. */
static bool
history_read_life(struct history *h, size_t life, const char *directory)
{
	const struct life *l = &h->lives[life];
	char path[PATH_MAX];
	bool is_right;
	FILE *file;

	snprintf(path, sizeof(path), "%s/watch.%u.%u", directory, l->host,
	    l->number);
	file = fopen(path, "r");
	if (file == NULL) {
		if (nsec_since(l->died, l->began) > SOCKET_MAX)
			h->unwatched++;
		return true;
	}
	is_right = history_read_watch(h, life, file);
	fclose(file);
	if (!is_right)
		fprintf(stderr, "in %s\n", path);
	return is_right;
}

bool
history_read(struct history *h, const char *directory)
{
	char path[PATH_MAX];
	bool is_right;
	FILE *file;

	snprintf(path, sizeof(path), "%s/run.log", directory);
	file = fopen(path, "r");
	if (file == NULL) {
		perror(path);
		return false;
	}
	is_right = history_read_log(h, file);
	fclose(file);
	for (size_t i = 0; i < h->lives_count && is_right; i++)
		is_right = history_read_life(h, i, directory);
	return is_right;
}
