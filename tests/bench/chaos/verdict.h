/* SPDX-License-Identifier: ISC */
/*
 * The verdict on the record of a chaos run: when which node led, whether the
 * promises held, and how long there was no leader.
 *
 * A node leads from the moment at which it takes the lead until it ends that,
 * or dies. A watcher is a process, and on a busy host it may come when its
 * daemon leads already. Then the watcher of the first follower shows when that
 * began. If there is none, the record has a hole, which is no fault of the
 * daemon's, but hides what happened there.
 */
#ifndef ELECTD_TESTS_BENCH_CHAOS_VERDICT_H
#define ELECTD_TESTS_BENCH_CHAOS_VERDICT_H

#include "tests/bench/chaos/history.h"
#include "tests/bench/chaos/sample.h"

#define VERDICT_HEAL_MAX (3 * SEC) /* from a heal until all have a leader */

struct reign {
	size_t life;
	uint64_t term;
	nsec_t begin, end;
};

enum violation {
	VIOLATION_TERM,      /* I1: two starts led in one term */
	VIOLATION_NAME,      /* I1: two nodes were followed in one term */
	VIOLATION_OVERLAP,   /* I2: two led at once */
	VIOLATION_RISE,      /* I3: the next leader's term is not higher */
	VIOLATION_BACK,      /* I3: a node's term went back */
	VIOLATION_HEAL,      /* after 3 s not all had one leader */
	VIOLATION_BACKWARDS, /* a leadership ended before it began */
	VIOLATION_DEATH,     /* a daemon died without a deed */
	VIOLATION_RECORD,    /* a daemon lived without a watcher */
	VIOLATION_LATE,      /* no watcher saw a daemon's lead begin */
	VIOLATION_KINDS,
};

struct verdict {
	const struct history *history;
	struct reign *reigns; /* by begin */
	size_t reigns_count;
	unsigned violations[VIOLATION_KINDS];
	nsec_t longest_overlap;
	nsec_t shortest_change;   /* from one leadership to another node's */
	struct sample recoveries; /* from heals until all have a leader */
	struct sample gaps;       /* without a leader */
	nsec_t leaderless, span;  /* sum of gaps; since the first leader */
	size_t elections, leaderships; /* before the end of the run */
};

/* Prints each violation as a line. */
void verdict_init(struct verdict *v, const struct history *h, FILE *out);
void verdict_done(struct verdict *v);

/* True if the run's guarantee excludes it. */
bool verdict_is_promised(const struct verdict *v, enum violation kind);

/* Counts the violations that the guarantee excludes. */
unsigned verdict_violations(const struct verdict *v);

void figures_print_text(const struct verdict *v, FILE *out);
void figures_print_json(const struct verdict *v, FILE *out);
void figures_print_reigns(const struct verdict *v, FILE *out);

#endif
