/* SPDX-License-Identifier: ISC */
/* A whole world: time goes on, faults happen, and it is to settle. */
#ifndef ELECTD_TESTS_MODEL_WORLD_DRIVE_DRIVE_H
#define ELECTD_TESTS_MODEL_WORLD_DRIVE_DRIVE_H

#include "tests/model/world/process/process.h"

/* Makes a world whose nodes do not run yet, and frees it. */
struct world *world_new(const struct world_setup *setup);
void world_free(struct world *w);

/* Time. Each function runs until the world halts at the latest. */
bool world_step(struct world *w);
void world_run(struct world *w, nsec_t duration);

/* Runs until `done`, which it calls after each event; false: not within
 * `limit`. */
bool world_run_until(
    struct world *w, bool (*done)(struct world *w), nsec_t limit);

/*
 * Runs until the world is settled, for at most world_bound() after the last
 * fault, and then for WORLD_CALM, in which nothing may change.
 */
void world_settle(struct world *w);

/* Runs until the world is settled, or until `until`; false: it is not
 * settled. */
bool world_settles(struct world *w, nsec_t until);

/* In a settled world a follower that is cut off and returns costs the leader
 * neither the lead nor its term (return.c). */
void world_check_return(struct world *w);

/*
 * Discovery (gather.c): runs until these hosts, a bit set, are one cluster: all
 * of them that run know each other, have one configuration, and follow the best
 * of them or one who led. Returns how long that took; NSEC_NEVER: not within
 * `limit`.
 */
nsec_t world_gather(struct world *w, unsigned hosts, nsec_t limit);

/* Discovery: true if all that run know those that run, and the voters, and
 * nobody else. */
bool world_knows_the_living(const struct world *w);

/* Gives how long after the last fault every component has decided, at most. */
nsec_t world_bound(const struct world *w);

/* In a settled world the command of `electctl run` soon runs where the leader
 * is, if it has time to end. */
void world_settle_runs(struct world *w);

/* Faults. */
void world_fault(struct world *w, const struct fault *fault);

/* Gives a fault in words, such as "crash 3". */
#define WORLD_FAULT_TEXT 96
const char *world_fault_text(const struct fault *f, char *text);

/* A disk loses all, or the settings alone, or has what it had some lives
 * ago; but not if nobody might ever lead again (forget.c). */
void world_forget(struct world *w, process_name name);
void world_lose_settings(struct world *w, process_name name);
void world_members_back(struct world *w, process_name name, unsigned lives);

/* An operator writes a later file: this one; any, by what is drawn (edit.c). */
void world_edit(struct world *w, const struct world_file *file);
void world_edit_any(struct world *w, process_name name, uint64_t draw);

/* Puts the algorithm of this number into a file, with a topology that suits it.
 * False if the world has none. */
bool world_edit_algorithm(
    const struct world *w, struct world_file *file, unsigned number);

#endif
