/* SPDX-License-Identifier: ISC */
/* Which deadlines a watcher is sent, and when. The simulated worlds of the
 * tests call it, too. */
#ifndef ELECTD_DAEMON_CONTROL_ANSWERS_DEADLINE_PLAN_H
#define ELECTD_DAEMON_CONTROL_ANSWERS_DEADLINE_PLAN_H

#include "common/util/types.h"

/*
 * True if a watcher whose last deadline is `sent`, 0 if it has none, is to be
 * sent `until`, the latest that this leader can give; both on the clock of
 * `now`. `lease` is the length of the cluster's lease. A watcher that has no
 * deadline, or whose last one is over, gets none that ends soon: a program that
 * began on it would have to end again at once.
 */
bool deadline_is_due(nsec_t lease, nsec_t now, nsec_t sent, nsec_t until);

/* The time from one such question to the next. */
nsec_t deadline_look_gap(nsec_t lease);

#endif
