/* SPDX-License-Identifier: ISC */
/*
 * All systems of one kind and size, by number. Labelled ones, with the ids as
 * labels: node i of a tree, a graph or a complete graph has id i + 1; a ring
 * has id 1 at position 0 and the others in every order.
 */
#ifndef ELECTD_TESTS_SIM_EXPLORE_WORLD_H
#define ELECTD_TESTS_SIM_EXPLORE_WORLD_H

#include "tests/sim/explore.h"

/* How many numbers there are, from 0. */
uint64_t explore_worlds_count(
    enum topology kind, uint32_t nodes, bool with_lots);

/*
 * Makes the one of this number; *exists is false where the number stands for
 * none (a graph that is not connected), and then there is none to free. False
 * when there is no memory.
 */
bool explore_world_make(struct explore_world *world, enum topology kind,
    uint32_t nodes, bool with_lots, uint64_t number, bool *exists);

/*
 * The ways to number all nodes' links, and the one of this number; 0 is that
 * of the graph as made. A ring has one: its links are right and left.
 */
uint64_t explore_orders_count(const struct explore_world *world);
void explore_world_order(struct explore_world *world, uint64_t number);

void explore_world_free(struct explore_world *world);

#endif
