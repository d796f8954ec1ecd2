/* SPDX-License-Identifier: ISC */
/*
 * What `run`, `follow` and `checks` have in common: each is a process that has
 * children, and waits for signals, for descriptors and for the time at once.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_SUPERVISOR_H
#define ELECTD_DAEMON_ELECTCTL_RUN_SUPERVISOR_H

#include <poll.h>
#include <signal.h>

#include "daemon/electctl/ask/ask.h"

struct supervisor {
	const struct options *options;
	sigset_t taken; /* the signals that it takes, which are blocked */
	sigset_t mask;  /* of signals, as it was before */
	int signals;    /* readable when one of `taken` has come */
	int alarm;      /* readable when something is due */
	bool is_over;   /* it exits, */
	int status;     /* with this */
};

/* Takes these signals from now on (NULL: those that end a process), and
 * SIGCHLD. False with errno if that fails. */
bool supervisor_init(struct supervisor *supervisor,
    const struct options *options, const sigset_t *taken);

/* The supervisor exits with this status, or with the first that was given. */
void supervisor_end(struct supervisor *supervisor, int status);

#define POLLERS_OWN 2 /* the first ones, which supervisor_wait() sets */

/* Waits until a signal has come, a poller is ready, or it is `due_at`. */
void supervisor_wait(const struct supervisor *supervisor,
    struct pollfd *pollers, size_t count, nsec_t due_at);

/* Takes the next signal that has come; 0: there is none. */
int supervisor_signal(const struct supervisor *supervisor);

/* True if messages are wanted, and nobody waits until one is read. */
bool supervisor_may_say(const struct supervisor *supervisor);

/* Says what happens. */
#define say(supervisor, ...)                                                   \
	do {                                                                   \
		if (supervisor_may_say(supervisor))                            \
			complain(__VA_ARGS__);                                 \
	} while (0)

#endif
