/* SPDX-License-Identifier: ISC */
#include "algorithms/registry.h"

#include <string.h>

const struct algorithm *const algorithms[] = {
	&algorithm_bully,
	&algorithm_bully_broadcast,
	&algorithm_lelann,
	&algorithm_chang_roberts,
	&algorithm_hirschberg_sinclair,
	&algorithm_ring_list,
	&algorithm_tree,
	&algorithm_tree_echo,
	&algorithm_floodmax,
	&algorithm_traversal,
	&algorithm_extinction,
	NULL,
};

const struct algorithm *
algorithm_find(const char *name)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (strcmp(algorithms[i]->name, name) == 0)
			return algorithms[i];
	}
	return NULL;
}
