/* SPDX-License-Identifier: ISC */
/*
 * What the record of a chaos run shows: who led when, whether the promises
 * held, and how long there was no leader.
 *
 * A node leads from the moment at which it took itself for the leader to that
 * at which it no longer did, or to its death. A watcher is a process: on a busy
 * host it may come when its daemon leads already. Then its first follower's
 * watcher tells when that began; if none does, the record has a hole, which is
 * no fault of the daemon's, but hides what happened there.
 */
#ifndef ELECTD_TESTS_CHAOS_VERDICT_H
#define ELECTD_TESTS_CHAOS_VERDICT_H

#include "tests/chaos/history.h"
#include "tests/chaos/sample.h"

#define VERDICT_HEAL_MAX (3 * SEC) /* from a heal to a leader of all */

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
	VIOLATION_HEAL,      /* no leader of all within 3 s */
	VIOLATION_BACKWARDS, /* a reign that ended before it began */
	VIOLATION_DEATH,     /* a daemon died that nobody had ended */
	VIOLATION_RECORD,    /* a daemon lived that nobody watched */
	VIOLATION_LATE,      /* a daemon led, and nobody saw it begin */
	VIOLATION_KINDS,
};

struct verdict {
	const struct history *history;
	struct reign *reigns; /* by begin */
	size_t reigns_count;
	unsigned violations[VIOLATION_KINDS];
	nsec_t longest_overlap;
	nsec_t shortest_change;   /* from one reign to another node's */
	struct sample recoveries; /* from heals to a leader of all */
	struct sample gaps;       /* without a leader */
	nsec_t leaderless, span; /* their sum, since there was a first leader */
	size_t elections, leaderships; /* before the end of the run */
};

/* Tells each violation as a line. */
void verdict_init(struct verdict *v, const struct history *h, FILE *out);
void verdict_done(struct verdict *v);

/* Does the run's guarantee exclude it? */
bool verdict_is_promised(const struct verdict *v, enum violation kind);

/* Of what was promised. */
unsigned verdict_violations(const struct verdict *v);

void figures_print_text(const struct verdict *v, FILE *out);
void figures_print_json(const struct verdict *v, FILE *out);
void figures_print_reigns(const struct verdict *v, FILE *out);

#endif
