/* SPDX-License-Identifier: ISC */
/*
 * The commands of electsim, each in a file of its own, command/NAME.c. main.c
 * picks one. argv[0] is the beginning of complaints; the command's options
 * follow it.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_COMMAND_H
#define ELECTD_TESTS_MODEL_SIM_COMMAND_H

enum command_exit {
	COMMAND_YES = 0,     /* success */
	COMMAND_NO = 1,      /* nodes disagreed, or a promise was broken */
	COMMAND_USAGE = 2,   /* wrong options, with a complaint on stderr */
	COMMAND_REFUSED = 6, /* too large without --force */
	COMMAND_FAILED = 7,  /* no memory, or a file cannot be written */
};

/* Runs one election and prints how it ended. */
int command_run(int argc, char **argv);

/* Prints measured messages and time beside the formulas. */
int command_table(int argc, char **argv);

/* Walks every order in which messages can arrive. */
int command_explore(int argc, char **argv);

/* Plays tapes of nodes. */
int command_replay(int argc, char **argv);

/* Runs whole nodes under random faults. */
int command_swarm(int argc, char **argv);

#endif
