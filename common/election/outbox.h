/* SPDX-License-Identifier: ISC */
/*
 * What one step of an algorithm wants done: messages to send, in order, and
 * perhaps the decision, or a timer. The caller computes its capacity by
 * outbox_capacity(); an overflow fails an assertion.
 */
#ifndef ELECTD_COMMON_ELECTION_OUTBOX_H
#define ELECTD_COMMON_ELECTION_OUTBOX_H

#include "common/wire/message.h"

/* A message to send. */
struct outgoing {
	struct message message;
	unsigned link; /* index in the view */
	FILLER(4);
};

struct outbox {
	struct outgoing *messages; /* `capacity` of them; the caller's */
	size_t count;
	size_t capacity;
	bool has_decided;   /* the step decided: on `winner` */
	struct rank winner; /* if it is not eligible, there is no leader */
	bool has_armed;     /* the step wants INPUT_TIMER */
};

/*
 * The most messages that one step may send on a view of `links_count` links:
 * two on every link, and one more. None sends more than an answer and one
 * message on every link (bully: OK, then ELECTION or COORDINATOR); the rest is
 * room for an algorithm to come.
 */
static inline size_t
outbox_capacity(size_t links_count)
{
	return 2 * links_count + 1;
}

/* Empties the outbox; its memory stays. */
void outbox_clear(struct outbox *out);

/* Adds a copy of *m, to send on this link of the view. */
void outbox_send(struct outbox *out, unsigned link, const struct message *m);

/*
 * Asks for INPUT_TIMER once a message sent now, and its answer, must have come;
 * the caller knows how long that takes. It replaces an earlier timer.
 */
void outbox_arm(struct outbox *out);

/* Says that the election has ended for this node, with this winner. */
void outbox_decide(struct outbox *out, const struct rank *winner);

/* Asserts every invariant. */
void outbox_check(const struct outbox *out);

#endif
