/* SPDX-License-Identifier: ISC */
/* An algorithm that does what its messages say, for tests of elections. */
#ifndef ELECTD_TESTS_LIB_PUPPET_H
#define ELECTD_TESTS_LIB_PUPPET_H

#include "common/election/algorithm.h"

#define PUPPET_LINKS_MAX 4

/* What the puppet does about a message. At its start it sends ASK on every
 * link. */
enum puppet_kind {
	ASK,      /* nothing */
	QUESTION, /* ANSWER by the same link */
	ANSWER,   /* nothing */
	DECISION, /* decide for the message's rank */
	WAKE_ME,  /* arm the timer, which makes it ASK on the first link */
};

/* What the last instance found when it began, and how often each function ran.
 */
struct puppet_seen {
	struct view view;
	struct rank links[PUPPET_LINKS_MAX];
	unsigned inits;
	unsigned checks;
};

extern struct puppet_seen puppet_seen;
extern const struct algorithm puppet;

#endif
