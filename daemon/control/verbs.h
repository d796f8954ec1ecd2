/* SPDX-License-Identifier: ISC */
/*
 * The verbs of the control protocol: a table of names, arguments and
 * answers. Requests come as one line of JSON from anyone on the host and are
 * checked here completely.
 */
#ifndef ELECTD_DAEMON_CONTROL_VERBS_H
#define ELECTD_DAEMON_CONTROL_VERBS_H

#include <sys/socket.h>

#include <jansson.h>

#include "daemon/control/control.h"
#include "daemon/control/control_protocol.h"

struct control_counters {
	uint64_t clients; /* that were taken on */
	uint64_t refused; /* that were turned away: no place */
	uint64_t cut_off; /* for not reading, or not completing a line */
	uint64_t requests;
	uint64_t errors;   /* requests answered with an error */
	uint64_t progress; /* of all clients: how often one took something */
	uint64_t unread;   /* of cut_off: for not reading, not logged yet */
	uid_t unread_uid;  /* the last of these */
};

/* A request that stays open after its first answer, or without one. */
enum pending_request_kind {
	STANDING_NONE,
	STANDING_WATCH,     /* every event is a line, `left` of them */
	STANDING_LEADER,    /* answered once there is a leader */
	STANDING_NO_LEADER, /* answered once there is none */
	STANDING_QUORUM,    /* answered once a majority of voters is heard */
	STANDING_RESIGN,    /* answered once it is known who leads then */
};

struct pending_request {
	enum pending_request_kind kind;
	uint64_t left;
	bool has_deadlines; /* WATCH: they are told, too, ... */
	nsec_t told;        /* ... the last one; 0: none, or we do not lead */
	node_id to;         /* RESIGN: who is to lead; NODE_NONE: anyone else */
};

/*
 * Has what this request waits for come true? Then *answer is what is said: a
 * new reference, or NULL without memory. Always false for a watch.
 */
bool pending_request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer);

struct request {
	const struct control_view *view;
	const struct control_counters *counters;
	struct ucred peer;
	bool is_admin;                  /* it came by the admin socket */
	bool may_steer;                 /* and its sender is of those who may */
	json_t *body;                   /* set by verbs_answer() */
	struct pending_request pending; /* out: what stays open */
};

/*
 * The answer to one line, without its newline; any bytes are allowed. To be
 * called once the line has been received: the answer is of a later moment. A
 * new reference; NULL if there is nothing to say yet (request->pending) or no
 * memory.
 */
json_t *verbs_answer(struct request *request, const char *line, size_t size);

/*
 * Answers at once, if what it is to wait for is so already; if not, leaves the
 * request pending and gives NULL.
 */
json_t *request_stand(struct request *request, struct pending_request pending);

/* {"error":text,"code":code}: a new reference, or NULL. */
json_t *error_answer(enum control_code code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Is this an object made by error_answer()? */
bool answer_is_error(const json_t *answer);

#endif
