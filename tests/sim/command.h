/* SPDX-License-Identifier: ISC */
/*
 * The commands of electsim, each in a file of its own, command_NAME.c; main.c
 * picks one. argv[0] is what complaints begin with, what follows are the
 * command's options.
 */
#ifndef ELECTD_TESTS_SIM_COMMAND_H
#define ELECTD_TESTS_SIM_COMMAND_H

enum command_exit {
	COMMAND_YES = 0,     /* done, and all held */
	COMMAND_NO = 1,      /* a well-formed no: the nodes did not agree */
	COMMAND_USAGE = 2,   /* wrong options; told on stderr */
	COMMAND_REFUSED = 6, /* too large, and --force was not given */
	COMMAND_FAILED = 7,  /* no memory, or a file could not be written */
};

/* Runs one election and prints what became of it. */
int command_run(int argc, char **argv);

/* Prints measured messages and time beside the formulas. */
int command_table(int argc, char **argv);

/* Walks every order in which messages can arrive. */
int command_explore(int argc, char **argv);

/* Runs whole nodes under random faults. */
int command_swarm(int argc, char **argv);

#endif
