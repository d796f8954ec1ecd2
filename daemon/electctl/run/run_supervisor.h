/* SPDX-License-Identifier: ISC */
/*
 * `run` is two processes. The one that was started, electctl, starts the
 * supervisor, passes signals on to it, and exits as it does. The supervisor
 * follows electd, and is the parent of the command.
 *
 * Under the guarantee "quorum" the command is gone before the deadline that
 * electd has promised, whatever happens to electd, electctl and the supervisor:
 * - The supervisor ends it in time if there is no later deadline.
 * - A timer of the kernel kills the supervisor shortly before the deadline,
 *   even one that hangs or is stopped. Each later deadline sets the timer anew.
 * - The kernel kills the command when the supervisor dies (PR_SET_PDEATHSIG).
 * - What the command has started belongs to the supervisor, and to electctl
 *   when the supervisor has died (PR_SET_CHILD_SUBREAPER), which then kill it.
 *
 * With --margin it is one process, the supervisor: whoever started it sees that
 * it was killed, also when all of this was stopped, and has time to end the
 * rest.
 *
 * All times are of CLOCK_BOOTTIME, which counts the time of a suspended host.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_RUN_SUPERVISOR_H
#define ELECTD_DAEMON_ELECTCTL_RUN_RUN_SUPERVISOR_H

#include "daemon/electctl/run/verb_loop.h"

struct children;

/* Exit statuses beside those of the command; a shell has the last two, too. */
enum run_status {
	RUN_NOT_LEADING = 75,     /* and was told not to wait for it again */
	RUN_NOT_EXECUTABLE = 126, /* the command is there, but cannot run */
	RUN_NOT_FOUND = 127,
	RUN_SIGNAL = 128, /* and the number of the signal that ended it */
};

/* Signals that electctl and the supervisor ignore: of a reader of their
 * messages that has gone, and of a terminal where no background job may
 * write. */
#define RUN_IGNORES 2
static const int run_ignores[RUN_IGNORES] = { SIGPIPE, SIGTTOU };

/* What the supervisor gets from electctl. */
struct run_setup {
	struct verb_loop *loop; /* takes the signals to pass on */
	struct sigaction ignored[RUN_IGNORES]; /* what the command does with
	                                          * these signals */
	char path[CONTROL_PATH_MAX]; /* of electd's socket; "": not known yet */
	int electctl; /* readable once electctl has gone; -1: this is electctl
	               */
	const struct children *others; /* of whoever became electctl */
	bool *has_led; /* out: this node has led; may be shared memory */
	nsec_t until;  /* it gives up if this node has not led by then;
	               * NSEC_NEVER: it waits as long as it takes */
};

/* Runs the supervisor in this process, until the command has ended or will
 * not be started any more. Gives the exit status. */
int run_supervise(const struct run_setup *setup);

#endif
