/* SPDX-License-Identifier: ISC */
#include "tests/model/world/scribe.h"

#include <stdlib.h>

#include "algorithms/registry.h"

void
scribe_begin(struct scribe *r, struct node *node, nsec_t now, size_t half)
{
	assert(r->memory == NULL);
	r->memory = malloc(2 * half);
	assert(r->memory != NULL);
	tape_init(&r->tape, r->memory, 2 * half);
	node_begin_tape(node, now, &r->tape);
}

struct playback_result
scribe_play(struct scribe *r, uint64_t *inputs)
{
	struct playback_result result = { .end = PLAYBACK_SAME };
	struct reel reels[2];
	unsigned count;

	if (r->memory == NULL)
		return result;
	tape_flush(&r->tape);
	count = reels_of(&r->tape, reels);
	for (unsigned i = 0; i < count && result.end == PLAYBACK_SAME; i++) {
		result =
		    playback_run(&reels[i], algorithm_find, UINT64_MAX, NULL);
		if (inputs != NULL)
			*inputs += result.number - reels[i].first;
	}
	return result;
}

void
scribe_end(struct scribe *r)
{
	free(r->memory);
	r->memory = NULL;
}
