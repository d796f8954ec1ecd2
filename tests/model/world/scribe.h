/* SPDX-License-Identifier: ISC */
/* Records a node of a world, and plays what was recorded: a node that is played
 * does the same again, or the promise of PROTOCOL.md, Tape, is broken. */
#ifndef ELECTD_TESTS_MODEL_WORLD_SCRIBE_H
#define ELECTD_TESTS_MODEL_WORLD_SCRIBE_H

#include "common/node/tape/tape.h"
#include "daemon/tape/playback.h"

struct scribe {
	struct tape tape;
	void *memory; /* NULL: it does not record */
};

/* Begins to record the node on a tape that has this room in each half. */
void scribe_begin(struct scribe *r, struct node *node, nsec_t now, size_t half);

/* Plays both halves. Gives the result of the first that is not the same, or of
 * the last; *inputs, unless NULL, grows by those that were played. */
struct playback_result scribe_play(struct scribe *r, uint64_t *inputs);

/* Forgets all; the node has ended, or is recorded no more. */
void scribe_end(struct scribe *r);

#endif
