/* SPDX-License-Identifier: ISC */
/*
 * The children of this process, which has one thread. If it is the subreaper of
 * what its children start (PR_SET_CHILD_SUBREAPER), that becomes its own when
 * its parent dies, also what has become a daemon.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_CHILDREN_H
#define ELECTD_DAEMON_ELECTCTL_RUN_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

#define CHILDREN_MAX 64

struct children {
	unsigned count;
	pid_t pids[CHILDREN_MAX];
};

/* Puts down the children. False if there are more, or no /proc. */
bool children_list(struct children *children);

/* Puts down one more, if there is room. */
void children_add(struct children *children, pid_t pid);

/* True if the child is among these. */
bool children_have(const struct children *children, pid_t pid);

/* Kills all children but the others, and what is left to this process when they
 * die, until there are none. False if it cannot tell, or may not. */
bool children_sweep(const struct children *others);

/* Kills all children that are not spared. They are for the caller to reap, and
 * this to be called again then. */
void children_kill(
    bool (*is_spared)(const void *context, pid_t pid), const void *context);

#endif
