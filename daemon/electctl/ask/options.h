/* SPDX-License-Identifier: ISC */
/* The options of electctl: one row of a table has all that is known of one. */
#ifndef ELECTD_DAEMON_ELECTCTL_ASK_OPTIONS_H
#define ELECTD_DAEMON_ELECTCTL_ASK_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "daemon/client/client.h"

enum output {
	OUTPUT_TEXT, /* for people */
	OUTPUT_JSON, /* the daemon's own lines */
	OUTPUT_KV,   /* for shells, which can eval it */
};

/* Each has a row, and a bit in masks. Two that have the same name mean two
 * things, and no verb takes both. */
enum option_id {
	OPTION_CLUSTER,
	OPTION_SOCKET,
	OPTION_OUTPUT,
	OPTION_JSON,
	OPTION_QUIET,
	OPTION_TIMEOUT,
	OPTION_HELP,
	OPTION_VERSION, /* every verb takes these; what follows, some */
	OPTION_WAIT,    /* makes the verb `wait` */
	OPTION_DEADLINE,
	OPTION_FOR_DEADLINE, /* of the verb that judges a deadline */
	OPTION_CHECK,
	OPTION_TREE, /* the text is that of print_tree() */
	OPTION_LIMIT,
	OPTION_DEADLINES,
	OPTION_STOP_TIME,
	OPTION_MARGIN,
	OPTION_PROGRESS,
	OPTION_ONCE,
	OPTION_EVEN_IF_TWO,
	OPTION_EXEC,
	OPTION_ALL,
	OPTION_FROM,
	OPTION_TERM,
	OPTION_FILE,
	OPTION_FORMAT,
	OPTION_AT,
	OPTION_SVG,
	OPTION_LEADERS,
	OPTION_DUMP,
	OPTION_TO,
	OPTION_FOR,
	OPTION_REASON,
	OPTION_FORCE_STANDBY,
	OPTION_NO_WAIT,
	OPTION_FORCE_VOTER,
	OPTIONS_COUNT,
};

#define OPTION_BIT(id) (UINT64_C(1) << (id))

/* What every verb takes. */
#define OPTIONS_GLOBAL (OPTION_BIT(OPTION_VERSION + 1) - 1)

#define FILES_MAX 64 /* --file: one a node of a diagram */

/* The command line. */
struct options {
	struct whereabouts place; /* of the daemon */
	uint64_t given;           /* the bits of the options */
	enum output output;
	nsec_t timeout;               /* 0: not given */
	uint64_t limit;               /* 0: not given */
	const char *to;               /* NULL: not given */
	nsec_t lasts;                 /* --for; 0: not given */
	const char *reason;           /* NULL: not given */
	uint64_t from;                /* 0: not given */
	uint64_t term;                /* 0: not given */
	const char *files[FILES_MAX]; /* --file; NULL: no more */
	unsigned format;              /* which word of its row */
	const char *svg;              /* NULL: not given */
	const char *at;               /* NULL: not given */
	const char *dump;             /* NULL: not given */
	nsec_t stop_time;             /* 0: not given */
	nsec_t margin;                /* which implies --once; 0: not given */
	nsec_t progress;              /* 0: not given */
	const char *verb;             /* NULL: not given */
	char **words;                 /* those that follow the verb, and NULL */
	int words_count;              /* of `words` */
	json_t *arguments; /* what the verb makes of them, for the request */
};

/* All that is known of an option. */
struct option_row {
	const char *name;
	char letter;       /* '\0': it has none */
	const char *value; /* as usage names it: small letters are its words,
	                    * with bars between them; NULL: it has none */
	/* Reads the value into the field, or says what it should be. */
	bool (*take)(
	    const struct option_row *row, const char *text, void *field);
	size_t at;        /* offset of the field in struct options */
	uint64_t implies; /* the bits of other options */
	const char *key;  /* in the request; "!wait" is false; NULL: none */
	const char *help;
};

extern const struct option_row option_rows[OPTIONS_COUNT];

/* True if the option is given. */
static inline bool
is_given(const struct options *options, enum option_id id)
{
	return (options->given & OPTION_BIT(id)) != 0;
}

/* Stores an option with its value, and the bits of all of its name. False, with
 * a message, if the value is none. */
bool option_take(
    struct options *options, const struct option_row *row, const char *text);

/* Adds the options that have a key to a request. False if one is not UTF-8;
 * *wrong is its row then. */
bool options_put(const struct options *options, json_t *request,
    const struct option_row **wrong);

/* Prints a text, whose newlines end paragraphs, in lines that fit a terminal.
 * All but the first, which is at `column` already, begin at `indent`. */
void print_wrapped(FILE *to, const char *text, int indent, int column);

/* Prints the help of these options. */
void options_help(FILE *to, uint64_t mask);

#endif
