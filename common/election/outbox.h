/* SPDX-License-Identifier: ISC */
/*
 * What one step of an algorithm wants done: messages to send, in order, and
 * perhaps the decision, or a timer. Bounded; the bound is computed by the
 * caller and an overflow is an assertion.
 */
#ifndef ELECTD_COMMON_ELECTION_OUTBOX_H
#define ELECTD_COMMON_ELECTION_OUTBOX_H

#include "common/wire/message.h"

struct outgoing {
	struct message message;
	unsigned link;
};

struct outbox {
	struct outgoing *messages; /* memory of the caller's */
	size_t count;
	size_t capacity;
	bool has_decided;
	struct rank winner; /* if it does not stand, there is no leader */
	bool has_armed;     /* INPUT_TIMER is wanted */
};

/*
 * The most messages one step sends on a view of this many links: two kinds
 * on every link (bully: OK and ELECTION), and one more.
 */
static inline size_t
outbox_capacity(size_t links_count)
{
	return 2 * links_count + 1;
}

/* Empties the outbox; the memory stays. */
void outbox_clear(struct outbox *out);

/* Sends *m on a link. */
void outbox_send(struct outbox *out, unsigned link, const struct message *m);

/*
 * INPUT_TIMER is wanted once a message sent now, and its answer, must have
 * come; it replaces an earlier wish. How long that is, the caller knows.
 */
void outbox_arm(struct outbox *out);

/* The election has ended for this node, and this is the winner. */
void outbox_decide(struct outbox *out, const struct rank *winner);

#endif
