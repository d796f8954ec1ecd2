/* SPDX-License-Identifier: ISC */
/*
 * What a node is to the command of `follow`, and one run of that command.
 */
#ifndef ELECTD_DAEMON_ELECTCTL_RUN_HOOK_H
#define ELECTD_DAEMON_ELECTCTL_RUN_HOOK_H

#include <signal.h>

#include "daemon/client/client.h"

/* How a node stands. The command may act as the leader's in the first alone. */
enum place {
	PLACE_LEADER,     /* it leads, at least until its deadline */
	PLACE_HANDS_OVER, /* it leads, and wants to give up the lead */
	PLACE_FOLLOWER,   /* another node leads */
	PLACE_NO_LEADER,  /* there is no leader */
	PLACE_UNKNOWN,    /* electd does not answer, or has not renewed the
	                  * lease in time */
};

/* What the command is told. */
struct news {
	enum place place;
	uint64_t term;               /* of the leader; 0: not known */
	uint64_t token;              /* of its lead; 0: not known */
	char leader[PLAIN_TEXT_MAX]; /* its name; "": there is none */
	char reason[PLAIN_TEXT_MAX]; /* of this leader, or of none; "": none */
	char cluster[PLAIN_TEXT_MAX];
	char node[PLAIN_TEXT_MAX]; /* this one's name */
};

struct hook {
	pid_t pid;        /* 0: it does not run */
	struct news news; /* what it was told last */
	nsec_t kill_at;   /* it runs */
	bool was_killed;
	int failed; /* the end of a pipe: the errno if it cannot be executed */
};

/* "leader", "hands-over" and so on: what the command finds in ELECTD_STATE. */
const char *place_name(enum place place);

/* True if the command would be told the same. */
bool news_are_same(const struct news *a, const struct news *b);

/*
 * Starts the command in a process group of its own, with the news in its
 * environment and as JSON on standard input, and `mask` as its signals. Gives 0
 * or the errno. Waits for nothing: hook_end() says whether it was executed.
 */
int hook_start(struct hook *hook, char **words, const struct news *news,
    const sigset_t *mask);

/* The hook was reaped. Gives 0, or the errno for which it could not be
 * executed. */
int hook_end(struct hook *hook);

/* Sends a signal to its process group; no effect if it does not run. */
void hook_signal(const struct hook *hook, int number);

#endif
