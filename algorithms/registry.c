/* SPDX-License-Identifier: ISC */
#include "algorithms/registry.h"

#include <string.h>

const struct algorithm *const algorithms[] = {
	&algorithm_bully,
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
