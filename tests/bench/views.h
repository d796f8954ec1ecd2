/* SPDX-License-Identifier: ISC */
/*
 * What each host takes for the leader, by the events it told: lines as of
 * `electctl -o json watch`, all moments on CLOCK_MONOTONIC.
 */
#ifndef ELECTD_TESTS_BENCH_VIEWS_H
#define ELECTD_TESTS_BENCH_VIEWS_H

#include <stdbool.h>

#include "common/util/types.h"

#define VIEWS_HOSTS_MAX 9

struct view {
	bool is_known;
	unsigned leader; /* 0: none */
	uint64_t term;
	nsec_t since; /* it has taken that one for the leader */
	bool is_lost[VIEWS_HOSTS_MAX + 1]; /* by peer: the link is not up */

	/* Since the mark; 0: not yet. */
	nsec_t first[VIEWS_HOSTS_MAX + 1]; /* by the leader taken */
	nsec_t elected;  /* its first election began, or reached it */
	nsec_t ended;    /* it led, and no longer took itself for the leader */
	unsigned claims; /* how often it began to lead */
};

struct views {
	unsigned hosts;
	nsec_t marked;
	struct view view[VIEWS_HOSTS_MAX + 1];
};

/* Something was done: what is told of before is told apart. */
void views_mark(struct views *v, nsec_t at);

/* The host has nobody who could tell. */
void views_forget(struct views *v, unsigned host);

/* False: this is not the line of an event of a host. */
bool views_take(struct views *v, const char *line);

/* The leader that all hosts but `without` (0: all) agree on, itself too, or 0.
 */
unsigned views_agreed(const struct views *v, unsigned without);

/* No host says that a link of it is not up. */
bool views_linked(const struct views *v);

/* When the first of them elected; NSEC_NEVER: nobody did. */
nsec_t views_elected(const struct views *v, unsigned without);

/* When the first of them took it for the leader, and the last for good. */
nsec_t views_first(const struct views *v, unsigned without, unsigned leader);
nsec_t views_last(const struct views *v, unsigned without);

#endif
