/* SPDX-License-Identifier: ISC */
/*
 * Keeps in the state directory that this node is on standby, or no more, on a
 * thread of its own: a slow disk must not delay a heartbeat. An operator asks
 * seldom, so a thread is started for each write. Only what is on the disk is in
 * effect. The latest wish counts: the last that comes during a write is written
 * next, and those before it never are.
 */
#ifndef ELECTD_DAEMON_ELECTD_STANDBY_KEEPER_H
#define ELECTD_DAEMON_ELECTD_STANDBY_KEEPER_H

#include "common/wire/standby.h"
#include "daemon/config/settings.h"

struct standby_keeper;

/* How the last write has ended. */
struct standby_kept {
	uint64_t number; /* of the wish; 0: none has ended */
	int error;       /* 0, or a negative errno: nothing has changed */
	struct standby standby; /* as of `at`, if there was no error */
	nsec_t at;              /* on the clock of the wish */
};

/* `standby` is what the file says at present. Borrows nothing. NULL if that
 * fails; why was logged. */
struct standby_keeper *standby_keeper_new(
    const struct settings *settings, const struct standby *standby);

/* A descriptor that is readable once standby_keeper_take() may have a
 * result. */
int standby_keeper_fd(const struct standby_keeper *keeper);

/* Begins to keep a standby as of `now`, or to remove it. Returns the number of
 * the wish, 1 or more. */
uint64_t standby_keeper_wish(
    struct standby_keeper *keeper, const struct standby *standby, nsec_t now);

/* The standby of the node has ended by itself: removes the file, unless a wish
 * is being written. */
void standby_keeper_expire(struct standby_keeper *keeper, nsec_t now);

/* Takes the result of a write. False if there is none yet. */
bool standby_keeper_take(
    struct standby_keeper *keeper, struct standby_kept *kept);

/* True if a wish has not ended yet. */
bool standby_keeper_is_busy(const struct standby_keeper *keeper);

/* Waits for the write that is under way, and frees all. NULL is harmless. */
void standby_keeper_free(struct standby_keeper *keeper);

#endif
