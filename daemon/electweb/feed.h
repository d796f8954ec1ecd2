/* SPDX-License-Identifier: ISC */
/*
 * The events of electd for all who read /events, as server-sent events (HTML,
 * section 9.2). A reader has a place of its own in the feed, which keeps the
 * last events. A new reader begins with the one that says who leads.
 */
#ifndef ELECTD_DAEMON_ELECTWEB_FEED_H
#define ELECTD_DAEMON_ELECTWEB_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/libelectd/electd.h"

#define FEED_EVENTS   64   /* that it keeps */
#define FEED_TEXT_MAX 4096 /* bytes of an event; a longer one is left out */

/* Begins as zeros. */
struct feed {
	uint64_t next;  /* number of the next event; the first is 0 */
	uint64_t state; /* of the last event that says who leads, and one; 0:
	                 * none */
	char *texts[FEED_EVENTS]; /* of event n: texts[n % FEED_EVENTS] */
	size_t sizes[FEED_EVENTS];
};

/* Afterwards it may begin anew. */
void feed_end(struct feed *f);

/* Adds what libelectd tells. True if that is an event for the readers. */
bool feed_add(struct feed *f, const struct electd_news *news);

/* The place of a reader. */
struct feed_place {
	uint64_t number; /* of the event that it reads */
	size_t taken;    /* bytes of it that it has */
};

/* Where a new reader begins. */
struct feed_place feed_begin(const struct feed *f);

/*
 * Copies what comes next, `size` bytes at most. Gives how many; 0: nothing more
 * yet; -1: the reader is so slow that the feed no longer has it.
 */
int feed_read(
    const struct feed *f, struct feed_place *place, char *bytes, size_t size);

#endif
