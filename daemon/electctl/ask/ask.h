/* SPDX-License-Identifier: ISC */
/*
 * What a verb is, and how one asks the daemon for it. The declarations stand
 * under the file that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_ASK_ASK_H
#define ELECTD_DAEMON_ELECTCTL_ASK_ASK_H

#include "daemon/electctl/ask/options.h"

#define PARAMETERS_MAX 5 /* of a verb */

/* An argument that a verb takes. */
struct parameter {
	const char *key;    /* in the request; NULL: there are no more */
	const char *wanted; /* what it may be */
	json_t *(*take)(const char *word); /* its value; NULL: it is not
	                                    * wanted */
	bool is_optional;                  /* so are all that follow */
	bool is_named; /* it is written KEY=VALUE, in any order, after those
	                   * that are not */
};

/* How long a verb waits for its answer, and what it means if none comes. */
enum patience {
	ASKS,    /* for what the daemon knows: a cron job waits */
	STEERS,  /* for what the daemon does at once */
	READS,   /* for what may wait for a slow disk */
	YIELDS,  /* for what may wait for a lease */
	GATHERS, /* for what the daemon asks of all nodes */
	WAITS,   /* for what may never be */
};

/* A verb: what it takes, and what its answers mean. */
struct command {
	const char *name;      /* one word, or two */
	const char *verb;      /* what the daemon calls it; NULL: the name */
	const char *arguments; /* as in a usage line; NULL: none */
	const char *summary;
	const char *details; /* paragraphs of its help; NULL: none */
	const char *more;    /* those after its options; NULL: none */
	const char *example;
	uint64_t takes; /* the bits of options, beside OPTIONS_GLOBAL */
	uint64_t needs; /* those of these that must be given */
	struct parameter parameters[PARAMETERS_MAX];
	enum patience patience;
	const char *overdue;   /* the message if the timeout is over, for a verb
	                      * whose answer may take long; NULL: the usual */
	const char *shown_of;  /* the verb whose answer the text form shows;
	                       * NULL: its own */
	bool is_admin;         /* asks on the admin socket */
	bool takes_command;    /* its words are a command */
	bool is_stream;        /* its answer has line after line */
	bool describes_leader; /* `leader` of the answer is null or an object */
	enum control_code (*run)(
	    const struct command *command, const struct options *options);
	const char *text;              /* its answer, see line.h; or, */
	void (*print)(json_t *answer); /* if NULL, how this is printed */
	enum control_code (*judge)(
	    const json_t *answer); /* the exit status; NULL: 0 */
};

/* ask.c: requests, and what their answers mean. */

/* A request that every daemon answers at once. */
#define SIGN_OF_LIFE "{\"verb\":\"version\"}"

/* Sends the verb and shows its answer. */
enum control_code run_query(
    const struct command *command, const struct options *options);

/* The same for `status`, or for --check of it. */
enum control_code run_status(
    const struct command *command, const struct options *options);

/* How long the user, or else the verb, wants to wait. */
nsec_t ask_timeout(
    const struct command *command, const struct options *options);

/* Puts into `path` the socket to ask: that for queries, or that for
 * administrators beside it; "" if there is none yet. Complains as
 * find_socket(). */
enum control_code ask_socket(
    const struct options *options, bool is_admin, char path[CONTROL_PATH_MAX]);

/* Connects to this socket within the time: 0, or an errno as electd_connect()
 * gives. The handle is to be freed, NULL if that failed. */
int ask_try(const char *path, nsec_t timeout, struct electd **daemon);

/* Connects as run_query() does, and sends nothing. Gives a handle to be freed,
 * NULL unless it is CODE_YES. */
enum control_code ask_connect(const struct command *command,
    const struct options *options, struct electd **daemon);

/* Connects likewise, and sends the request `first` (NULL: none) and the verb.
 */
enum control_code ask_begin(const struct command *command,
    const struct options *options, const char *first, struct electd **daemon);

/* Receives one answer: *answer is a new reference, or NULL. Complains if it is
 * an error, or if there is none. */
enum control_code ask_receive(
    const struct command *command, struct electd *daemon, json_t **answer);

/* Sends the request and does the same. */
enum control_code ask_for(const struct command *command, struct electd *daemon,
    const char *request, json_t **answer);

/* Complains about the daemon's error and gives its code; else CODE_YES. */
enum control_code check_error(const json_t *answer);

/* The request, to be freed. Complains and gives NULL if an argument is not
 * UTF-8. */
char *request_line(
    const struct command *command, const struct options *options);

/* Prints one answer in the chosen form, and gives the exit status. `names` are
 * those of nodes by their ids, for the text form; NULL: the answer has them. */
enum control_code show(const struct command *command,
    const struct options *options, const char *line, json_t *names);

/* Gives the exit status when no line came; complains if that is a failure. */
enum control_code explain_silence(
    const struct command *command, enum electd_received received);

/* record.c: `record`. */

enum control_code run_record(
    const struct command *command, const struct options *options);

/* metrics.c: `metrics`. Without a daemon it prints that there is none. */

enum control_code run_metrics(
    const struct command *command, const struct options *options);

/* wait.c: `wait`. */

enum control_code run_wait(
    const struct command *command, const struct options *options);

#endif
