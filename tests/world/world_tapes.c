/* SPDX-License-Identifier: ISC */
/* The tapes of a world's processes: each is played when the process ends, and
 * must lead to the same actions. */
#include "tests/world/world_process.h"

#include <inttypes.h>

/* Of each half: a few hundred inputs, so most processes begin several halves
 * in their lives. */
#define HALF (384 << 10)

void
tapes_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (w->setup.tapes)
		recorder_begin(
		    &p->recorder, p->node, clock_local(p, w->now), HALF);
}

static void
play(struct world *w, process_name name)
{
	struct playback_result result =
	    recorder_play(&w->processes[name].recorder, &w->counters.replayed);

	if (result.end != PLAYBACK_SAME)
		world_fail(w, "the tape of %u, input %" PRIu64 ": %s", name,
		    result.number, result.why);
}

void
tapes_end(struct world *w, process_name name)
{
	play(w, name);
	recorder_end(&w->processes[name].recorder);
}

void
world_play_tapes(struct world *w)
{
	for (process_name name = 1; name <= WORLD_COPY; name++) {
		if (world_runs(w, name))
			play(w, name);
	}
}
