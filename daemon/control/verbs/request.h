/* SPDX-License-Identifier: ISC */
/* A request of a client, and what its connection waits for after it. */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_REQUEST_H
#define ELECTD_DAEMON_CONTROL_VERBS_REQUEST_H

#include <sys/socket.h>

#include "daemon/control/answers/answers.h"
#include "daemon/control/protocol/control_protocol.h"

enum pending_request_kind {
	PENDING_NONE,
	PENDING_WATCH,  /* each event is a line */
	PENDING_ANSWER, /* the answer is still to come */
};

struct pending_request;

/* True if the wait is over. Then *answer is the answer: a new reference, or
 * NULL without memory. */
typedef bool request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer);

/* The same of an operation that has ended: true unless the request waits for
 * more than that. */
typedef bool request_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer);

/* A request that stays open after its first answer, or without one. */
struct pending_request {
	enum pending_request_kind kind;

	/* WATCH */
	uint64_t left;      /* lines still to be sent */
	bool has_deadlines; /* deadlines are lines as well */
	bool holds;         /* the client gives deadlines back, by `release` */
	nsec_t sent;        /* the last deadline sent; 0: none */

	/* ANSWER: it comes when this says so. */
	request_is_over *is_over;
	status_fits *fits; /* `wait`: for this */
	node_id to;        /* `resign`: the successor; NODE_NONE: any node */
	bool waits;        /* `reload`: until what is proposed is in effect */
	enum operation_kind operation; /* if is_over is operation_is_over() */
	uint64_t number;               /* of that operation */
	request_is_done *is_done;      /* when it has ended */
};

/* True if a wait is over, as request_is_over(). Always false for a watch. */
bool pending_request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer);

struct request {
	const struct control_view *view;
	struct ucred peer;              /* the process that sent it */
	uint64_t session;               /* the number of its connection */
	bool is_admin;                  /* by the admin socket */
	bool may_steer;                 /* the sender is privileged */
	bool may_rely;                  /* the sender may have deadlines */
	bool holds;                     /* the sender watches, and holds */
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
 * Answers at once if the wait is over already; otherwise leaves the request
 * pending and gives NULL. The kind is set here.
 */
json_t *request_await(struct request *request, struct pending_request pending);

/* The same of an operation that has begun. */
json_t *request_await_end(struct request *request,
    enum operation_kind operation, uint64_t number, request_is_done *is_done);

/* The arguments of the request. A text that is left out is NULL, a number 0. */
const char *request_text(const struct request *request, const char *key);
json_int_t request_number(const struct request *request, const char *key);
bool request_has(const struct request *request, const char *flag);

/* Puts the id of the node that the argument `key` names into *id, NODE_NONE
 * without that argument. NULL, or the error. */
json_t *request_node(
    const struct request *request, const char *key, node_id *id);

#endif
