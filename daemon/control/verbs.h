/* SPDX-License-Identifier: ISC */
/*
 * The verbs of the control protocol: a table of names, arguments and answers.
 * Any user of the host may send requests; this checks them completely.
 */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_H
#define ELECTD_DAEMON_CONTROL_VERBS_H

#include <sys/socket.h>

#include <jansson.h>

#include "daemon/control/control.h"
#include "daemon/control/control_protocol.h"

/* What a connection waits for after a request. */
enum pending_request_kind {
	PENDING_NONE,
	PENDING_WATCH,     /* each event is a line */
	PENDING_LEADER,    /* answered once there is a leader */
	PENDING_NO_LEADER, /* answered once there is none */
	PENDING_QUORUM,    /* answered once a majority of the voters is heard */
	PENDING_RESIGN,    /* answered once the outcome is known */
	PENDING_RELOAD,    /* answered once that reload has ended */
	PENDING_STANDBY,   /* answered once it is kept, and another leads */
	PENDING_REJOIN,    /* answered once that is kept */
	PENDING_SURVEY,    /* answered once that snapshot has ended */
	PENDING_FETCH,     /* answered once those events have come */
	PENDING_MEMBERS,   /* answered once that change is in effect, or never
	                    * will be */
};

/* A request that stays open after its first answer, or without one. */
struct pending_request {
	enum pending_request_kind kind;
	uint64_t left;      /* WATCH: lines still to be sent */
	bool has_deadlines; /* WATCH: deadlines are lines as well */
	bool holds;         /* WATCH: the client gives deadlines back, by
	                     * `release` */
	nsec_t sent;        /* WATCH: the last deadline sent; 0: none */
	node_id to;         /* RESIGN: the successor; NODE_NONE: any node */
	uint64_t reload;    /* RELOAD to MEMBERS: its number */
	bool waits;         /* RELOAD: until what is proposed is in effect */
};

/*
 * True if the wait is over. Then *answer is the answer: a new reference, or
 * NULL without memory. Always false for a watch.
 */
bool pending_request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer);

struct request {
	const struct control_view *view;
	struct ucred peer;              /* the process that sent it */
	uint64_t session;               /* the number of its connection */
	bool is_admin;                  /* it came over the admin socket */
	bool may_steer;                 /* its sender is privileged */
	bool may_rely;                  /* its sender may have deadlines */
	bool holds;                     /* its sender watches, and holds */
	nsec_t held;                    /* the last deadline that such a sender
	                                 * got; 0: none */
	json_t *body;                   /* set by verbs_answer() */
	struct pending_request pending; /* out: what stays open */
	bool releases;                  /* out: it gives back its deadlines */
	bool leaves;                    /* out: it wants no more deadlines */
	bool has_file;                  /* out: `file` goes with the answer */
	int file; /* out: a descriptor, which is the caller's */
};

/*
 * Answers one line, without its newline; any bytes are allowed. Call this after
 * the line has arrived, so that the answer is of a later moment. A new
 * reference. NULL if there is no answer yet (see request->pending), or without
 * memory.
 */
json_t *verbs_answer(struct request *request, const char *line, size_t size);

/*
 * Answers at once if the wait is over already; otherwise leaves the request
 * pending and gives NULL.
 */
json_t *request_await(struct request *request, struct pending_request pending);

/* {"error":text,"code":code}: a new reference, or NULL without memory. */
json_t *error_answer(enum control_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The error of a request that nobody may send here any more. */
#define WATCHES_ALREADY "this connection already watches or waits: use another"

/* True if error_answer() made this object. */
bool answer_is_error(const json_t *answer);

#endif
