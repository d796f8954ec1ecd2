/* SPDX-License-Identifier: ISC */
/* The parts of electctl, a file each; none knows electd but by its answers. */
#ifndef ELECTD_DAEMON_ELECTCTL_ELECTCTL_H
#define ELECTD_DAEMON_ELECTCTL_ELECTCTL_H

#include <jansson.h>

#include "common/util/types.h"
#include "daemon/control/control_protocol.h"

enum output {
	OUTPUT_TEXT, /* for people */
	OUTPUT_JSON, /* the daemon's own lines */
	OUTPUT_KV,   /* for shells: eval takes it */
};

/* electctl_complain.c: says "electctl: ..." on stderr, made plain. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on the latest complaint is kept instead. */
void complain_hold(void);

/* That complaint, or NULL; the next one is said again. */
const char *complain_held(void);

/* The command line. */
struct options {
	const char *socket;  /* NULL: none was named */
	const char *cluster; /* NULL: none was named; else `socket` is void */
	enum output output;
	bool is_quiet;
	bool wants_help;
	nsec_t timeout; /* 0: none was given */
	long limit;     /* 0: none was given */
	const char *to; /* NULL: nobody was named */
	bool wants_wait;
	bool wants_deadlines;
	bool wants_check;
	const char *verb;
	const char *argument;
};

/* A verb: what it takes, and what its answers mean. */
struct command {
	const char *name;
	const char *arguments; /* as in a usage line */
	const char *summary;
	const char *details; /* paragraphs of its help; or NULL */
	const char *example;
	bool is_admin;
	bool takes_limit;
	bool takes_deadlines;
	bool takes_check;
	bool takes_wait;      /* --wait makes it `wait` */
	bool takes_to;        /* a node, to lead in place of this one */
	const char *shown_of; /* in text, of that verb's answer; or NULL */
	const char *argument; /* its key in a request; NULL: takes none */
	const char *wanted;   /* what the argument may be */
	json_t *(*take)(const char *word); /* its value; NULL: not wanted */
	bool describes_leader;             /* `leader` is null, or an object */
	bool shows_deadline;    /* but not in text: then it asks for none */
	nsec_t timeout;         /* if none is given; NSEC_NEVER: no limit */
	enum control_code late; /* what it means that the time was up before
	                         * an answer came, ... */
	const char *overdue;    /* ... of a daemon that lives, where it may take
	                         * long; else NULL */
	enum control_code lost; /* and that the daemon went */
	enum control_code (*run)(
	    const struct command *command, const struct options *options);
	void (*print)(json_t *answer);
	enum control_code (*judge)(const json_t *answer);
};

/* electctl_commands.c */

const struct command *command_at(size_t i);           /* NULL: no more */
const struct command *command_find(const char *name); /* NULL: none */

/* Complains, and says which one somebody may have meant. */
void explain_unknown_verb(const char *name);

/* electctl_options.c */

/*
 * Takes the command line apart. False, with *code to exit with, when all is
 * said and done: the version was asked for, or something is wrong.
 */
bool options_parse(
    struct options *options, int argc, char **argv, enum control_code *code);

enum received {
	RECEIVED_LINE,
	RECEIVED_END,       /* the daemon has gone */
	RECEIVED_TOO_LATE,  /* the time was up */
	RECEIVED_NO_READER, /* nobody reads our own output any more */
};

/* electctl_ask.c and electctl_wait.c: what a command's run() may be. */

enum control_code run_query(
    const struct command *command, const struct options *options);
enum control_code run_watch(
    const struct command *command, const struct options *options);
enum control_code run_wait(
    const struct command *command, const struct options *options);

/* The request, to be freed; NULL with a complaint: it cannot be put so. */
char *request_line(
    const struct command *command, const struct options *options);

/* A request that every daemon answers at once. */
#define SIGN_OF_LIFE "{\"verb\":\"version\"}"

/* Prints one answer as wished, and says what it means. */
enum control_code show(const struct command *command,
    const struct options *options, const char *line);

/* What it means that no line came; complains if it is a failure. */
enum control_code explain_silence(
    const struct command *command, enum received received);

/* electctl_find.c */

/*
 * The socket that the options name, else the only one in /run/electd (of
 * several, the only one whose daemon lives), or "" if there is none, into
 * `path`. Complains of several that live, and of a name that cannot be.
 */
enum control_code find_socket(
    const struct options *options, char path[CONTROL_PATH_MAX]);
enum control_code explain_no_socket(void);

/* Complains that nobody answers at `path`, and lists who else would. */
void explain_nobody(const char *path, const char *why);

bool is_admin_path(const char *path);

/* electctl_connection.c */

struct connection {
	int fd;
	int timer;    /* readable once the time is up; -1: no limit */
	char *buffer; /* what has come in, its first `taken` bytes used */
	size_t size;
	size_t taken;
	size_t capacity;
};

/*
 * Connects, within `timeout` (NSEC_NEVER: no limit, and not 0), which holds
 * for what is received later too. 0, or an errno; EAGAIN: in vain.
 */
int connection_try(
    struct connection *connection, const char *path, nsec_t timeout);

/*
 * Lets what is received take as long as this from now, NSEC_NEVER: as before.
 * False with errno if that cannot be.
 */
bool connection_limit(struct connection *connection, nsec_t timeout);

/* Complains of that errno. */
enum control_code connection_explain(const char *path, int error);

void connection_close(struct connection *connection);

/* False if the daemon hung up; it may have said why before. */
bool connection_send(struct connection *connection, const char *line);

/* The next line, without its newline, valid until the next call. */
enum received connection_receive(
    struct connection *connection, const char **line);

/* Is the time up? connection_receive() gives a line that is there anyway. */
bool connection_is_late(const struct connection *connection);

/*
 * electctl_plain.c: all that came from outside goes through this before it is
 * printed, but for the daemon's own lines in JSON.
 */

/* Puts a question mark for each character that a terminal would act on, for
 * each that changes the direction of text, and each byte that is no UTF-8. */
void make_plain(char *text);

/* A string of the answer, made plain; "-" if there is none. */
#define PLAIN_TEXT_MAX 288 /* the longest is an address, of 263 bytes */
const char *plain_text(const json_t *value, char text[PLAIN_TEXT_MAX]);

/* electctl_print.c: answers for people, on stdout, if not said otherwise. */

void print_leader(json_t *answer); /* without one: on stderr */
void print_is_leader(json_t *answer);
void print_wait(json_t *answer);
void print_elect(json_t *answer);
void print_rejoin(json_t *answer);
void print_stats(json_t *answer);
void print_version(json_t *answer);
void print_event(json_t *event);

/* electctl_explain.c: likewise. */

void print_explain(json_t *answer);

/* Adds `names` to an answer of `status`, which has each node's own. */
void add_names(json_t *answer);

/* A node by its name in `names` of the answer; "node 4" if it is not there. */
const char *name_text(
    const json_t *answer, const char *id, char text[PLAIN_TEXT_MAX]);

/* "died:five": a word, and perhaps a node. */
const char *reason_of_answer(const json_t *answer, char text[PLAIN_TEXT_MAX]);

const char *plural(json_int_t count);

/* electctl_line.c */

struct line {
	char text[2048]; /* the longest has five nodes, with their names */
	size_t size;
};

/* Adds to it; what finds no room is cut off. */
void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Prints it; what is behind the 80th column goes on in further lines, unless it
 * is one piece.
 */
void line_print(const struct line *line);

/* electctl_explain.c: counts of messages, "4 ELECTION, 2 OK", or "nothing". */
void line_add_kinds(struct line *line, json_t *kinds);

/* electctl_table.c: likewise. */

void print_status(json_t *answer);
void print_peers(json_t *answer); /* to `status`: it knows who leads */

/* A duration in two units at most: "1.3 ms", "2h11m". */
#define ELAPSED_TEXT_MAX 24
const char *elapsed_text(double ms, char text[ELAPSED_TEXT_MAX]);

/* electctl_verdict.c: the first line of `status`, and `status --check`. */

void line_add_verdict(struct line *line, const json_t *answer);
enum control_code run_status(
    const struct command *command, const struct options *options);

/* electctl_quorum.c: lines of `status`, if there is a reason for them. */

void print_quorum_line(const json_t *answer);
void print_state_line(const json_t *answer);

/* "three (down for 3.0 s: died)" */
void line_add_trouble(
    struct line *line, const json_t *answer, const json_t *trouble);

/* electctl_kv.c */

/* key=value pairs and a newline; names of nested ones are joined by "_". */
void print_kv(json_t *value, const char *between);

/*
 * Likewise, a pair a line, of an answer whose `leader` is an object or null:
 * `leader` is its id, and with or without one there are the same names.
 */
void print_kv_leader(json_t *answer);

#endif
