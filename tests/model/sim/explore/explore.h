/* SPDX-License-Identifier: ISC */
/*
 * Every order in which the messages of small systems can arrive, with the
 * shipped algorithms. The systems are all rings, all labelled trees, all
 * connected labelled graphs or the complete graphs of 1 to a given number of
 * nodes, as the algorithm needs, with ids from 1.
 *
 * Each node's start is an event of its own. It may come at any time before a
 * message has reached the node, or never; so one exploration has every set of
 * starters and every moment of starting. (Without wake-up only leaves start,
 * and all must.) A timer runs out only when no message is under way, since it
 * is set for a message and its answer.
 *
 * The exploration proves in every state: the algorithm's own check holds; the
 * outbox's bound holds, and a step sends at most two messages on one link; each
 * node decides only once, for a node that exists; no two nodes decide
 * differently. In every state in which no message is under way and a node has
 * started, it proves: all have decided, for the best of those that may win, so
 * exactly one node leads (where any leader will do: an eligible one, unless
 * there is none). It also proves that every run ends: there are finitely many
 * states, and none can be reached from itself.
 *
 * Only the order of ids matters, and the exploration walks every arrangement of
 * them, so `prefer` makes no difference. It does to an algorithm that takes its
 * links in turn (traversal), since links are numbered by id. `link_orders`
 * walks each numbering.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_EXPLORE_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_EXPLORE_H

#include "tests/model/sim/run/run.h"

#define EXPLORE_NODES_MAX    7 /* a day is not enough for that number */
#define EXPLORE_LINKS_MAX    (EXPLORE_NODES_MAX * (EXPLORE_NODES_MAX - 1))
#define EXPLORE_WHY_MAX      160
#define EXPLORE_MEMORY_BYTES ((size_t)1 << 30) /* by default */

/* One system: a graph, and at each of its positions a rank and a seed. */
struct explore_world {
	struct graph graph;
	struct rank ranks[EXPLORE_NODES_MAX];
	uint64_t seeds[EXPLORE_NODES_MAX];
};

enum explore_verdict {
	EXPLORE_PROVED,  /* everything holds in all states */
	EXPLORE_REFUTED, /* result.why is wrong, after result.steps */
	EXPLORE_GAVE_UP, /* too little memory: result.why */
};

/* One step of a run: `node` starts, its timer runs out, or a message comes. */
struct explore_step {
	enum moment_kind kind; /* START, TIMER or DELIVER */
	uint32_t node;
	uint32_t link;          /* DELIVER: the link of `node` */
	struct message message; /* DELIVER */
};

struct explore_result {
	enum explore_verdict verdict;
	char why[EXPLORE_WHY_MAX];
	uint32_t nodes;  /* of the last graphs */
	uint64_t graphs; /* each as often as its lots or orders differ */
	uint64_t states;
	uint64_t transitions;
	uint64_t ends; /* states in which the election is over */

	/* REFUTED: the world, and the steps. */
	struct explore_world world;
	struct explore_step *steps; /* allocated */
	size_t steps_count;
};

struct explore_setup {
	const struct algorithm *algorithm;
	uint32_t nodes_min; /* at least 1 */
	uint32_t nodes_max; /* at most EXPLORE_NODES_MAX */
	enum prefer prefer;
	struct choices choices; /* diameter 0: one less than there are nodes */
	bool exact_diameter;    /* takes each graph's own diameter */
	bool unordered;         /* links do not keep order */
	bool link_orders;       /* walks each numbering of the nodes' links */
	uint32_t abstaining;    /* ids that are not eligible: bit id - 1 */
	size_t memory_bytes;
	/* Called now and then with the result so far; NULL: never. */
	void (*progress)(void *context, const struct explore_result *so_far);
	void *context;
};

/* Count the combinations of the algorithm's choices, without the diameter, and
 * give one of them. Number 0 is all defaults. */
unsigned explore_choices_count(const struct algorithm *algorithm);
struct choices explore_choices(
    const struct algorithm *algorithm, unsigned number);

/* Walks all systems, until it refutes one or one is too large. */
void explore(const struct explore_setup *setup, struct explore_result *result);

/* Frees what the result holds; a zeroed result is allowed. */
void explore_done(struct explore_result *result);

/*
 * Runs the steps of a refutation again and gives each moment to `observe`.
 * False: there is no memory.
 */
bool explore_replay(const struct explore_setup *setup,
    const struct explore_result *result, run_observe *observe, void *context);

/* Writes the world as "ring of 3: 1 3 2" to `text`; gives `text`. */
char *explore_world_text(
    const struct explore_world *world, char *text, size_t size);

#endif
