/* SPDX-License-Identifier: ISC */
/*
 * The history of a world as text, with one line for each notice of a node and
 * each fault: `[    1.234] 3 leader 5 in term 2 (died:4)`. `*` stands for the
 * world, which does the faults. The copy of a node has its id and an
 * apostrophe.
 */
#include "tests/model/world/notice_text.h"
#include "tests/model/world/world.h"

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

	if (w->trace.size + TRACE_LINE_MAX <= w->trace.capacity)
		return;
	if (w->trace.capacity >= TRACE_MAX) {
		rest = strchr(w->trace.text + w->trace.size / 2, '\n') + 1;
		w->trace.size -= (size_t)(rest - w->trace.text);
		memmove(w->trace.text, rest, w->trace.size + 1);
		return;
	}
	w->trace.capacity =
	    w->trace.capacity == 0 ? 4096 : 2 * w->trace.capacity;
	w->trace.text = realloc(w->trace.text, w->trace.capacity);
	assert(w->trace.text != NULL);
}

static void
add_line(struct world *w, const char *who, const char *what)
{
	nsec_t at = w->now - w->trace.zero;
	int size;

	make_room(w);
	size = snprintf(w->trace.text + w->trace.size, TRACE_LINE_MAX,
	    "[%5" PRIu64 ".%03" PRIu64 "] %s %s\n", at / SEC, at % SEC / MSEC,
	    who, what);
	assert(size > 0 && size < TRACE_LINE_MAX);
	w->trace.size += (size_t)size;
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

void
world_trace_notice(struct world *w, process_name name, const struct notice *n)
{
	const struct algorithm *algorithm =
	    world_algorithm(w, w->processes[name].configs.file.algorithm);
	char who[16], what[NOTICE_LINE_MAX];

	if (w->setup.silent)
		return;
	snprintf(who, sizeof(who), "%" PRIu32 "%s", w->processes[name].id,
	    name == WORLD_COPY ? "'" : "");
	notice_text(what, n, algorithm);
	add_line(w, who, what);
}

void
world_trace_clear(struct world *w)
{
	make_room(w);
	w->trace.zero = w->now;
	w->trace.size = 0;
	w->trace.text[0] = '\0';
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
	char *text = calloc(1, w->trace.size + 1);
	size_t used = 0;

	assert(text != NULL);
	for (const char *line = w->trace.text, *end; *line != '\0';
	     line = end) {
		end = strchr(line, '\n') + 1;
		if (!line_has(line, (size_t)(end - line), words))
			continue;
		memcpy(text + used, line, (size_t)(end - line));
		used += (size_t)(end - line);
	}
	return text;
}
