/* SPDX-License-Identifier: ISC */
/* What the files of the library share: the handle. */
#ifndef ELECTD_DAEMON_LIBELECTD_HANDLE_H
#define ELECTD_DAEMON_LIBELECTD_HANDLE_H

#include <jansson.h>
#include <stdatomic.h>

#include "daemon/control/protocol/control_protocol.h"
#include "daemon/libelectd/connection.h"

#define WHY_MAX 512 /* bytes: a path, and an error of the daemon */

/* How far following has come. */
enum stage {
	STAGE_APART,   /* not connected */
	STAGE_MEETING, /* the status was asked for */
	STAGE_FOLLOWS, /* the events come */
};

struct electd {
	enum electd_mode mode;
	char socket[ELECTD_PATH_MAX]; /* that was named; "": none */
	char why[WHY_MAX];
	struct connection connection;

	/* To follow. */
	int epoll; /* has the connection, and the timer; -1: ELECTD_ASK */
	int timer; /* readable when something is due */
	enum stage stage;
	char path[ELECTD_PATH_MAX]; /* of the last attempt to connect */
	nsec_t due_at;       /* apart: the next attempt to connect; meeting: the
	                      * end of that */
	bool has_refused;    /* ELECTD_REFUSED was told */
	unsigned unanswered; /* requests to release, by electd */
	nsec_t early;        /* before the deadline the program stops */
	bool acts;           /* as far as we know, the program does, as the
	                      * leader */
	bool was_late;       /* ELECTD_LATE was told of this deadline */
	_Atomic uint64_t
	    held;      /* the deadline while the program acts; 0: none */
	json_t *peers; /* of the status */
	struct electd_news news;
	char cluster[ELECTD_NAME_MAX];
	char node[ELECTD_NAME_MAX];
	char leader[ELECTD_NAME_MAX];
};

/* handle.c */

/* Sets what electd_why() gives; control characters become question marks. */
void handle_explain(struct electd *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The socket to connect to: 0 or an error of electd_find(). */
int handle_find(struct electd *e, char path[ELECTD_PATH_MAX]);

/* Gives a name of the answer, "" if it is none or too long. */
void handle_name(const json_t *value, char name[ELECTD_NAME_MAX]);

/* Gives a whole number of the answer; 0 if it is none or negative. */
uint64_t handle_number(const json_t *object, const char *key);

/* lead.c */

/* True if the handle is to lead. */
bool handle_leads(const struct electd *e);

/* When the program is to have stopped, without a later deadline. */
nsec_t handle_late_at(const struct electd *e);

/* True if the program may act as the leader. */
bool handle_may_act(const struct electd *e);

/* What the program may do has changed: sets what electd_holds() sees. */
void handle_set_held(struct electd *e);

/* The program does not act as the leader: gives the deadline back if the node
 * hands over. */
void handle_release(struct electd *e);

#endif
