/* SPDX-License-Identifier: ISC */
/*
 * Executes a command, which is no line for a shell, as a child that the kernel
 * kills when this process dies (PR_SET_PDEATHSIG).
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_SPAWN_H
#define ELECTD_DAEMON_ELECTCTL_RUN_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	char *const *words;   /* the command and its arguments, and NULL */
	const sigset_t *mask; /* the signals that it blocks */
	bool has_session;     /* of its own; else only a process group */
	/* Called in the child before, for its environment, its descriptors and
	 * its signals. False with errno: it is not executed. */
	bool (*prepare)(const void *context);
	const void *context;
};

/*
 * Starts it, without waiting until it is executed. Gives its id and in *failed
 * the end of a pipe, for spawn_error(); or a negative errno, and there is
 * nothing to close.
 */
pid_t spawn_start(const struct spawn *spawn, int *failed);

/* Gives the errno for which the command could not be executed; 0: it could, or
 * that is not known yet. `waits`: until it is known. Closes *failed. */
int spawn_error(int *failed, bool waits);

#endif
