/* SPDX-License-Identifier: ISC */
/*
 * The histories of nodes: their events (common/node/event.h), as the daemon
 * answers `history`, electsim writes its runs, and files keep both. One JSON
 * object is one node, or a piece of one; electd-protocol(7), HISTORIES, has the
 * keys.
 * Histories of one cluster stand side by side.
 */
#ifndef ELECTD_DAEMON_HISTORY_HISTORY_H
#define ELECTD_DAEMON_HISTORY_HISTORY_H

#include <jansson.h>

#include "common/node/event.h"

#define HISTORY_NODES_MAX  1024    /* as many as a cluster has */
#define HISTORY_BYTES_MAX  8388608 /* of a text: 50 000 events and more */
#define HISTORY_EVENTS_MAX 100000  /* of all nodes; a text has fewer */
#define HISTORY_NAME_MAX   64      /* bytes of a name, and its end */
#define HISTORY_KIND_MAX   24      /* the same of a kind of messages */
#define HISTORY_PIECE_MAX  128     /* events of one answer, 30 KiB of JSON */

/* What the times of events count. */
enum history_clock {
	HISTORY_NANOSECONDS, /* of the node's clock */
	HISTORY_UNITS,       /* of a run in which each message takes one */
	HISTORY_STEPS,       /* of a run, one after the other */
};

struct history {
	node_id id;
	char name[HISTORY_NAME_MAX];
	char cluster[HISTORY_NAME_MAX];
	char algorithm[HISTORY_NAME_MAX];
	char topology[HISTORY_NAME_MAX];
	char kinds[MESSAGE_KINDS_MAX][HISTORY_KIND_MAX]; /* of messages */
	unsigned kinds_count;
	uint64_t incarnation; /* of the process; a run has none: 0 */
	enum history_clock clock;
	int64_t epoch_ns;     /* NANOSECONDS: 0 of that clock since 1970, UTC */
	uint64_t first;       /* the number of events[0], or of the next one */
	uint64_t last;        /* of the node's newest event, kept here or not */
	struct event *events; /* in order; allocated */
	unsigned count;
};

/* The histories of several nodes, in the order in which they came. */
struct histories {
	struct history *nodes; /* allocated */
	unsigned count;
	unsigned events_count; /* of all nodes */
	json_t *names;         /* an object: the names of nodes, by their ids in
	                        * digits, as a daemon says; NULL: none was
	                        * asked */
};

void histories_free(struct histories *h);

/* The node's place; HISTORY_NODES_MAX: it has no history here. */
unsigned histories_find(const struct histories *h, node_id id);

/* What people call the node: the name in its history, or that of `names`; else
 * its id. Returns `text`. */
const char *history_name(
    const struct histories *h, node_id id, char text[HISTORY_NAME_MAX]);

/* True if a name may be shown. */
bool history_is_plain(const char *text);

/* The event of this number; NULL: it is not here. */
const struct event *history_event(const struct history *h, uint64_t number);

/* A piece of the history that has this one event of it, which it borrows. */
struct history history_of_event(const struct history *h, const struct event *e);

/* Forgets the events of all other terms. What is left is to be drawn or
 * printed, and is no piece of a history any more. */
void histories_keep_term(struct histories *h, uint64_t term);

/* Copies the kinds of messages that the algorithm has. */
void history_set_kinds(
    struct history *h, const char *const kinds[MESSAGE_KINDS_MAX]);

/* Adds an event at the end, numbered as it is. False without memory. */
bool history_add(struct history *h, const struct event *e);

/* The object of this node: a new reference, or NULL without memory. */
json_t *history_json(const struct history *h);

#define HISTORY_ERROR_MAX 200 /* bytes of a sentence, and its end */

/*
 * Adds the nodes of a text, which is any bytes: JSON objects, one after the
 * other. An object of a node that is there already goes on where that ended.
 * False if the text is wrong, or memory is short; `error` then says what is
 * wrong, and *h is to be freed.
 */
bool histories_read(struct histories *h, const char *text, size_t size,
    char error[HISTORY_ERROR_MAX]);

/* The same for a file, "-" for standard input. */
bool histories_read_file(
    struct histories *h, const char *path, char error[HISTORY_ERROR_MAX]);

/* The same for an object, which is borrowed. */
bool histories_take(
    struct histories *h, const json_t *object, char error[HISTORY_ERROR_MAX]);

#endif
