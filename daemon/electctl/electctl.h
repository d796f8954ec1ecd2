/* SPDX-License-Identifier: ISC */
/*
 * The verbs of electctl, and its command line. The declarations stand under the
 * file that defines them.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_ELECTCTL_H
#define ELECTD_DAEMON_ELECTCTL_ELECTCTL_H

#include "daemon/electctl/ask/ask.h"

/* electctl.c */

/* Does what the command line says. Gives the exit status. */
int electctl_run(int argc, char **argv);

/* commands.c: the table of verbs. */

const struct command *command_at(size_t i);           /* NULL: no more */
const struct command *command_find(const char *name); /* NULL: none */

/* The verb of the command line, of which it takes the word that belongs to a
 * verb of two. NULL: there is none. */
const struct command *command_take(struct options *options);

/* True if there are verbs of two words of which this is the first. */
bool command_begins_others(const struct command *command);

/* Complains, and suggests the verb that was probably meant. */
void explain_unknown_verb(const char *name);

/* arguments.c: what a verb takes. */

/* True if the verb takes the options. Complains about what it does not take,
 * and leaves of options of one name that which it takes. */
bool options_fit(const struct command *command, struct options *options);

/* Makes options->arguments of the words. Complains about what the verb does not
 * take. */
bool arguments_take(const struct command *command, struct options *options);

/* command_line.c */

/*
 * Reads the command line. False if the command ends here, with *code: the
 * version was printed, or there was an error.
 */
bool options_parse(
    struct options *options, int argc, char **argv, enum control_code *code);

#endif
