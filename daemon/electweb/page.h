/* SPDX-License-Identifier: ISC */
/*
 * What each page of electweb says, by the daemon's answers. The names, and 200
 * or 503, are those that load balancers ask Patroni for.
 */
#ifndef ELECTD_DAEMON_ELECTWEB_PAGE_H
#define ELECTD_DAEMON_ELECTWEB_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum page {
	PAGE_LEADER,   /* /leader, /primary: 200 where this node leads */
	PAGE_FOLLOWER, /* /follower, /replica: 200 where another one does */
	PAGE_HEALTH,   /* /health: 200 while the daemon knows a leader */
	PAGE_STATUS,   /* /status: the answer of `status` */
	PAGE_METRICS,  /* /metrics: for Prometheus */
	PAGE_EVENTS,   /* /events: the events, as they come */
	PAGE_INDEX,    /* /: a list of these */
	PAGE_NONE,
	PAGES_COUNT
};

/* What electd is asked for a page. */
enum verb {
	VERB_LEADER,
	VERB_STATUS,
	VERB_STATS,
	VERBS_COUNT
};

#define VERB_BIT(verb) (1u << (verb))

/* The daemon's answers, one a verb; NULL: it was not asked, or gave none. */
struct answers {
	json_t *of[VERBS_COUNT];
};

/* The page that a path without its query names. */
enum page page_find(const char *path);

/* The bits of the verbs that a page needs. */
unsigned page_verbs(enum page page);

/* The content type of a page. */
const char *page_type(enum page page);

/*
 * Makes a page, but PAGE_EVENTS. Gives the status of HTTP, and the text, which
 * the caller frees; 500 and NULL without memory. PAGE_METRICS lacks electweb's
 * own.
 */
unsigned page_make(enum page page, const struct answers *answers, char **text);

#endif
