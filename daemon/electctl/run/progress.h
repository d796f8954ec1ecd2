/* SPDX-License-Identifier: ISC */
/*
 * Whether a command makes progress: it says so again and again, as to a service
 * manager (sd_notify(3)). Pure: the caller gives the time.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_PROGRESS_H
#define ELECTD_DAEMON_ELECTCTL_RUN_PROGRESS_H

#include "common/util/types.h"

/* How long a command has until it first says so, unless the limit is longer: as
 * long as systemd waits for a service to start (DefaultTimeoutStartSec=). */
#define PROGRESS_START (90 * SEC)

struct progress {
	nsec_t limit;    /* from one message to the next; 0: none is wanted */
	bool is_ready;   /* the command has said something */
	bool has_failed; /* the command has said that it hangs */
	nsec_t late_at;  /* without another message; NSEC_NEVER: it does not
	                 * run */
};

void progress_init(struct progress *progress, nsec_t limit);

/* The command starts. */
void progress_begin(struct progress *progress, nsec_t now);

/* It has ended, or was told to end: it owes no more messages. */
void progress_end(struct progress *progress);

/* Takes a message of `size` bytes, lines of NAME=VALUE. READY=1 and WATCHDOG=1
 * are progress, WATCHDOG=trigger is its end, and all else is nothing. */
void progress_take(
    struct progress *progress, nsec_t now, const char *message, size_t size);

/* When the command is late; NSEC_NEVER: it owes nothing. */
nsec_t progress_due_at(const struct progress *progress);

/* Why the lead must go, as "NAME made no progress for 5 s", into `text` of
 * `size` bytes; false: it must not. */
bool progress_fault(const struct progress *progress, nsec_t now,
    const char *name, char *text, size_t size);

#endif
