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
#ifndef ELECTD_COMMON_ELECTION_ALGORITHM_H
#define ELECTD_COMMON_ELECTION_ALGORITHM_H

#include "common/election/outbox.h"
#include "common/wire/message.h"

#define VARIANTS_MAX 4 /* of one algorithm, and the NULL that ends them */

/* The shapes of the graph of links that an algorithm can run on. */
enum topology {
	TOPOLOGY_FULL,
	TOPOLOGY_RING,
	TOPOLOGY_TREE,
	TOPOLOGY_GRAPH,
};

/*
 * The links of a ring's view: both, or none for a node that is alone. In a
 * ring of two they lead to the same node and are two links all the same.
 */
enum ring_link {
	RING_RIGHT, /* to the successor */
	RING_LEFT,  /* to the predecessor */
	RING_LINKS,
};

/* What may be chosen of an algorithm; each says which of these it has. */
enum choice {
	CHOICE_VARIANT = 1 << 0,
	CHOICE_JOIN = 1 << 1,
	CHOICE_WAKEUP = 1 << 2,
	CHOICE_ANNOUNCE = 1 << 3,
	CHOICE_DIAMETER = 1 << 4,
};

/* Zero is the default of each; the same on every node. */
struct choices {
	uint32_t diameter;  /* rounds to run: at least the graph's diameter */
	uint8_t variant;    /* index into the algorithm's variants */
	bool starters_only; /* join = false: who did not start cannot win */
	bool no_wakeup;     /* wakeup = false: all leaves start by themselves */
	bool any_leader;    /* announce = "any": whoever ends it may lead */
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
	const struct choices *choices; /* never NULL */
	uint64_t seed;                 /* the only randomness there is */
};

enum input_kind {
	INPUT_START,   /* begin: this node is a starter; at most once, first */
	INPUT_MESSAGE, /* one message has come in */
	INPUT_TIMER,   /* what outbox_arm() asked for */
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
	unsigned choices;                     /* enum choice: it has them */
	const char *variants[VARIANTS_MAX];   /* the default first */
	bool has_lists;                       /* its messages carry lists */

	/* How many bytes of state an instance with this view needs. */
	size_t (*size)(const struct view *view);

	/*
	 * Begins an instance in `state`, size(view) bytes of zeros. A state is
	 * plain bytes and points to nothing but the view, so that states can
	 * be copied and compared.
	 */
	void (*init)(void *state, const struct view *view);

	/*
	 * Takes one input and adds to `out` what it leads to: messages, at
	 * most two a link and step, the decision, at most once in an instance
	 * unless a better winner becomes known, and perhaps the wish for a
	 * timer. Never fails: a message that makes no sense is dropped.
	 */
	void (*step)(void *state, const struct input *in, struct outbox *out);

	/* What the instance is doing, one word, for traces. */
	const char *(*phase)(const void *state);

	/* Asserts the instance's invariants; called after steps by tests. */
	void (*check)(const void *state);
};

#endif
