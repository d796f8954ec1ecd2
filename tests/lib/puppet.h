/* SPDX-License-Identifier: ISC */
/* An algorithm that does as its messages tell it, to test elections with. */
#ifndef ELECTD_TESTS_LIB_PUPPET_H
#define ELECTD_TESTS_LIB_PUPPET_H

#include "common/election/algorithm.h"

#define PUPPET_LINKS_MAX 4

/* How it answers a message. At its start it asks on every link. */
enum puppet_kind {
	ASK,      /* nothing */
	QUESTION, /* ANSWER by the same link */
	ANSWER,   /* nothing */
	DECISION, /* decide for the message's rank */
	WAKE_ME,  /* arm the timer, which makes it ASK on the first link */
};

/* What the last instance saw when it began, and how often they were called. */
struct puppet_seen {
	struct view view;
	struct rank links[PUPPET_LINKS_MAX];
	unsigned inits;
	unsigned checks;
};

extern struct puppet_seen puppet_seen;
extern const struct algorithm puppet;

#endif
