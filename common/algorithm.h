/* SPDX-License-Identifier: ISC */
/*
 * The contract between an election algorithm and its caller, be it the
 * election layer of a node (election.h) or a simulator that runs algorithms
 * bare. Interface only; the algorithms are in algorithms/.
 *
 * An algorithm is a machine of its own for one election: init() with a view,
 * then step() for each input, until the caller forgets it. Terms, restarts
 * and failures are not its concern: a view never changes, and links are
 * reliable and FIFO, each message delivered once.
 *
 * The caller owns all memory that is passed in. It is borrowed for the call,
 * the view for the life of the instance; what an algorithm keeps beyond that
 * it copies into its state.
 */
#ifndef ELECTD_COMMON_ALGORITHM_H
#define ELECTD_COMMON_ALGORITHM_H

#include "common/message.h"
#include "common/outbox.h"

/* The shapes of the graph of links that an algorithm can run on. */
enum topology {
	TOPOLOGY_FULL,
	TOPOLOGY_RING,
	TOPOLOGY_TREE,
	TOPOLOGY_GRAPH,
};

/* A live link when the instance began, and who is at its other end. */
struct view_link {
	struct rank rank;
};

/*
 * What an instance knows of the world: itself and its live links. A link's
 * index in `links` is its name in inputs and in the outbox.
 */
struct view {
	struct rank self;
	enum prefer prefer;
	const struct view_link *links;
	size_t links_count;
};

enum input_kind {
	INPUT_START,   /* begin: this node is a starter; at most once, first */
	INPUT_MESSAGE, /* one message has come in */
};

struct input {
	enum input_kind kind;
	unsigned link;                 /* MESSAGE: which link it came by */
	const struct message *message; /* MESSAGE */
};

struct algorithm {
	const char *name;       /* as written in electd.conf */
	const char *summary;    /* one line, with the source it follows */
	enum topology topology; /* what it needs by default */
	const char *kinds[MESSAGE_KINDS_MAX]; /* names of its messages */

	/* How many bytes of state an instance with this view needs. */
	size_t (*size)(const struct view *view);

	/* Begins an instance in `state`, size(view) bytes of any content. */
	void (*init)(void *state, const struct view *view);

	/*
	 * Takes one input and adds to `out` what it leads to: messages, at
	 * most one a link and step and kind, and the decision, at most once in
	 * an instance unless a better winner becomes known. Never fails: a
	 * message that makes no sense is dropped.
	 */
	void (*step)(void *state, const struct input *in, struct outbox *out);

	/* What the instance is doing, one word, for traces. */
	const char *(*phase)(const void *state);

	/* Asserts the instance's invariants; called after steps by tests. */
	void (*check)(const void *state);
};

#endif
