/* SPDX-License-Identifier: ISC */
/*
 * One election of bare algorithm instances on a graph: every node's instance,
 * every message under way, one step at a time, in an order that the schedule
 * and the seed determine. There are no terms and no failures: links deliver, in
 * order.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_RUN_RUN_H
#define ELECTD_TESTS_MODEL_SIM_RUN_RUN_H

#include "tests/model/sim/graph/graph.h"

enum schedule {
	SCHEDULE_UNIT,   /* each message takes one unit of time */
	SCHEDULE_RANDOM, /* any link that holds a message may be next */
};

/* The events of a step, for traces, diagrams and tests. */
enum moment_kind {
	MOMENT_START,   /* `node` begins by itself */
	MOMENT_DELIVER, /* `message` reaches `node` by `link` from `from` */
	MOMENT_TIMER,   /* `node`'s timer runs out */
	MOMENT_SEND,    /* `node` sends `message` on `link` to `to` */
	MOMENT_DECIDE,  /* `node` has decided: `winner` */
};

struct moment {
	enum moment_kind kind;
	uint64_t step; /* rises by one with each START, DELIVER and TIMER */
	uint64_t time; /* length of the chain of messages that led here */
	uint32_t node;
	uint32_t other;  /* DELIVER: the sender; SEND: the receiver */
	uint32_t link;   /* DELIVER, SEND: the link of `node` */
	uint64_t number; /* DELIVER, SEND: the message, from 0 in order of
			  * sending, to match the two */
	const struct message *message; /* DELIVER, SEND */
	const struct rank *winner;     /* DECIDE */
	const char *phase;             /* of the node, after the step */
};

typedef void run_observe(void *context, const struct moment *moment);

/* The run borrows all pointers. */
struct run_setup {
	const struct algorithm *algorithm;
	const struct graph *graph; /* must suit the algorithm */
	const struct rank *ranks;  /* one a node, by position */
	enum prefer prefer;
	struct choices choices;
	const bool *starters; /* by position; NULL: all. They start at time
			       * 0, in order of position, before any message */
	enum schedule schedule;
	bool unordered; /* SCHEDULE_RANDOM, and links do not keep order */
	bool check;     /* runs the algorithm's own check after every step */
	uint64_t seed;
	run_observe *observe; /* NULL: none */
	void *context;
	/* Called now and then during a long run, for progress; NULL: none. */
	void (*progress)(void *context, uint64_t delivered);
};

struct run_result {
	bool agreed;      /* all have decided on the same winner */
	bool has_leader;  /* they agreed, and the winner is eligible */
	node_id winner;   /* of the agreement, eligible or not */
	uint32_t decided; /* nodes that have decided */
	uint64_t messages[MESSAGE_KINDS_MAX];
	uint64_t total;
	uint64_t time; /* the longest chain of messages; a timer counts two
		        * units, as a message and its answer */
	uint64_t delivered;
};

/*
 * Runs to the end. False: there is no memory. `starters` must name at least one
 * node; a starter that a message reaches first starts nothing.
 */
bool run_election(const struct run_setup *setup, struct run_result *result);

#endif
