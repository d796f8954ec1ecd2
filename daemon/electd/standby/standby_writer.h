/* SPDX-License-Identifier: ISC */
/*
 * Has a worker keep in the state directory that this node is on standby, or no
 * more: a slow disk must not delay a heartbeat. Only what is on the disk is in
 * effect. The latest request counts: the last that comes during a write is
 * written next, and those before it never are.
 */
#ifndef ELECTD_DAEMON_ELECTD_STANDBY_STANDBY_WRITER_H
#define ELECTD_DAEMON_ELECTD_STANDBY_STANDBY_WRITER_H

#include "common/wire/standby.h"
#include "daemon/config/settings.h"
#include "daemon/system/loop/worker.h"

struct standby_writer;

/* How the last write has ended. */
struct standby_kept {
	uint64_t number; /* of the request; 0: none has ended */
	int error;       /* 0, or a negative errno: nothing has changed */
	struct standby standby; /* as of `at`, if there was no error */
	nsec_t at;              /* on the clock of the request */
};

/* A write has ended. */
typedef void standby_handler(void *context, const struct standby_kept *kept);

/* `standby` is what the file says at present. Borrows the worker. NULL if that
 * fails; why was logged. */
struct standby_writer *standby_writer_new(const struct settings *settings,
    const struct standby *standby, struct worker *worker,
    standby_handler *written, void *context);

/* Begins to keep a standby as of `now`, or to remove it. Returns the number of
 * the request, 1 or more. */
uint64_t standby_writer_ask(
    struct standby_writer *writer, const struct standby *standby, nsec_t now);

/* The standby of the node has ended by itself: removes the file, unless a
 * request is being written. */
void standby_writer_expire(struct standby_writer *writer, nsec_t now);

/* True if there is a standby on the disk, or a request has not ended yet. */
bool standby_writer_holds(const struct standby_writer *writer);

/* Call this after worker_free(). NULL is harmless. */
void standby_writer_free(struct standby_writer *writer);

#endif
