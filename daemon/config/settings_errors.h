/* SPDX-License-Identifier: ISC */
/*
 * What is wrong with a configuration: gathered in any order, told in order
 * of lines. Private to settings*.c.
 */
#ifndef ELECTD_DAEMON_CONFIG_SETTINGS_ERRORS_H
#define ELECTD_DAEMON_CONFIG_SETTINGS_ERRORS_H

#include <stdbool.h>
#include <stdio.h>

#define QUOTED_MAX 72 /* a value in a message: longer ones are cut */

struct settings_error {
	int line;      /* 0: of the file as a whole */
	size_t number; /* in the order found; tells errors of one line apart */
	char *text;
};

/* Zeroed: none yet. */
struct settings_errors {
	struct settings_error *list;
	size_t count;
	size_t capacity;
	bool out_of_memory; /* an error too, and some may be missing */
};

/*
 * Adds one error; `setting` names what it is about, NULL if it is no one
 * setting.
 */
__attribute__((format(printf, 4, 5))) void settings_errors_add(
    struct settings_errors *errors, int line, const char *setting,
    const char *format, ...);

bool settings_errors_any(const struct settings_errors *errors);

/* Writes all of them, then how many there are; nothing if there are none. */
void settings_errors_print(
    struct settings_errors *errors, const char *path, FILE *to);

void settings_errors_done(struct settings_errors *errors);

/* `text` in quotes, printable and cut to fit; gives `room`. */
const char *quoted(const char *text, char room[QUOTED_MAX]);

#endif
