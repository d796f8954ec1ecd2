/* SPDX-License-Identifier: ISC */
/*
 * Worlds in cmocka's terms: a broken promise fails the case, and shows the
 * end of the trace.
 */
#ifndef ELECTD_TESTS_WORLD_WORLD_ASSERT_H
#define ELECTD_TESTS_WORLD_WORLD_ASSERT_H

#include "tests/world/world.h"

/* For world_setup.failed: fails the running case. */
void world_fails_case(struct world *w, const char *why);

/* A world of the bully like this; seed 1 if none; nothing runs yet. */
struct world *world_with(struct world_setup setup);

/* The plainest of this many nodes. */
struct world *world_plain(unsigned nodes);

/* The same, all started, and settled. */
struct world *world_settled_plain(unsigned nodes);

/* Does every running node take this one (NODE_NONE: none) as leader? */
bool world_follows(struct world *w, node_id leader);

/* Runs until that is so, and no longer than `limit`; then it must be. */
void assert_follows_within(struct world *w, node_id leader, nsec_t limit);

/* Every running node takes this one (NODE_NONE: none) as leader. */
void assert_leader(struct world *w, node_id leader);

/* Every running node took its leader for this reason, "died:5". */
void assert_reason(struct world *w, const char *reason);

/*
 * The lines of the trace that hold one of these words, separated by commas,
 * are exactly these; without their times, if these have none.
 */
void assert_trace(struct world *w, const char *words, const char *expected);

#endif
