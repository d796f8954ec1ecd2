/* SPDX-License-Identifier: ISC */
/*
 * Checks of worlds for cmocka. A broken promise fails the case, and prints the
 * end of the trace.
 */
#ifndef ELECTD_TESTS_MODEL_WORLD_WORLD_ASSERT_H
#define ELECTD_TESTS_MODEL_WORLD_WORLD_ASSERT_H

#include "tests/model/world/drive/drive.h"

/* Fails the running case; for world_setup.failed. */
void world_fails_case(struct world *w, const char *why);

/* Makes a world of the bully with this setup, with seed 1 unless it has one, in
 * which nothing runs yet. A broken promise fails the case unless the setup says
 * otherwise. */
struct world *world_with(struct world_setup setup);

/* Starts all nodes, and lets them settle. */
void world_begin(struct world *w);

/* Makes such a world with this many nodes and nothing else set. */
struct world *world_plain(unsigned nodes);

/* The same, and begins it. */
struct world *world_settled_plain(unsigned nodes);

/* A case of a test whose worlds are freed at its end. */
#define WORLD(name) TEST(name, NULL, worlds_end)
int worlds_end(void **state);

/* Frees a world before that. */
void world_end(struct world *w);

/* True if every running node has this leader (NODE_NONE: none). */
bool world_follows(struct world *w, node_id leader);

/* Runs until every running node has this leader; fails if that takes longer
 * than `limit`. */
void assert_follows_within(struct world *w, node_id leader, nsec_t limit);

/* Asserts that every running node has this leader (NODE_NONE: none). */
void assert_leader(struct world *w, node_id leader);

/* Lets all settle first. */
void assert_settles_on(struct world *w, node_id leader);

/* Asserts that every running node took its leader for this reason, "died:5". */
void assert_reason(struct world *w, const char *reason);

/*
 * Asserts that these are exactly the lines of the trace that hold one of these
 * words, separated by commas. The lines are compared without their times if
 * these have none.
 */
void assert_trace(struct world *w, const char *words, const char *expected);

#endif
