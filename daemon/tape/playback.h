/* SPDX-License-Identifier: ISC */
/*
 * Plays a half of a tape (common/node/tape/tape.h): puts the checkpoint of the
 * node into memory, hands in the recorded inputs, and compares what the node
 * does.
 */
#ifndef ELECTD_DAEMON_TAPE_PLAYBACK_H
#define ELECTD_DAEMON_TAPE_PLAYBACK_H

#include "common/node/tape/entry.h"

/* A half of a tape, borrowed. */
struct reel {
	const uint8_t *checkpoint;
	size_t checkpoint_size;
	const uint8_t *entries;
	size_t entries_size;
	uint64_t first; /* how many inputs came before */
};

/* The reels of a tape that is written, the earlier one first, after
 * tape_flush(). Returns their number, 0 to 2. */
unsigned reels_of(const struct tape *tape, struct reel reels[2]);

enum playback_end {
	PLAYBACK_SAME,    /* to its end, all is the same */
	PLAYBACK_DIFFERS, /* in the input `number` the node did otherwise */
	PLAYBACK_BROKEN,  /* the reel makes no sense there */
	PLAYBACK_MEMORY,  /* no memory */
};

struct playback_result {
	enum playback_end end;
	uint64_t number; /* number of the last input that was played; 1 is the
			  * first */
	nsec_t now;      /* time of that input */
	const char *why; /* static; if it is not the same */
};

/* The caller looks on by these; each function may be NULL. */
struct playback_audience {
	/* The node was restored, or changed: it is another one. */
	void (*on_node)(void *context, struct node *node,
	    const struct algorithm *algorithm, enum topology topology);

	/* The input, or the calls of node_act(), are next. */
	void (*on_entry)(
	    void *context, uint64_t number, const struct entry *in);

	/* The node has done this. Datagrams are not sealed. */
	void (*on_action)(void *context, const struct action *action);

	/* All that the entry led to is done. `plain` is what the datagram held,
	 * NULL if none was opened. */
	void (*on_end)(void *context, struct node *node, const struct entry *in,
	    const uint8_t *plain, size_t plain_size);

	void *context;
};

/* Plays the inputs up to the number `until`. `find` gives the algorithm of a
 * name, or NULL. */
struct playback_result playback_run(const struct reel *reel,
    const struct algorithm *(*find)(const char *name), uint64_t until,
    const struct playback_audience *audience);

#endif
