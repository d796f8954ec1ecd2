/* SPDX-License-Identifier: ISC */
/*
 * A check of a service: a command that electctl runs again and again, each time
 * in a session and process group of its own. It passes if it exits with 0 in
 * time. Nothing here waits for it.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_CHECK_CHECK_H
#define ELECTD_DAEMON_ELECTCTL_CHECK_CHECK_H

#include "common/wire/standby.h"
#include "daemon/client/client.h"
#include "daemon/config/settings.h"
#include "daemon/electctl/check/tally.h"

#define TAIL_MAX 100 /* bytes of a line of output: a sentence */

/* The last line of the output that is not blank, as far as it has come, with
 * single blanks. */
struct tail {
	char line[TAIL_MAX];
	size_t size;
	bool is_ended;
};

struct check {
	json_t *definition; /* as electd gives it; what follows borrows it */
	const char *name;
	const char *words[CHECK_WORDS_MAX + 1]; /* and NULL; none: it has */
	const char *disk;     /* a directory; NULL: no check of a disk, but */
	const char *pressure; /* of this resource, */
	unsigned limit;       /* with this limit, in per cent */
	nsec_t interval;
	nsec_t timeout;
	unsigned rise;
	unsigned fall;

	struct tally tally;
	char reason[TAIL_MAX * 2]; /* of the last failure */
	nsec_t next_at;            /* when it is to be started */

	pid_t pid;         /* 0: it does not run */
	nsec_t started_at; /* the last time; 0: never */
	nsec_t kill_at; /* NSEC_NEVER: it was killed, and has not ended yet */
	int output;     /* the end of a pipe; -1: none */
	int failed;     /* the same: the errno if it cannot run */
	struct tail tail;
};

/* Makes a check of what electd says. False if that makes no sense; then there
 * is nothing to free. */
bool check_init(struct check *check, json_t *definition, nsec_t now);

/* Frees it. Kills what runs, which is for the caller to reap. */
void check_free(struct check *check);

/* The same of one in whose place a new one comes, which waits until what runs
 * has ended: a process that waits for a disk may not, and no other is to
 * wait for it as well. */
void check_replace(struct check *old, struct check *check, nsec_t now);

/* Does what is due: starts the command, or ends one that takes too long. True
 * if the verdict has changed. */
bool check_look(struct check *check, nsec_t now);

/* When check_look() is wanted next. */
nsec_t check_due_at(const struct check *check);

/* Takes what has come of the output. */
void check_read(struct check *check);

/* The command has ended with this status, as waitpid(2) gives it. True if the
 * verdict has changed. */
bool check_ended(struct check *check, int status);

#endif
