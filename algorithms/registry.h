/* SPDX-License-Identifier: ISC */
/* The table of election algorithms: one file each, one row each. */
#ifndef ELECTD_ALGORITHMS_REGISTRY_H
#define ELECTD_ALGORITHMS_REGISTRY_H

#include "common/election/algorithm.h"

extern const struct algorithm algorithm_bully;
extern const struct algorithm algorithm_bully_broadcast;
extern const struct algorithm algorithm_lelann;
extern const struct algorithm algorithm_chang_roberts;
extern const struct algorithm algorithm_hirschberg_sinclair;
extern const struct algorithm algorithm_ring_list;
extern const struct algorithm algorithm_tree;
extern const struct algorithm algorithm_tree_echo;
extern const struct algorithm algorithm_floodmax;
extern const struct algorithm algorithm_traversal;
extern const struct algorithm algorithm_extinction;

/* Every algorithm, in the order of `electd -A`; NULL at the end. */
extern const struct algorithm *const algorithms[];

/* The algorithm of this name, as electd.conf has it; NULL if there is none. */
const struct algorithm *algorithm_find(const char *name);

#endif
