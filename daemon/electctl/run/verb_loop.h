/* SPDX-License-Identifier: ISC */
/*
 * What `run`, `follow` and `checks` have in common: each is a process that has
 * children, and waits for signals, for descriptors and for the time at once.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_VERB_LOOP_H
#define ELECTD_DAEMON_ELECTCTL_RUN_VERB_LOOP_H

#include <poll.h>
#include <signal.h>

#include "common/wire/standby.h"
#include "daemon/electctl/ask/ask.h"

struct verb_loop {
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
bool verb_loop_init(struct verb_loop *loop, const struct options *options,
    const sigset_t *taken);

/* The process exits with this status, or with the first that was given. */
void verb_loop_end(struct verb_loop *loop, int status);

#define POLLERS_OWN 2 /* the first ones, which verb_loop_wait() sets */

/* Waits until a signal has come, a poller is ready, or it is `due_at`. */
void verb_loop_wait(const struct verb_loop *loop, struct pollfd *pollers,
    size_t count, nsec_t due_at);

/* Takes the next signal that has come; 0: there is none. */
int verb_loop_signal(const struct verb_loop *loop);

/* True if messages are wanted, and nobody waits until one is read. */
bool verb_loop_may_say(const struct verb_loop *loop);

/* Cuts a text to the size of the reason of a standby, between two
 * characters. */
void cut_reason(const char *text, char reason[STANDBY_REASON_MAX + 1]);

/* Says what happens. */
#define say(loop, ...)                                                         \
	do {                                                                   \
		if (verb_loop_may_say(loop))                                   \
			complain(__VA_ARGS__);                                 \
	} while (0)

#endif
