/* SPDX-License-Identifier: ISC */
/* Worlds whose hosts know nobody at first (PROTOCOL.md, Discovery). */
#ifndef ELECTD_TESTS_LIB_STRANGERS_H
#define ELECTD_TESTS_LIB_STRANGERS_H

#include "tests/model/world/assert/world_assert.h"

#define STRANGERS_FORGET (20 * SEC) /* a node that is gone is forgotten then */

/* Makes a world with discovery: see world_discover(). */
struct world *strangers(
    struct world_setup setup, unsigned voters, unsigned degree);

/* Starts a process that knows nobody, and all of them up to this one. */
void strangers_start(struct world *w, process_name name);
void strangers_start_to(struct world *w, process_name last);

/* Sets how many datagrams in a thousand get lost. */
void strangers_lose(struct world *w, unsigned loss);

/* Asserts that all become one cluster; that a process knows `count` nodes, with
 * its own. */
void assert_gather(struct world *w, nsec_t limit);
void assert_knows(const struct world *w, process_name name, unsigned count);

/* A host comes or goes, or is cut off from others. Those of `keeping`, a bit
 * set, come with what they knew; others perhaps do not, or as another node. */
void strangers_come_or_go(
    struct world *w, struct random *random, unsigned keeping);

/* All hosts run and hear each other; those of `keeping` know whom they knew. */
void strangers_mend(struct world *w, unsigned keeping);

#endif
