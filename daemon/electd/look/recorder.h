/* SPDX-License-Identifier: ISC */
/*
 * The flight recorder: records the node on a tape all the time (PROTOCOL.md,
 * Tape), and hands it out: to electctl, and to a file of the state directory on
 * SIGUSR1, or when an assertion fails. Without memory the node runs without it.
 */
#ifndef ELECTD_DAEMON_ELECTD_LOOK_RECORDER_H
#define ELECTD_DAEMON_ELECTD_LOOK_RECORDER_H

#include "daemon/config/settings.h"
#include "daemon/system/loop/worker.h"
#include "daemon/tape/tape_file.h"

struct recorder;

/* Makes one for the node of these settings, which borrows the worker. NULL
 * without memory. Free it after the worker. */
struct recorder *recorder_new(
    const struct settings *settings, struct worker *worker);
void recorder_free(struct recorder *r);

/* Records this node, whose memory has `size` bytes, from now on. Call it again
 * after each node_change(): the tape goes on, unless the node has grown too
 * large for it. */
void recorder_begin(
    struct recorder *r, struct node *node, size_t size, nsec_t now);

/* Names the node of the tape, from now on. */
void recorder_name(struct recorder *r, const struct tape_head *head);

/* Gives a descriptor of a file in memory with the tape, to read; its size goes
 * to *size. The file of the call before is empty then: the memory is that of
 * one, however many descriptors a client holds. Or a negative errno: -ENODATA
 * if nothing is recorded. */
int recorder_dump(struct recorder *r, size_t *size);

/* Begins to write the tape to CLUSTER-ID.tape of the state directory. How that
 * ends is logged. */
void recorder_save(struct recorder *r);

#endif
