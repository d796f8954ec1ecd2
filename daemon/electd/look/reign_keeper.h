/* SPDX-License-Identifier: ISC */
/*
 * Follows the leaders that this node sees, and has a worker keep the last of
 * them on the disk (daemon/state/reigns.h). The disk is written at most every
 * REIGN_GAP, however often the leader changes, and every REIGN_RETRY while it
 * fails; what comes meanwhile is written together. A disk that fails costs the
 * file, and nothing else.
 */
#ifndef ELECTD_DAEMON_ELECTD_LOOK_REIGN_KEEPER_H
#define ELECTD_DAEMON_ELECTD_LOOK_REIGN_KEEPER_H

#include "common/node/notice.h"
#include "daemon/control/control.h"
#include "daemon/system/loop/worker.h"

#define REIGN_GAP   (10 * SEC) /* a crash of the host costs no more */
#define REIGN_RETRY (60 * SEC) /* a full disk may have room again */

struct reign_keeper;

/* Reads what the node of these settings has kept, and borrows the worker. NULL
 * without memory. */
struct reign_keeper *reign_keeper_new(
    const struct settings *settings, struct worker *worker);

/* Takes a notice of any kind; `settings` name the nodes. `epoch` is the time
 * since 1970 at which the clock of the notice was 0. */
void reign_keeper_take(struct reign_keeper *keeper,
    const struct settings *settings, const struct notice *n, nsec_t epoch);

/* The leaders, for the control sockets; valid until reign_keeper_free(). NULL
 * without a keeper. */
const struct past_leaders *reign_keeper_leaders(
    const struct reign_keeper *keeper);

/* Call this after worker_free(): both write what is not on the disk yet. NULL
 * is harmless. */
void reign_keeper_free(struct reign_keeper *keeper);

#endif
