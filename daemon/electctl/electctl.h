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

/* How far a command line has been read that may lack a value or more words. */
struct reading {
	const struct option_row *lacking; /* its value; NULL: none does */
	bool has_only_words;              /* no option can follow */
};

/* Reads the command line to its end, or to --version. False, with a message, if
 * it is wrong. */
bool options_read(
    struct options *options, int argc, char **argv, struct reading *reading);

/*
 * Reads the whole command line. False if the command ends here, with *code: the
 * version was printed, or there was an error.
 */
bool options_parse(
    struct options *options, int argc, char **argv, enum control_code *code);

/* complete.c */

#define COMPLETE_WORD    "--complete" /* as a shell asks: "--", its words */
#define COMPLETE_FILES   ":files"     /* the shell's own names of files */
#define COMPLETE_COMMAND ":command"   /* those of commands */

/*
 * Prints what may stand in the place of the last word of a command line, of
 * which that word begins: one word a line, with a tab and what it means if that
 * is known; or one of the above, for what the shell knows. The command line has
 * a program and a word at least.
 */
enum control_code complete(int argc, char **argv);

#endif
