/* SPDX-License-Identifier: ISC */
/*
 * The parts of settings*.c, in the order in which a file passes through them.
 * Private to them and to their tests.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_PRIVATE_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_PRIVATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "daemon/config/settings.h"
#include "daemon/config/settings_rows.h"
#include "daemon/config/settings_value.h"

/* settings_errors.c: collects errors in any order, prints them by line. */

struct settings_error {
	int line;      /* 0: the file as a whole */
	size_t number; /* of the error, by which it sorts within its line */
	char *text;    /* allocated */
};

/* All zero: no errors. */
struct settings_errors {
	struct settings_error *list; /* allocated */
	size_t count;                /* of `list` */
	size_t capacity;             /* of `list` */
	bool out_of_memory;          /* an error, and others may be missing */
};

/*
 * Adds an error. `setting` names the setting that is wrong; NULL: the error is
 * about no single one. The text says what is wrong and what would be right.
 */
__attribute__((format(printf, 4, 5))) void settings_errors_add(
    struct settings_errors *errors, int line, const char *setting,
    const char *format, ...);

__attribute__((format(printf, 4, 0))) void settings_errors_vadd(
    struct settings_errors *errors, int line, const char *setting,
    const char *format, va_list arguments);

/* True if there is any error, out of memory included. */
bool settings_errors_any(const struct settings_errors *errors);

/* Prints all errors, then their number; nothing if there are none. */
void settings_errors_print(
    struct settings_errors *errors, const char *path, FILE *to);

/* Frees the list, but not *errors, which is then all zero. */
void settings_errors_done(struct settings_errors *errors);

/*
 * settings_file.c: reads the regular file `path`. Returns its text with a
 * newline at the end, which the caller frees, or NULL after adding an error.
 * Never blocks on a FIFO or device.
 */
char *settings_file_read(const char *path, struct settings_errors *errors);

/*
 * settings_text.c: finds what libconfig accepts silently, and quotes the line
 * of a syntax error.
 */

/*
 * Scans `text`. Returns false if it must not be parsed. Otherwise integers out
 * of range have been added as errors, and the text has ".000" in their place:
 * no integer, and of the same length.
 */
bool settings_text_scan(char *text, struct settings_errors *errors);

/* Adds the error `what` of libconfig for a text that has passed
 * settings_text_scan(), and quotes the line where that is. */
void settings_text_explain(const char *text, int line, const char *what,
    struct settings_errors *errors);

/*
 * settings_read.c: reads the text into settings, by the rows. No other file
 * uses libconfig.
 */

#define SETTING_MAX_BYTES 128 /* "neighbours[1023]." and a name cut to 64 */

struct config_t;

/* A file that is being read. What is wrong or not given is zero. */
struct parse {
	struct settings *settings;
	struct settings_errors *errors;
	struct config_t *tree;        /* libconfig's, allocated */
	bool has_blots;               /* ".000" is an integer out of range */
	struct neighbour *neighbours; /* allocated */
	size_t neighbours_count;      /* of `neighbours` */
	size_t entries[NODES_MAX];    /* of `neighbours`, by the node */
};

/*
 * Parses `text`, which has passed settings_text_scan(), and sets all that it
 * gives in parse->settings, which are zero, and the defaults that rows have.
 * Returns false after adding an error if it does not parse. The caller calls
 * parse_done() either way.
 */
bool parse_begin(struct parse *parse, const char *text);

/* Frees all but the settings and the errors. */
void parse_done(struct parse *parse);

/* The line of the setting with this full name, such as "nodes[2].id"; 0: the
 * file does not give it. */
int parse_line(const struct parse *parse, const char *name);

/* Writes the full name of a member of an entry of a list. Returns `buffer`. */
const char *member_name(const char *list, size_t i, const char *member,
    char buffer[SETTING_MAX_BYTES]);

/* True if the file gives the setting, and its value is right. */
bool parse_has(const struct parse *parse, const char *name);

/* Adds an error: in the line of the setting, or of what it would be in. */
__attribute__((format(printf, 3, 4))) void parse_complain(
    const struct parse *parse, const char *name, const char *format, ...);

/*
 * settings_complete.c: completes what was read, and checks it as a whole.
 * `id` is as for settings_read().
 */
void settings_complete(struct parse *parse, node_id id);

/* settings_neighbours.c: makes the nodes of a host that knows its neighbours
 * only, and adds what is wrong with them. */
void neighbours_build_nodes(struct parse *parse);

/* Sets the neighbours on each side; adds an error where none may have any. */
void neighbours_build_sides(struct parse *parse);

/* Adds this host's own node to its neighbours, and its links with them. */
void neighbours_add_self(struct settings *settings);

#endif
