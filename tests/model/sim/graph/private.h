/* SPDX-License-Identifier: ISC */
/* The common parts of a graph's files. Only the files of this folder include
 * it. */
#ifndef ELECTD_TESTS_MODEL_SIM_GRAPH_PRIVATE_H
#define ELECTD_TESTS_MODEL_SIM_GRAPH_PRIVATE_H

#include "tests/model/sim/graph/graph.h"

/* Allocates the nodes and edges; `first` is all zero, `ends` is not. */
bool graph_allocate(
    struct graph *g, enum topology kind, uint32_t nodes, uint64_t edges);

#endif
