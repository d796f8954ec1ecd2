/* SPDX-License-Identifier: ISC */
/*
 * The record of a chaos run in memory: the deeds, from the run's log, and what
 * each daemon said of its leader, from each start to its death. All moments are
 * on the true CLOCK_MONOTONIC, whatever clocks the daemons had.
 */
#ifndef ELECTD_TESTS_BENCH_CHAOS_HISTORY_H
#define ELECTD_TESTS_BENCH_CHAOS_HISTORY_H

#include <stdio.h>

#include "common/util/types.h"

#define HISTORY_NODES_MAX 9
#define HISTORY_KINDS_MAX 32 /* kinds of deeds in a log */

/* One start of a daemon, and its end. */
struct life {
	unsigned host, number; /* the number counts the host's starts */
	int64_t offset_ns;     /* of the daemon's CLOCK_MONOTONIC */
	nsec_t began, died;    /* NSEC_NEVER: it ran to the end of the record */
};

/* From this moment on a daemon had that leader. */
struct belief {
	size_t life;
	nsec_t at;
	uint64_t term;
	unsigned leader; /* 0: none */
	bool is_first;   /* the first that its watcher read */
};

struct deed {
	char name[16];
	unsigned count;
};

struct history {
	unsigned nodes;
	bool is_quorum;
	char algorithm[32];
	uint64_t seed;
	nsec_t began, ended;

	struct life *lives;
	size_t lives_count;
	struct belief *beliefs; /* of each life in order, as they came */
	size_t beliefs_count;
	nsec_t *heals;
	size_t heals_count;
	uint64_t *elections; /* terms of begun elections, with repetitions */
	size_t elections_count;

	struct deed deeds[HISTORY_KINDS_MAX];
	unsigned deaths;    /* that no deed caused */
	unsigned unwatched; /* lives that outlived their watchers */
};

void history_init(struct history *h);
void history_done(struct history *h);

/* Each takes a line; after a complaint about a wrong one it returns false. */
bool history_read_log(struct history *h, FILE *log);
bool history_read_watch(struct history *h, size_t life, FILE *watch);

/* Reads a whole directory: run.log, and the watch files of all lives in it. */
bool history_read(struct history *h, const char *directory);

/* Counts the deeds of this kind. */
unsigned history_count(const struct history *h, const char *deed);

#endif
