/* SPDX-License-Identifier: ISC */
/*
 * The leader that each host has, from its events, which are lines as of
 * `electctl -o json watch`. All moments are on CLOCK_MONOTONIC.
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
	nsec_t since; /* when it came to have this leader */
	bool is_lost[VIEWS_HOSTS_MAX + 1]; /* by peer: its link is not up */

	/* Since views_mark(); 0: not yet. */
	nsec_t first[VIEWS_HOSTS_MAX + 1]; /* by leader: its beginning */
	nsec_t elected;  /* when its first election began, or reached it */
	nsec_t ended;    /* when its own lead ended */
	unsigned claims; /* how often it began to lead */
};

struct views {
	unsigned hosts;
	nsec_t marked;
	struct view view[VIEWS_HOSTS_MAX + 1];
};

/* Separates events from now on from earlier ones. */
void views_mark(struct views *v, nsec_t at);

/* The host runs no node that could send events. */
void views_forget(struct views *v, unsigned host);

/* Takes an event; false: this is no event of a host. */
bool views_take(struct views *v, const char *line);

/* Gives the leader that all hosts but `without` (0: none) agree on, the leader
 * too; else 0. */
unsigned views_agreed(const struct views *v, unsigned without);

/* True if all links of all hosts are up. */
bool views_linked(const struct views *v);

/* Gives when the first of them elected; NSEC_NEVER: none did. */
nsec_t views_elected(const struct views *v, unsigned without);

/* Give when the first of them came to have this leader, and when the last did
 * for good. */
nsec_t views_first(const struct views *v, unsigned without, unsigned leader);
nsec_t views_last(const struct views *v, unsigned without);

#endif
