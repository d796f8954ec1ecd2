/* SPDX-License-Identifier: ISC */
/* An algorithm that does what its messages say, for tests of elections. */
#ifndef ELECTD_TESTS_LIB_PUPPET_H
#define ELECTD_TESTS_LIB_PUPPET_H

#include "common/election/algorithm.h"

#define PUPPET_LINKS_MAX 4

/* The puppet's reaction to each message. At its start it sends ASK on every
 * link. */
enum puppet_kind {
	ASK,      /* nothing */
	QUESTION, /* ANSWER by the same link */
	ANSWER,   /* nothing */
	DECISION, /* decide for the message's rank */
	WAKE_ME,  /* arm the timer, which makes it ASK on the first link */
};

/* The view of the last instance, and how often functions ran. */
struct puppet_seen {
	struct view view;
	struct rank links[PUPPET_LINKS_MAX];
	unsigned inits;
	unsigned checks;
};

extern struct puppet_seen puppet_seen;
extern const struct algorithm puppet;

#endif
