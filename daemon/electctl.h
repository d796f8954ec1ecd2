/* SPDX-License-Identifier: ISC */
/* The parts of electctl, a file each; none knows electd but by its answers. */
#ifndef ELECTD_DAEMON_ELECTCTL_H
#define ELECTD_DAEMON_ELECTCTL_H

#include <jansson.h>

#include "common/types.h"
#include "daemon/control_protocol.h"

enum output {
	OUTPUT_TEXT, /* for people */
	OUTPUT_JSON, /* the daemon's own lines */
	OUTPUT_KV,   /* for shells: eval takes it */
};

/* Says "electctl: ..." on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The command line. */
struct options {
	const char *socket;
	enum output output;
	bool is_quiet;
	bool wants_help;
	nsec_t timeout; /* 0: none was given */
	long limit;     /* 0: none was given */
	const char *verb;
	const char *argument;
};

/* A verb: what it takes, and what its answers mean. */
struct command {
	const char *name;
	const char *arguments; /* as in a usage line */
	const char *summary;
	const char *example;
	bool is_admin;
	bool takes_argument;
	bool takes_limit;
	nsec_t timeout;         /* if none is given; NSEC_NEVER: no limit */
	enum control_code late; /* what it means that the time was up */
	enum control_code lost; /* and that the daemon went */
	enum control_code (*run)(
	    const struct command *command, const struct options *options);
	void (*print)(json_t *answer);
	enum control_code (*judge)(const json_t *answer);
};

/* electctl_options.c */

/*
 * Takes the command line apart. False, with *code to exit with, when all is
 * said and done: the version was asked for, or something is wrong.
 */
bool options_parse(
    struct options *options, int argc, char **argv, enum control_code *code);

/* electctl_ask.c: what a command's run() may be. */

enum control_code run_query(
    const struct command *command, const struct options *options);
enum control_code run_watch(
    const struct command *command, const struct options *options);

/* electctl_find.c */

/*
 * The one socket in /run/electd, into `path`. Otherwise complains: none is
 * CODE_UNREACHABLE, several are CODE_USAGE.
 */
enum control_code find_socket(char path[CONTROL_PATH_MAX]);

/* electctl_connection.c */

struct connection {
	int fd;
	int timer;    /* readable once the time is up; -1: no limit */
	char *buffer; /* what has come in, its first `taken` bytes used */
	size_t size;
	size_t taken;
	size_t capacity;
};

enum received {
	RECEIVED_LINE,
	RECEIVED_END,       /* the daemon has gone */
	RECEIVED_TOO_LATE,  /* the time was up */
	RECEIVED_NO_READER, /* nobody reads our own output any more */
};

/* Connects, within `timeout` (NSEC_NEVER: no limit), or complains. */
enum control_code connection_open(
    struct connection *connection, const char *path, nsec_t timeout);
void connection_close(struct connection *connection);

/* False if the daemon hung up; it may have said why before. */
bool connection_send(struct connection *connection, const char *line);

/* The next line, without its newline, valid until the next call. */
enum received connection_receive(
    struct connection *connection, const char **line);

/* electctl_print.c: answers for people, on stdout, if not said otherwise. */

void print_leader(json_t *answer); /* without one: on stderr */
void print_is_leader(json_t *answer);
void print_wait(json_t *answer);
void print_elect(json_t *answer);
void print_stats(json_t *answer);
void print_version(json_t *answer);
void print_event(json_t *event);

/* electctl_table.c: likewise. */

void print_status(json_t *answer);
void print_peers(json_t *answer);

/* A duration in two units at most: "1.3 ms", "2h11m". */
#define ELAPSED_TEXT_MAX 24
const char *elapsed_text(double ms, char text[ELAPSED_TEXT_MAX]);

/* A string of the answer, safe on a terminal; "-" if there is none. */
#define PLAIN_TEXT_MAX 288
const char *plain_text(const json_t *value, char text[PLAIN_TEXT_MAX]);

/* electctl_kv.c */

/* key=value pairs and a newline; names of nested ones are joined by "_". */
void print_kv(json_t *value, const char *between);

#endif
