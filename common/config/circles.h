/* SPDX-License-Identifier: ISC */
/*
 * The links of a tree or graph that no file lists: a few circles, each through
 * all nodes in an order of its own. Hosts that know the same ids find the same
 * links (PROTOCOL.md, Discovery).
 *
 * As the union of random Hamiltonian cycles (Law and Siu, "Distributed
 * Construction of Random Expander Networks", INFOCOM 2003): it is connected,
 * its diameter is about the logarithm of the number of nodes, and a node that
 * comes or goes changes one place of each circle alone.
 */
#ifndef ELECTD_COMMON_CONFIG_CIRCLES_H
#define ELECTD_COMMON_CONFIG_CIRCLES_H

#include "common/config/config.h"

/* The link between two nodes, the lower id first. */
struct config_link config_link_of(node_id a, node_id b);

/* Below 0, 0 or above 0, as `a` sorts before, as, or after `b`. */
int config_link_compare(const void *a, const void *b);

/*
 * Writes the links of `count` different ids to `links`, which has room for
 * count * degree / 2. The degree, the links that a node has at most, is even
 * and at least 2. Returns how many there are, sorted, each once; or 0, which
 * stands for every pair, where the degree allows that.
 */
size_t circles(const node_id *ids, size_t count, unsigned degree,
    struct config_link *links);

#endif
