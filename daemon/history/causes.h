/* SPDX-License-Identifier: ISC */
/*
 * What happened before what, in the histories of several nodes: the events of a
 * node in their order, and each message's sending before its taking. Nothing
 * else is needed for that, no clock and no vector (PROTOCOL.md, Events).
 */
#ifndef ELECTD_DAEMON_HISTORY_CAUSES_H
#define ELECTD_DAEMON_HISTORY_CAUSES_H

#include <limits.h>

#include "daemon/history/history.h"

#define CAUSES_NONE UINT_MAX

/* An event of the histories. */
struct place {
	unsigned node;  /* in histories.nodes */
	unsigned index; /* in its events */
};

/* How much is known of where a message was sent. */
enum sending {
	SENDING_KNOWN,   /* `sent` is it */
	SENDING_EARLIER, /* before what is left of the sender's history */
	SENDING_LATER,   /* after the end of it */
	SENDING_UNKNOWN, /* it is not there, or the sender has no history */
};

/* A message, of which one end may be missing. */
struct passage {
	struct place sent;  /* `index` CAUSES_NONE: not known; see `sending` */
	struct place taken; /* `index` CAUSES_NONE: it was not, as far as is
	                     * known */
	enum sending sending;
	const struct event *event; /* the sending, or else the taking */
};

struct causes {
	const struct histories *histories; /* borrowed */
	struct passage *passages;          /* allocated; in no order */
	unsigned passages_count;
	unsigned **passage_of; /* by node and event: its passage, CAUSES_NONE */
	uint64_t **row_of; /* by node and event: the length of the longest chain
	                    * of steps and messages that leads to it */
	struct place *order; /* all events, each after those before it */
	unsigned order_count;
	uint64_t rows; /* one more than the last of row_of */
};

/*
 * Finds all that. False if the histories contradict themselves, as no honest
 * ones do, or without memory; `error` says which. The caller frees *c in either
 * case.
 */
bool causes_find(
    struct causes *c, const struct histories *h, char error[HISTORY_ERROR_MAX]);

void causes_free(struct causes *c);

/* The event at a place. */
const struct event *causes_event(const struct causes *c, struct place at);

/* The time of an event by the wall clocks of the hosts, or by that of the run,
 * to compare events of several nodes. */
int64_t causes_time(const struct causes *c, struct place at);

#endif
