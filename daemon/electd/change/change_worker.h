/* SPDX-License-Identifier: ISC */
/*
 * Has a worker of its own read the configuration and its key files again, and
 * keep documents: a slow disk and a long text must not delay a heartbeat.
 */
#ifndef ELECTD_DAEMON_ELECTD_CHANGE_CHANGE_WORKER_H
#define ELECTD_DAEMON_ELECTD_CHANGE_CHANGE_WORKER_H

#include "common/host/rollout.h"
#include "daemon/electd/change/document.h"

struct change_worker;

/* Settings that this host wants. */
struct read_files {
	struct settings *settings;  /* with an id; NULL: there are errors */
	char *errors;               /* one a line; "" if there are none */
	struct setup_keys keys;     /* FILE */
	bool is_forced;             /* a voter may come that is not heard */
	enum rollout_origin origin; /* FILE, or MEMBERS: nothing was read */
};

/*
 * Starts the worker. It reads the file `path`, which is borrowed. `id` is as
 * for settings_read(), and `self` is the node that this host is, where the file
 * names none. NULL if that fails; why there is no thread was logged.
 */
struct change_worker *change_worker_new(
    const char *path, node_id id, node_id self);

/* A descriptor that is readable once one of the change_worker_take_*() may have
 * a result. */
int change_worker_fd(const struct change_worker *worker);

/*
 * Begins a reading, if need be after the one under way: what was written before
 * this call is read. Returns its number, 1 or more. `is_forced` is for struct
 * read_files.
 */
uint64_t change_worker_read(struct change_worker *worker, bool is_forced);

/*
 * Begins to keep a document in the state directory, before the next reading.
 * Copies all. The caller waits for change_worker_take_kept() before it keeps
 * another. False without memory.
 */
bool change_worker_keep(struct change_worker *worker, const uint8_t *bytes,
    size_t size, const struct settings *settings);

/* True if the keeping has ended: *error is 0, or a negative errno, and then the
 * document is not kept. */
bool change_worker_take_kept(struct change_worker *worker, int *error);

/*
 * Takes the result of a reading, and its number. Returns false if there is none
 * yet. The caller calls read_files_done().
 */
bool change_worker_take_read(
    struct change_worker *worker, struct read_files *files, uint64_t *number);

/* Frees what was read and wipes the keys. */
void read_files_done(struct read_files *files);

/* Ends the worker. Waits until what is to be kept is on the disk, but never for
 * a reading that is under way, which frees all when it ends. NULL is
 * harmless. */
void change_worker_free(struct change_worker *worker);

#endif
