/* SPDX-License-Identifier: ISC */
/*
 * Cuts of histories: a prefix of the events of each node. A cut is consistent
 * if it has the cause of each event that it has; so if each message that was
 * taken in it was sent in it.
 */
#ifndef ELECTD_DAEMON_HISTORY_CUT_H
#define ELECTD_DAEMON_HISTORY_CUT_H

#include "daemon/history/causes.h"

/* Where a message is in a cut. */
enum crossing {
	CROSSING_NONE,    /* both ends on one side */
	CROSSING_TRANSIT, /* sent in it, and not taken in it */
	CROSSING_BROKEN,  /* taken in it, and not sent in it */
	CROSSING_UNKNOWN, /* taken in it; where it was sent is not known */
};

/* What the markers of a snapshot say of it, also of nodes whose histories are
 * lost. */
enum cut_verdict {
	CUT_IS_UNJUDGED, /* it comes from no markers: the messages show it */
	CUT_IS_CONSISTENT,
	CUT_IS_BROKEN,
};

/* By node of the histories: the number of the last event in the cut, 0: none.
 * All earlier events are in it, too. */
struct cut {
	uint64_t at[HISTORY_NODES_MAX];
	enum cut_verdict verdict;
};

enum crossing cut_crossing(
    const struct causes *c, const struct cut *cut, const struct passage *p);

/*
 * Reads "1:17,2:9,3:22", which names each node once, by its id. False, with the
 * reason, if it does not, or if a history does not have that event.
 */
bool cut_read(struct cut *cut, const struct histories *h, const char *text,
    char error[HISTORY_ERROR_MAX]);

/*
 * The verdict and what it rests on, as electd-protocol(7) describes it: a new
 * reference, or NULL without memory. "consistent" is null if a message that was
 * taken in the cut comes from nobody knows where.
 */
json_t *cut_json(const struct causes *c, const struct cut *cut);

#endif
