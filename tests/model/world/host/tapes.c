/* SPDX-License-Identifier: ISC */
/* The tapes of a world's processes: each is played when the process ends, and
 * must lead to the same actions. */
#include "tests/model/world/host/host.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/tape/tape_file.h"

/* Bytes of each half of a tape: a few hundred inputs, so most processes begin
 * several halves in their lives. */
#define HALF (384 << 10)

void
tapes_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (w->setup.tapes)
		scribe_begin(
		    &p->scribe, p->node, clock_local(&p->clock, w->now), HALF);
}

static void
play(struct world *w, process_name name)
{
	struct playback_result result =
	    scribe_play(&w->processes[name].scribe, &w->counters.replayed);

	if (result.end != PLAYBACK_SAME)
		world_fail(w, "the tape of %u, input %" PRIu64 ": %s", name,
		    result.number, result.why);
}

void
tapes_end(struct world *w, process_name name)
{
	play(w, name);
	scribe_end(&w->processes[name].scribe);
}

void
world_play_tapes(struct world *w)
{
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (world_runs(w, name))
			play(w, name);
	}
}

static bool
dump(struct world *w, process_name name, const char *directory)
{
	struct process *p = &w->processes[name];
	struct tape_head head = {
		.id = p->id,
		.incarnation = p->disk.durable.incarnation,
		.epoch_ns = (int64_t)(w->now - clock_local(&p->clock, w->now)),
		.cluster = "world",
	};
	char path[PATH_MAX];
	uint8_t *bytes;
	size_t size;
	FILE *out;
	bool ok;

	tape_flush(&p->scribe.tape);
	snprintf(head.name, sizeof(head.name), "%" PRIu32, p->id);
	size = tape_file_size(&p->scribe.tape, &head);
	bytes = malloc(size);
	assert(bytes != NULL);
	tape_file_write(&p->scribe.tape, &head, bytes);
	snprintf(path, sizeof(path), "%s/%s.tape", directory, head.name);
	out = fopen(path, "wb");
	ok = out != NULL && fwrite(bytes, 1, size, out) == size;
	if (out != NULL && fclose(out) != 0)
		ok = false;
	free(bytes);
	return ok;
}

bool
world_dump_tapes(struct world *w, const char *directory)
{
	bool ok = true;

	for (process_name name = 1; name <= w->setup.nodes && ok; name++) {
		if (world_runs(w, name) && w->setup.tapes)
			ok = dump(w, name, directory);
	}
	return ok;
}
