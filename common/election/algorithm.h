/* SPDX-License-Identifier: ISC */
/*
 * The contract between an election algorithm and its caller: the election layer
 * of a node (election.h), or a simulator that runs algorithms alone. Interface
 * only; the algorithms are in algorithms/.
 *
 * An instance of an algorithm runs one election: the caller calls init() with a
 * view, then step() for each input, until it forgets the instance. The
 * algorithm need not handle terms, restarts and failures: a view never changes,
 * and links are reliable and FIFO and deliver each message once.
 *
 * Whatever its messages are, a node decides for one that they name, or for
 * itself by its own rank. A second decision is for a better one than the first.
 * Unless starters_only or any_leader is set, none is for a worse one than the
 * node itself.
 *
 * The caller owns all memory that it passes in. An algorithm borrows it for the
 * call, and the view for the life of the instance; it copies into its state
 * what it keeps beyond that.
 */
#ifndef ELECTD_COMMON_ELECTION_ALGORITHM_H
#define ELECTD_COMMON_ELECTION_ALGORITHM_H

#include "common/election/outbox.h"
#include "common/wire/message.h"

#define VARIANTS_MAX 4 /* three (chang-roberts), and the NULL at the end */

/* The shapes of the graph of links that an algorithm can run on. */
enum topology {
	TOPOLOGY_FULL,  /* a link between every two nodes */
	TOPOLOGY_RING,  /* two links a node */
	TOPOLOGY_TREE,  /* connected, without cycles */
	TOPOLOGY_GRAPH, /* any connected graph */
};

/*
 * The links of a ring's view: both, or none for a node that is alone. In a ring
 * of two nodes they are two links to the same node.
 */
enum ring_link {
	RING_RIGHT, /* to the next node of the ring */
	RING_LEFT,  /* to the previous one */
	RING_LINKS,
};

/* The options that an algorithm may have; struct algorithm names those of
 * each. */
enum choice {
	CHOICE_VARIANT = 1 << 0,  /* choices.variant */
	CHOICE_JOIN = 1 << 1,     /* choices.starters_only */
	CHOICE_WAKEUP = 1 << 2,   /* choices.no_wakeup */
	CHOICE_ANNOUNCE = 1 << 3, /* choices.any_leader */
	CHOICE_DIAMETER = 1 << 4, /* choices.diameter */
};

/* The options chosen: the same on every node, zero is the default of each. */
struct choices {
	uint32_t diameter;  /* rounds to run: at least the graph's diameter */
	uint8_t variant;    /* index into the algorithm's variants */
	bool starters_only; /* join = false: only a starter can win */
	bool no_wakeup;     /* wakeup = false: all leaves start by themselves */
	bool any_leader;    /* announce = "any": the node that ends it leads */
};

/* A link that was up when the instance began. */
struct view_link {
	struct rank rank; /* rank of the peer at the other end */
};

/*
 * What an instance knows of the world: its node and its live links. Inputs and
 * the outbox name a link by its index in `links`.
 */
struct view {
	struct rank self;              /* rank of this node */
	enum prefer prefer;            /* which id is better */
	const struct view_link *links; /* `links_count` of them */
	size_t links_count;
	const struct choices *choices; /* never NULL */
	uint64_t seed;                 /* seed of the algorithm's only
					* randomness */
};

enum input_kind {
	INPUT_START,   /* this node is a starter; at most once, and first */
	INPUT_MESSAGE, /* a message has come in */
	INPUT_TIMER,   /* the time that outbox_arm() asked for has passed */
};

struct input {
	enum input_kind kind;
	unsigned link;                 /* MESSAGE: the link that it came by */
	const struct message *message; /* MESSAGE: borrowed for the call */
};

struct algorithm {
	const char *name;       /* the name in electd.conf */
	const char *summary;    /* one line, with the source it follows */
	enum topology topology; /* what it needs by default */
	const char *kinds[MESSAGE_KINDS_MAX]; /* names of its messages */
	unsigned choices;                     /* enum choice: those it has */
	const char *variants[VARIANTS_MAX];   /* the default first */
	bool has_lists;                       /* messages of the algorithm carry
					       * lists */

	/*
	 * How many bytes of state an instance with this view needs; only the
	 * number of links matters.
	 */
	size_t (*size)(const struct view *view);

	/*
	 * Begins an instance in `state`, size(view) zeroed bytes aligned for
	 * any type. A state is plain bytes and points to nothing but the view,
	 * so that states can be copied and compared.
	 */
	void (*init)(void *state, const struct view *view);

	/*
	 * Takes one input and adds what follows to `out`: messages, at most
	 * outbox_capacity() a step; the decision, once in an instance unless a
	 * better winner becomes known; the wish for a timer. It never fails,
	 * and drops a message that makes no sense.
	 */
	void (*step)(void *state, const struct input *in, struct outbox *out);

	/* The present activity of the instance, for traces: one word,
	 * static. */
	const char *(*phase)(const void *state);

	/* Asserts the instance's invariants; called after each step. */
	void (*check)(const void *state);
};

#endif
