/* SPDX-License-Identifier: ISC */
/*
 * The parts of electctl. They know of electd only what its answers say. The
 * declarations stand under the file that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_ELECTCTL_H
#define ELECTD_DAEMON_ELECTCTL_ELECTCTL_H

#include "daemon/client/client.h"

enum output {
	OUTPUT_TEXT, /* for people */
	OUTPUT_JSON, /* the daemon's own lines */
	OUTPUT_KV,   /* for shells, which can eval it */
};

#define FILES_MAX 64 /* --file: one a node of a diagram */

/* The command line. */
struct options {
	struct whereabouts place; /* of the daemon */
	enum output output;
	bool is_quiet;
	bool wants_help;
	nsec_t timeout;               /* 0: not given */
	long limit;                   /* 0: not given */
	const char *to;               /* NULL: not given */
	nsec_t lasts;                 /* --for; 0: not given */
	const char *reason;           /* NULL: not given */
	uint64_t from;                /* --from; 0: not given */
	uint64_t term;                /* --term; 0: not given */
	const char *files[FILES_MAX]; /* --file */
	unsigned files_count;
	const char *format; /* NULL: not given */
	const char *svg;    /* NULL: not given */
	const char *at;     /* NULL: not given */
	bool wants_all;
	const char *dump;    /* NULL: not given */
	bool is_once;        /* --once */
	bool is_even_if_two; /* --even-if-two */
	bool is_exec;        /* --exec */
	nsec_t stop_time;    /* 0: not given */
	nsec_t margin;       /* --margin, which implies --once; 0: not given */
	bool wants_wait;
	bool wants_no_wait;
	bool wants_force;
	bool wants_deadline;
	bool wants_deadlines;
	bool wants_check;
	bool wants_tree;
	const char *verb; /* NULL: not given */
	char **words;     /* those that follow the verb, and NULL */
	int words_count;  /* of `words` */
};

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

/* A verb: what it takes, and what its answers mean. */
struct command {
	const char *name;      /* one word, or two */
	const char *verb;      /* what the daemon calls it; NULL: the name */
	const char *arguments; /* as in a usage line */
	const char *summary;
	const char *details; /* paragraphs of its help; NULL: none */
	const char *more;    /* more of them, which verbs share; NULL: none */
	const char *example;
	bool is_admin;        /* asks on the admin socket */
	bool takes_limit;     /* --limit */
	bool takes_deadline;  /* --deadline */
	bool takes_deadlines; /* --deadlines */
	bool takes_check;     /* --check */
	bool takes_tree;      /* --tree: its text is that of print_tree() */
	bool takes_wait;      /* --wait, which makes it `wait` */
	bool takes_no_wait;   /* --no-wait */
	bool takes_force;     /* --force */
	bool takes_to;        /* --to */
	bool takes_for;       /* --for */
	bool takes_reason;    /* --reason */
	bool takes_history;   /* --from, --term, --file, --svg and --at */
	bool takes_format;    /* --format */
	bool takes_all;       /* --all */
	bool takes_svg;       /* --svg, but not all of takes_history */
	bool takes_term;      /* --term, likewise */
	bool takes_dump;      /* --dump */
	bool takes_command;   /* the words are a command; and --stop-time, */
	bool takes_exec;      /* and --exec; else --once, --even-if-two and
			       * --margin */
	const char *shown_of; /* the verb whose answer the text form shows;
			       * NULL: its own */
	struct parameter parameters[PARAMETERS_MAX];
	bool describes_leader; /* `leader` of the answer is null or an object */
	bool judges_for; /* --for is no part of the request: so much of the
			   * lease must be left */
	nsec_t timeout;  /* the default of --timeout; NSEC_NEVER: none;
				* of `watch` only for the first line */
	enum control_code late; /* if the timeout is over before an answer */
	const char *overdue;    /* the message then, for a verb whose answer may
				 * take long; NULL: the usual one */
	enum control_code lost; /* if the daemon goes before an answer */
	enum control_code (*run)(
	    const struct command *command, const struct options *options);
	void (*print)(json_t *answer);                    /* as text */
	enum control_code (*judge)(const json_t *answer); /* the exit status */
};

/* commands.c: the table of verbs. */

const struct command *command_at(size_t i);           /* NULL: no more */
const struct command *command_find(const char *name); /* NULL: none */

/* The verb of the command line, of which it takes the word that belongs to a
 * verb of two. NULL: there is none. */
const struct command *command_take(struct options *options);

/* Complains, and suggests the verb that was probably meant. */
void explain_unknown_verb(const char *name);

/* arguments.c: the arguments of a verb. */

/* Adds the arguments to the request, which may be NULL: then it only checks
 * them. Complains about what the verb does not take. */
bool arguments_take(const struct command *command,
    const struct options *options, json_t *request);

/* options.c: the command line. */

/*
 * Reads the command line. False if the command ends here, with *code: the
 * version was printed, or there was an error.
 */
bool options_parse(
    struct options *options, int argc, char **argv, enum control_code *code);

/* ask.c: requests, and what their answers mean. */

/* A request that every daemon answers at once. */
#define SIGN_OF_LIFE "{\"verb\":\"version\"}"

/* Sends the verb and shows its answer. */
enum control_code run_query(
    const struct command *command, const struct options *options);

/* Shows the present state, and then every event. */
enum control_code run_watch(
    const struct command *command, const struct options *options);

/* Connects as run_query() does, and sends nothing. */
enum control_code ask_connect(const struct command *command,
    const struct options *options, struct connection *connection);

/* Receives one answer: *answer is a new reference, or NULL. Complains if it is
 * an error, or if there is none. */
enum control_code ask_receive(const struct command *command,
    struct connection *connection, json_t **answer);

/* Complains about the daemon's error and gives its code; else CODE_YES. */
enum control_code check_error(const json_t *answer);

/* The request, to be freed. Complains and gives NULL if an argument is not
 * UTF-8. */
char *request_line(
    const struct command *command, const struct options *options);

/* Prints one answer in the chosen form, and gives the exit status. */
enum control_code show(const struct command *command,
    const struct options *options, const char *line);

/* Gives the exit status when no line came; complains if that is a failure. */
enum control_code explain_silence(
    const struct command *command, enum received received);

/* history.c: `history` and `cut`. */

enum control_code run_history(
    const struct command *command, const struct options *options);
enum control_code run_cut(
    const struct command *command, const struct options *options);

struct causes;
struct cut;
struct histories;

/* Asks for the events of a node, 0 for the daemon's own, from number `from` on;
 * 0 is as 1, the first. */
void history_ask(struct connection *connection, json_int_t node, uint64_t from);

/* Takes the answer to history_ask() of the same node, asks for the pieces that
 * follow, and adds all. */
enum control_code history_take(const struct command *command,
    struct connection *connection, json_int_t node, struct histories *h);

/* Asks for the names of the nodes, and waits for them: h->names. */
enum control_code history_receive_names(const struct command *command,
    struct connection *connection, struct histories *h);

/* Adds the histories of all nodes of a snapshot, from this event on. */
enum control_code history_receive_all(const struct command *command,
    struct connection *connection, const json_t *snapshot, uint64_t from,
    struct histories *h);

/* Removes from the histories all terms but one, the last unless the options
 * name one, and draws them with the snapshot, which is a cut. */
enum control_code history_draw(
    const struct options *options, struct histories *h, const json_t *snapshot);

/* Draws a cut. */
enum control_code history_draw_cut(
    const char *path, const struct causes *causes, const struct cut *cut);

/* observe.c: `observe`. */

enum control_code run_observe(
    const struct command *command, const struct options *options);

/* snapshot.c: `snapshot`. */

enum control_code run_snapshot(
    const struct command *command, const struct options *options);
void print_snapshot(json_t *answer);
enum control_code judge_snapshot(const json_t *answer);

/* record.c: `record`. */

enum control_code run_record(
    const struct command *command, const struct options *options);

/* run.c: `run`. */

extern const char run_help[];

enum control_code run_command(
    const struct command *command, const struct options *options);

/* follow.c: `follow`. */

extern const char follow_help[];

enum control_code run_follow(
    const struct command *command, const struct options *options);

/* checks.c: `checks`. */

extern const char checks_help[];

enum control_code run_checks(
    const struct command *command, const struct options *options);

/* wait.c: `wait`. */

enum control_code run_wait(
    const struct command *command, const struct options *options);

/* verdict.c: the first line of `status`, and `status --check`. */

enum control_code run_status(
    const struct command *command, const struct options *options);

/* line.c: a line made from pieces, and broken if it is too long. */

struct line {
	char text[2048]; /* the longest has five nodes, with their names */
	size_t size;
};

/* Adds to the line, and cuts off what does not fit. */
void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the line. Pieces beyond the 80th column go on in further lines; a
 * single piece is not broken. */
void line_print(const struct line *line);

/* verdict.c: adds the verdict and its reasons. */
void line_add_verdict(struct line *line, const json_t *answer);

/* quorum.c: adds "three (down for 3.0 s: died)". */
void line_add_trouble(
    struct line *line, const json_t *answer, const json_t *trouble);

/* explain.c: adds numbers of messages, "4 ELECTION, 2 OK", or "nothing". */
void line_add_kinds(struct line *line, json_t *kinds);

/* print.c: answers as text, on stdout. */

/* Each prints the answer of the verb that it is named after. */
void print_leader(json_t *answer); /* without a leader: on stderr */
void print_is_leader(json_t *answer);
void print_wait(json_t *answer);
void print_elect(json_t *answer);
void print_standby(json_t *answer);
void print_rejoin(json_t *answer);
void print_reload(json_t *answer);
void print_members(json_t *answer);
void print_changed(json_t *answer); /* of the verbs that change members */
void print_config(json_t *answer);
void print_stats(json_t *answer);
void print_version(json_t *answer);
void print_event(json_t *event);

#define ELAPSED_TEXT_MAX 24 /* a duration as text, and its end */

/* A duration in at most two units: "1.3 ms", "2h11m". */
const char *elapsed_text(double ms, char text[ELAPSED_TEXT_MAX]);

/* explain.c: `explain` as text, and the names of nodes. */

/* Prints the answer of `explain`. */
void print_explain(json_t *answer);

/* Adds `names` to an answer of `status`, which has the name of each node. */
void add_names(json_t *answer);

/* The name of a node, from `names` of the answer; "node 4" if it is not there.
 */
const char *name_text(
    const json_t *answer, const char *id, char text[PLAIN_TEXT_MAX]);

/* The answer's reason, with the node's name: "died:five". */
const char *reason_of_answer(const json_t *answer, char text[PLAIN_TEXT_MAX]);

/* "s", or "" for one. */
const char *plural(json_int_t count);

/* table.c: `status` and `peers` as text. */

void print_status(json_t *answer);
void print_peers(json_t *answer); /* takes an answer of `status` */

/* tree.c: the place of this node in the tree. */

void print_tree_line(const json_t *answer); /* of `status`; if there is one */
void print_tree(json_t *answer);            /* takes an answer of `status` */

/* key.c: `key` as text. */

void print_key(json_t *answer);

/* quorum.c: lines of `status`, printed only if there is a reason. */

void print_quorum_line(const json_t *answer);
void print_state_line(const json_t *answer);

/* kv.c: answers as key=value pairs. */

/* Prints pairs and a newline. Names of nested keys are joined by "_". */
void print_kv(json_t *value, const char *between);

/*
 * The same, one pair a line, for an answer whose `leader` is an object or null.
 * `leader` becomes its id; the names are the same with and without a leader.
 */
void print_kv_leader(json_t *answer);

#endif
