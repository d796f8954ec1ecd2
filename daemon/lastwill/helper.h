/* SPDX-License-Identifier: ISC */
/*
 * electd's handle on its helper process, lastwill: starts it, starts another
 * when it ends, and fills the memory that both share (will.h). electd also runs
 * without a helper; then peers notice its death only after the detection time.
 * All functions accept NULL for a helper.
 */
#ifndef ELECTD_DAEMON_LASTWILL_HELPER_H
#define ELECTD_DAEMON_LASTWILL_HELPER_H

#include "common/node/node.h"
#include "daemon/config/settings.h"
#include "daemon/net/udp.h"

struct helper;

/*
 * Starts lastwill. Call this on the main thread. Borrows all arguments. Returns
 * NULL after logging that it cannot be started.
 */
struct helper *helper_new(const struct settings *settings,
    const struct will_rules *rules, const struct udp *udp);

/* Call this on SIGCHLD. If lastwill has ended, logs that, and has it started
 * again at helper_deadline(). This process has no children but lastwill, the
 * present one and those before helper_retire(). */
void helper_ended(struct helper *helper);

/* When to call helper_tend(); NSEC_NEVER while lastwill runs. */
nsec_t helper_deadline(const struct helper *helper);

/* Starts lastwill again when that is due. If it cannot, it sets the next
 * helper_deadline(). */
void helper_tend(struct helper *helper, nsec_t now);

/*
 * If `in_order`, our peers know that we stop: makes lastwill end silently, and
 * waits for that for at most a second. Otherwise lastwill announces our death
 * as soon as this process has ended.
 */
void helper_free(struct helper *helper, bool in_order);

/* Makes lastwill end silently, as another helper takes its place. Never waits
 * for that: a leader would fall silent if the host is busy. */
void helper_retire(struct helper *helper);

/* Performs an ACTION_WILL. */
void helper_take_will(struct helper *helper, const struct action *action);

/* Tells lastwill the last deadline of a client, node_handed_out(). Call this
 * before the client gets it. */
void helper_take_promise(struct helper *helper, nsec_t until);

/*
 * Tells lastwill that the loop runs. Call this before each input of the node,
 * and at least every helper_beat_within(), which is NSEC_NEVER without a
 * helper. Returns true if lastwill has announced our death since the last call.
 */
bool helper_beat(struct helper *helper);

/* The longest time between two calls of helper_beat(). */
nsec_t helper_beat_within(const struct helper *helper);

#endif
