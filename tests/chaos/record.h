/* SPDX-License-Identifier: ISC */
/* Records of chaos runs written by hand, for the tests of their checker. */
#ifndef ELECTD_TESTS_CHAOS_RECORD_H
#define ELECTD_TESTS_CHAOS_RECORD_H

#include "tests/chaos/verdict.h"

#define RECORD_LIVES_MAX 8

/* A text being written, then read. */
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

void begins(struct record *r, unsigned nodes, const char *guarantee);

/* The same; then the daemons of all nodes start: these are their lives. */
enum {
	ONE,
	TWO,
	THREE,
};

void all_start(struct record *r, unsigned nodes, const char *guarantee);

/* A daemon, perhaps with a clock that is so much ahead; its life's number. */
unsigned starts(struct record *r, unsigned at, unsigned host);
unsigned starts_ahead(struct record *r, unsigned at, unsigned host, int ahead);

void is_killed(struct record *r, unsigned at, unsigned host);
void exits(struct record *r, unsigned at, unsigned host, const char *asked);

/* Something else that is done, or a mark. */
void comes(struct record *r, uint64_t at, const char *what);

/* A life tells whom it follows, or with 0 that there is nobody. */
void tells(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader);

/* The first it says to its watcher. */
void finds(struct record *r, unsigned life, uint64_t at, unsigned term,
    unsigned leader);

/* The writing ends here, whatever the reading says. */
bool is_read(struct record *r);
void is_over(struct record *r);

/* Exactly so many of that kind, and of all that is promised. */
void shows(
    struct record *r, enum violation kind, unsigned count, unsigned promised);

#endif
