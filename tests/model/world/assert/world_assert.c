/* SPDX-License-Identifier: ISC */
/* See world_assert.h. */
#include "tests/model/world/assert/world_assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TAIL_BYTES 6000 /* of the trace, which a broken promise prints */
#define WORDS_MAX  8
#define WORLDS_MAX 16 /* of a case */

void
world_fails_case(struct world *w, const char *why)
{
	size_t from =
	    w->trace.size > TAIL_BYTES ? w->trace.size - TAIL_BYTES : 0;

	fprintf(stderr, "%s\n", w->trace.text + from);
	fail_msg("%s", why);
}

/* The worlds of the running case. */
static struct world *worlds[WORLDS_MAX];
static unsigned worlds_count;

struct world *
world_with(struct world_setup setup)
{
	if (setup.seed == 0)
		setup.seed = 1;
	if (setup.failed == NULL)
		setup.failed = world_fails_case;
	assert_true(worlds_count < WORLDS_MAX);
	return worlds[worlds_count++] = world_new(&setup);
}

void
world_end(struct world *w)
{
	unsigned i = 0;

	while (worlds[i] != w)
		assert_true(++i < worlds_count);
	worlds[i] = worlds[--worlds_count];
	world_free(w);
}

int
worlds_end(void **state)
{
	(void)state;
	while (worlds_count > 0)
		world_free(worlds[--worlds_count]);
	return 0;
}

struct world *
world_plain(unsigned nodes)
{
	return world_with((struct world_setup){ .nodes = nodes });
}

void
world_begin(struct world *w)
{
	world_start_all(w);
	world_settle(w);
}

struct world *
world_settled_plain(unsigned nodes)
{
	struct world *w = world_plain(nodes);

	world_begin(w);
	return w;
}

/* Gives the first running node that follows another leader; 0 if none does. */
static process_name
dissenter(struct world *w, node_id leader)
{
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (!world_runs(w, name) || w->processes[name].paused)
			continue;
		if (world_status(w, name).leader != leader)
			return name;
	}
	return 0;
}

bool
world_follows(struct world *w, node_id leader)
{
	return dissenter(w, leader) == 0;
}

void
assert_leader(struct world *w, node_id leader)
{
	process_name name = dissenter(w, leader);

	if (name == 0)
		return;
	fprintf(stderr, "%s\n", w->trace.text);
	fail_msg("%u has leader %u, not %u", name, world_status(w, name).leader,
	    leader);
}

void
assert_settles_on(struct world *w, node_id leader)
{
	world_settle(w);
	assert_leader(w, leader);
}

void
assert_follows_within(struct world *w, node_id leader, nsec_t limit)
{
	nsec_t until = nsec_after(w->now, limit);

	while (w->now < until && !world_follows(w, leader) && world_step(w))
		continue;
	assert_leader(w, leader);
}

void
assert_reason(struct world *w, const char *reason)
{
	char text[REASON_TEXT_MAX];

	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (!world_runs(w, name))
			continue;
		reason_text(world_status(w, name).reason, text);
		if (strcmp(text, reason) != 0) {
			fprintf(stderr, "%s\n", w->trace.text);
			fail_msg("%u says %s, not %s", name, text, reason);
		}
	}
}

/* Removes "[    1.234] " from each line. */
static void
strip_times(char *text)
{
	char *to = text;

	for (char *line = text; *line != '\0';) {
		size_t size = strcspn(line, "\n") + 1;
		size_t time = strcspn(line, "]") + 2;

		memmove(to, line + time, size - time);
		to += size - time;
		line += size;
	}
	*to = '\0';
}

void
assert_trace(struct world *w, const char *words, const char *expected)
{
	const char *list[WORDS_MAX + 1] = { NULL };
	char copy[128], *rest = copy, *word, *actual;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&rest, ",")) != NULL) {
		assert(count < WORDS_MAX);
		list[count++] = word;
	}
	actual = world_trace_select(w, list);
	if (expected[0] != '[')
		strip_times(actual);
	if (strcmp(actual, expected) != 0) {
		fprintf(
		    stderr, "--- expected\n%s--- actual\n%s", expected, actual);
		fail_msg("the trace is not as expected");
	}
	free(actual);
}
