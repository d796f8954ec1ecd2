/* SPDX-License-Identifier: ISC */
/*
 * electd's handle on its helper process, lastwill: starts it, starts another
 * when it ends, and fills the memory that both share (will.h). The memory lives
 * as long as electd, through all changes of the settings and all processes of
 * lastwill. While none runs, peers notice electd's death only after the
 * detection time.
 */
#ifndef ELECTD_DAEMON_LASTWILL_HELPER_H
#define ELECTD_DAEMON_LASTWILL_HELPER_H

#include "common/node/node.h"
#include "daemon/config/settings.h"
#include "daemon/net/udp.h"

struct helper;

/*
 * Makes the memory and starts lastwill; if that cannot be started, logs so and
 * tries it again at helper_deadline(). Call this on the main thread. Borrows
 * *udp. Returns NULL after logging that there is no memory.
 */
struct helper *helper_new(const struct settings *settings,
    const struct will_rules *rules, const struct udp *udp);

/*
 * Other settings come into effect: helper_take_will() leaves wills by them from
 * now on, and with helper_end_change() these take the place of those of before.
 * If electd dies in between, lastwill sends those of before.
 */
void helper_begin_change(struct helper *helper, const struct settings *settings,
    const struct will_rules *rules);
void helper_end_change(struct helper *helper);

/* Call this on SIGCHLD. If lastwill has ended, logs that, and has it started
 * again at helper_deadline(). Ends a lastwill that is stopped, which could send
 * no will. */
void helper_ended(struct helper *helper);

/* When to call helper_tend(); NSEC_NEVER while lastwill runs. */
nsec_t helper_deadline(const struct helper *helper);

/* Starts lastwill when that is due. If it cannot, it sets the next
 * helper_deadline(). */
void helper_tend(struct helper *helper, nsec_t now);

/*
 * Does nothing for NULL. If `in_order`, our peers know that we stop: makes
 * lastwill end silently, and waits for that for at most a second. Otherwise
 * lastwill announces our death as soon as this process has ended.
 */
void helper_free(struct helper *helper, bool in_order);

/* Performs an ACTION_WILL. */
void helper_take_will(struct helper *helper, const struct action *action);

/* Tells lastwill the last deadline of a client, node_handed_out(). Call this
 * before the client gets it. */
void helper_set_handed_out(struct helper *helper, nsec_t until);

/*
 * Tells lastwill that the loop runs. Call this before each input of the node,
 * and at least every helper_beat_within(). Returns true if lastwill has
 * announced our death since the last call.
 */
bool helper_beat(struct helper *helper);

/* The longest time between two calls of helper_beat(). */
nsec_t helper_beat_within(const struct helper *helper);

#endif
