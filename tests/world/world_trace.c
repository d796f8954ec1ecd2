/* SPDX-License-Identifier: ISC */
/*
 * The history of a world as text, with one line for each notice of a node and
 * each fault: `[    1.234] 3 leader 5 in term 2 (died:4)`. `*` stands for the
 * world, which does the faults. The copy of a node has its id and an
 * apostrophe.
 */
#include "tests/world/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_MAX      ((size_t)8 << 20) /* bytes kept before the oldest go */
#define TRACE_LINE_MAX 256               /* one line and its end */

/* Grows for one more line, or gives up the older half. */
static void
make_room(struct world *w)
{
	const char *rest;

	if (w->trace_size + TRACE_LINE_MAX <= w->trace_capacity)
		return;
	if (w->trace_capacity >= TRACE_MAX) {
		rest = strchr(w->trace + w->trace_size / 2, '\n') + 1;
		w->trace_size -= (size_t)(rest - w->trace);
		memmove(w->trace, rest, w->trace_size + 1);
		return;
	}
	w->trace_capacity =
	    w->trace_capacity == 0 ? 4096 : 2 * w->trace_capacity;
	w->trace = realloc(w->trace, w->trace_capacity);
	assert(w->trace != NULL);
}

static void
add_line(struct world *w, const char *who, const char *what)
{
	nsec_t at = w->now - w->trace_zero;
	int size;

	make_room(w);
	size = snprintf(w->trace + w->trace_size, TRACE_LINE_MAX,
	    "[%5" PRIu64 ".%03" PRIu64 "] %s %s\n", at / SEC, at % SEC / MSEC,
	    who, what);
	assert(size > 0 && size < TRACE_LINE_MAX);
	w->trace_size += (size_t)size;
}

void
world_note(struct world *w, const char *format, ...)
{
	char text[160];
	va_list args;

	if (w->setup.silent)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add_line(w, "*", text);
}

/* Lists the messages that a node sent in an election: "ELECTION 4, OK 1". */
static void
format_sent(char *text, size_t size, const struct notice *n,
    const struct algorithm *algorithm)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < MESSAGE_KINDS_MAX && used < size; i++) {
		if (n->sent[i] == 0)
			continue;
		used +=
		    (size_t)snprintf(text + used, size - used, "%s %s %" PRIu64,
			used == 0 ? "," : "", algorithm->kinds[i], n->sent[i]);
	}
}

static void
format_link(char *text, size_t size, const struct notice *n)
{
	const char *end = n->on ? "" : " no more";

	if (n->kind == NOTICE_PEER_UP)
		snprintf(text, size, "peer %" PRIu32 " up", n->peer);
	else if (n->kind == NOTICE_PEER_DOWN)
		snprintf(text, size, "peer %" PRIu32 " down (%s)", n->peer,
		    evidence_name(n->evidence));
	else if (n->kind == NOTICE_DUPLICATE)
		snprintf(
		    text, size, "duplicate id %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_DIFFERS)
		snprintf(text, size, "settings of %" PRIu32 " differ%s",
		    n->peer, end);
	else if (n->kind == NOTICE_OTHER_VERSION)
		snprintf(
		    text, size, "other version at %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_CLASH)
		snprintf(text, size,
		    "settings of %" PRIu32 " have our generation", n->peer);
	else if (n->kind == NOTICE_OUTSIDE)
		snprintf(text, size, "outside the cluster%s", end);
	else if (n->kind == NOTICE_OTHER_KEY)
		snprintf(
		    text, size, "another key at %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_DROPPED)
		snprintf(text, size, "dropped from %" PRIu32 " (%s)", n->peer,
		    drop_name(n->drop));
	else if (n->kind == NOTICE_QUORUM)
		snprintf(
		    text, size, "%s", n->on ? "quorum" : "no quorum any more");
	else if (n->kind == NOTICE_STANDS)
		snprintf(text, size, "stands again");
	else if (n->kind == NOTICE_STANDBY)
		snprintf(text, size, "standby of %" PRIu32 "%s", n->peer, end);
	else if (n->kind == NOTICE_STATE_FILE)
		snprintf(text, size, "memory %s",
		    state_health_name(n->state_health));
	else
		snprintf(text, size, "stalled for %" PRIu64 " ms",
		    n->duration / MSEC);
}

static void
format_counted(char *text, size_t size, const struct notice *n,
    const struct algorithm *algorithm)
{
	char sent[96];

	format_sent(sent, sizeof(sent), n, algorithm);
	snprintf(text, size, "counted term %" PRIu64 "%s, %u nodes", n->term,
	    sent, n->nodes);
}

/* LEADER to ELECTED. */
static void
format_election(char *text, size_t size, const struct notice *n,
    const struct algorithm *algorithm)
{
	char reason[REASON_TEXT_MAX], sent[96], leader[24] = "nobody";

	reason_text(n->reason, reason);
	if (n->leader != NODE_NONE)
		snprintf(leader, sizeof(leader), "%" PRIu32, n->leader);
	if (n->kind == NOTICE_LEADER) {
		snprintf(text, size, "leader %s in term %" PRIu64 " (%s)",
		    leader, n->term, reason);
	} else if (n->kind == NOTICE_NO_LEADER) {
		snprintf(text, size, "no leader in term %" PRIu64 " (%s)",
		    n->term, reason);
	} else if (n->kind == NOTICE_ELECTION) {
		snprintf(text, size, "election in term %" PRIu64 " (%s)",
		    n->term, reason);
	} else {
		format_sent(sent, sizeof(sent), n, algorithm);
		snprintf(text, size, "elected %s in term %" PRIu64 "%s", leader,
		    n->term, sent);
	}
}

void
world_trace_notice(struct world *w, process_name name, const struct notice *n)
{
	const struct algorithm *algorithm =
	    world_algorithm(w, w->processes[name].file.algorithm);
	char who[16], what[200];

	if (w->setup.silent)
		return;
	snprintf(who, sizeof(who), "%" PRIu32 "%s", w->processes[name].id,
	    name == WORLD_COPY ? "'" : "");
	if (n->kind == NOTICE_TRACE)
		snprintf(what, sizeof(what), "> %s", n->text);
	else if (n->kind == NOTICE_COUNTED)
		format_counted(what, sizeof(what), n, algorithm);
	else if (n->kind <= NOTICE_ELECTED)
		format_election(what, sizeof(what), n, algorithm);
	else
		format_link(what, sizeof(what), n);
	add_line(w, who, what);
}

void
world_trace_clear(struct world *w)
{
	make_room(w);
	w->trace_zero = w->now;
	w->trace_size = 0;
	w->trace[0] = '\0';
}

static bool
line_has(const char *line, size_t size, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (memmem(line, size, *words, strlen(*words)) != NULL)
			return true;
	}
	return false;
}

char *
world_trace_select(const struct world *w, const char *const *words)
{
	char *text = calloc(1, w->trace_size + 1);
	size_t used = 0;

	assert(text != NULL);
	for (const char *line = w->trace, *end; *line != '\0'; line = end) {
		end = strchr(line, '\n') + 1;
		if (!line_has(line, (size_t)(end - line), words))
			continue;
		memcpy(text + used, line, (size_t)(end - line));
		used += (size_t)(end - line);
	}
	return text;
}
