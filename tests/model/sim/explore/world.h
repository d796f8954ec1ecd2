/* SPDX-License-Identifier: ISC */
/*
 * All systems of one kind and size, by number. The labels of nodes are their
 * ids: node i of a tree, a graph or a complete graph has id i + 1; a ring has
 * id 1 at position 0 and the others in every order.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_EXPLORE_WORLD_H
#define ELECTD_TESTS_MODEL_SIM_EXPLORE_WORLD_H

#include "tests/model/sim/explore/explore.h"

/* Gives how many numbers there are, from 0. */
uint64_t explore_worlds_count(
    enum topology kind, uint32_t nodes, bool with_lots);

/*
 * Makes the system of this number. *exists is false if there is none (a graph
 * that is not connected), and nothing to free. False: there is no memory.
 */
bool explore_world_make(struct explore_world *world, enum topology kind,
    uint32_t nodes, bool with_lots, uint64_t number, bool *exists);

/*
 * Count the ways to number all nodes' links, and put the links into one of
 * them; 0 is the graph as made. A ring has one way: its links are right and
 * left.
 */
uint64_t explore_orders_count(const struct explore_world *world);
void explore_world_order(struct explore_world *world, uint64_t number);

void explore_world_free(struct explore_world *world);

#endif
