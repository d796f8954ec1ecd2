/* SPDX-License-Identifier: ISC */
/* Records of chaos runs that a test writes by hand, for tests of their checker.
 */
#ifndef ELECTD_TESTS_BENCH_CHAOS_RECORD_H
#define ELECTD_TESTS_BENCH_CHAOS_RECORD_H

#include "tests/bench/chaos/verdict.h"

#define RECORD_LIVES_MAX 8

/* A text that is first written, then read. */
struct text {
	FILE *file;
	char *bytes;
	size_t size;
};

struct record {
	struct text log, watch[RECORD_LIVES_MAX];
	unsigned host[RECORD_LIVES_MAX], starts[HISTORY_NODES_MAX + 1];
	unsigned lives;
	struct history history;
	struct verdict verdict;
};

/* Begins the text; all_start() then starts the daemons of all nodes. */
void begins(struct record *r, unsigned nodes, const char *guarantee);

/* The first lives, if all_start() begins the text. */
enum {
	ONE,
	TWO,
	THREE,
};

void all_start(struct record *r, unsigned nodes, const char *guarantee);

/* Starts a daemon, or one whose clock is `ahead` ahead; gives the number of its
 * life. */
unsigned starts(struct record *r, unsigned at, unsigned host);
unsigned starts_ahead(struct record *r, unsigned at, unsigned host, int ahead);

void is_killed(struct record *r, unsigned at, unsigned host);
void exits(struct record *r, unsigned at, unsigned host, const char *asked);

/* Adds some other deed, or a mark. */
void comes(struct record *r, uint64_t at, const char *what);

/* Adds the leader that a life now has, or with 0 that it has none. */
void tells(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader);

/* Adds the first that it says to its watcher. */
void finds(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader);

/* Ends the writing, and reads; the reading may fail. */
bool is_read(struct record *r);
void is_over(struct record *r);

/* Asserts the number of violations of this kind, and that of all kinds that the
 * guarantee excludes. */
void shows(
    struct record *r, enum violation kind, unsigned count, unsigned promised);

#endif
