/* SPDX-License-Identifier: ISC */
/*
 * The helper, as electd sees it: starts lastwill, starts another when it ends,
 * and keeps the memory that both share (will.h). Without one electd goes on:
 * its death is noticed later, that is all. NULL for a helper is harmless
 * everywhere.
 */
#ifndef ELECTD_DAEMON_LASTWILL_HELPER_H
#define ELECTD_DAEMON_LASTWILL_HELPER_H

#include "daemon/config/settings.h"
#include "daemon/net/udp.h"

struct event_base;
struct helper;

/*
 * Starts it, to be watched by `base`, on the main thread. NULL if it cannot be
 * started, which has been logged.
 */
struct helper *helper_new(struct event_base *base,
    const struct settings *settings, const struct udp *udp);

/*
 * `in_order`: we have said goodbye, so it ends silently, and is waited for.
 * Otherwise it is to speak once this process has ended, and not before.
 */
void helper_free(struct helper *helper, bool in_order);

/* Performs an ACTION_WILL. */
void helper_take_will(struct helper *helper, const struct action *action);

/* To be called with node_handed_out() before a client is told. */
void helper_take_promise(struct helper *helper, nsec_t until);

/*
 * The loop runs: to be called before anything is heard or said, and again
 * within helper_beat_within(). True if the helper has taken us for dead, and
 * said so.
 */
bool helper_beat(struct helper *helper);
nsec_t helper_beat_within(const struct helper *helper); /* NSEC_NEVER: none */

#endif
