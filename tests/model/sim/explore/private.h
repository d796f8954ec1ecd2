/* SPDX-License-Identifier: ISC */
/*
 * How a state of a whole system is kept: every state that a node has ever
 * been in has a number, and so has every message and every content of a link;
 * the system's state is a vector of such numbers, one a node and one a link.
 * So states are small, are compared in full (no digest stands for one), and a
 * node's step is computed once for each of its states and inputs, however
 * many states of the system it occurs in.
 *
 * state.c   vectors and the events that lead from one to the next
 * effect.c  what one input does to one node
 * search.c  all vectors, breadth first; then, are there cycles?
 */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_PRIVATE_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_PRIVATE_H

#include "tests/model/sim/explore/explore.h"
#include "tests/model/sim/explore/table.h"

#define QUEUE_MAX  15 /* messages on one link; with more the walk gives up */
#define SENDS_MAX  (2 * (EXPLORE_NODES_MAX - 1) + 1) /* outbox_capacity() */
#define PARTS_MAX  (EXPLORE_NODES_MAX + EXPLORE_LINKS_MAX)
#define EVENTS_MAX (2 * EXPLORE_NODES_MAX + EXPLORE_LINKS_MAX * QUEUE_MAX)
#define NOTHING    UINT16_MAX /* no message; with that number the walk gives up */

_Static_assert(EXPLORE_NODES_MAX > 2, "a ring of two has four links, too");

/* A state of one node. The fields and the algorithm's whole state are the key.
 */
struct local {
	node_id winner; /* of its decision, or NODE_NONE */
	uint8_t node;
	bool has_started; /* by itself */
	bool is_reached;  /* by a message, or by its own start */
	bool is_armed;    /* its timer waits for INPUT_TIMER */
	uint8_t state[];
};

/* The messages under way on one link: the oldest first, or, where links do not
 * keep order, by number, since then their order does not matter. */
struct queue {
	uint16_t count;
	uint16_t messages[QUEUE_MAX];
};

/* A possible event; its number is its index in events[]. */
struct event {
	enum input_kind kind;
	uint32_t node;
	uint32_t link;     /* MESSAGE: the link of the node */
	uint32_t part;     /* MESSAGE: the link's index in the vector */
	uint32_t position; /* MESSAGE: in the link's queue */
};

/* The effect of an input on a node: the fields of the key, then the results. */
struct effect {
	uint16_t before;  /* number of the node's state */
	uint16_t message; /* its number, or NOTHING */
	uint16_t link;
	uint16_t kind; /* enum input_kind */
	/* The key ends here. */
	uint16_t after;
	uint8_t has_decided;
	uint8_t sends_count;
	struct {
		uint16_t link;
		uint16_t message;
	} sends[SENDS_MAX];
};

#define EFFECT_KEY_BYTES offsetof(struct effect, after)

/* A vector: a number for each node, then one for each link into it. Behind
 * them, outside the key, is the state from which it was first reached. */
struct vector {
	uint16_t parts[PARTS_MAX + 1];
	uint32_t parent[4]; /* space for it, wherever the parts end */
};

struct explorer {
	const struct explore_setup *setup;
	const struct explore_world *world;
	struct explore_result *result;
	struct choices choices;
	struct view views[EXPLORE_NODES_MAX];
	struct view_link view_links[EXPLORE_LINKS_MAX];

	uint32_t nodes;
	uint32_t parts; /* of a vector */
	uint32_t events_count;
	struct event events[EVENTS_MAX];

	size_t state_bytes;              /* of the node that needs the most */
	struct local *local;             /* under construction; allocated */
	void *states[EXPLORE_NODES_MAX]; /* of the algorithm; exact sizes */
	struct outbox out;
	struct outgoing outgoing[SENDS_MAX];

	size_t budget_bytes;
	struct table locals;
	struct table messages;
	struct table queues; /* number 0 is the empty one */
	struct table effects;
	struct table vectors;

	uint32_t level_end;  /* the first vector of the next level */
	bool may_have_cycle; /* an event led to a vector of no later level */
};

/* Prepares tables and views; false: there is no memory. */
bool explorer_init(struct explorer *x, const struct explore_setup *setup,
    const struct explore_world *world, struct explore_result *result);
void explorer_done(struct explorer *x);

/* Notes what is wrong, or why the walk ends; always gives false. */
bool explorer_fail(struct explorer *x, enum explore_verdict verdict,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Gives the number of a record; NOTHING, after a failure, if there is no space.
 */
uint16_t explorer_number(
    struct explorer *x, struct table *t, const void *record);

/* Gives the rank of the node with this id; NULL if there is none. */
const struct rank *explorer_rank(const struct explorer *x, node_id id);

/* Makes the vector in which nothing has happened. */
bool explorer_first(struct explorer *x, struct vector *first);

/* Gives the first event from `event` on that can happen; events_count if none
 * can. */
uint32_t explorer_next(
    const struct explorer *x, const struct vector *v, uint32_t event);

/* Gives the message that the event delivers; NOTHING: it delivers none. */
uint16_t explorer_message(
    const struct explorer *x, const struct vector *v, const struct event *e);

/* Lets an event happen. False: it breaks a law, or there is no space. */
bool explorer_take(struct explorer *x, const struct vector *from,
    uint32_t event, struct vector *to);

/* True if the election must be over; then it checks the laws of the end. */
bool explorer_is_quiet(const struct explorer *x, const struct vector *v);
bool explorer_check_end(struct explorer *x, const struct vector *v);

/* Gives the effect of an input on a node; NULL after a failure. */
const struct effect *explorer_effect(struct explorer *x, const struct event *e,
    uint16_t before, uint16_t message);

/*
 * Gives an input to a node's instance, in x->states; the result is in x->out. A
 * failed assertion of the algorithm ends only the step; false then.
 */
bool explorer_step(struct explorer *x, uint32_t node, const struct input *in);

/* Copies field by field, so that equal messages are equal bytes. */
void explorer_copy_message(struct message *copy, const struct message *m);

/* Enters a node's first state into the tables; NOTHING after a failure. */
uint16_t explorer_begin(struct explorer *x, uint32_t node);

/* Walks all vectors; the result is in x->result. */
void explorer_search(struct explorer *x);

/* Gives the place of the parent in a vector's bytes. */
static inline size_t
explorer_parent_at(const struct explorer *x)
{
	return (x->parts * sizeof(uint16_t) + 3) & ~(size_t)3;
}

static inline const struct local *
explorer_local(const struct explorer *x, uint16_t number)
{
	return table_at(&x->locals, number);
}

#endif
