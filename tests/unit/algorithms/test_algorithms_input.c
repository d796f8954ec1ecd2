/* SPDX-License-Identifier: ISC */
/* Each algorithm keeps its invariants, whatever a peer's messages contain. */
#include "tests/model/fuzz/feed.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "common/util/random.h"

#define SCRIPTS 1500 /* of each algorithm */
#define SCRIPT  1500 /* bytes: some three hundred steps */

static void
feed_random_scripts(size_t algorithm)
{
	uint8_t script[SCRIPT];
	struct random random;

	random_init(&random, algorithm);
	for (unsigned i = 0; i < SCRIPTS; i++) {
		for (size_t j = 0; j < sizeof(script); j++)
			script[j] = (uint8_t)random_next(&random);
		script[0] = (uint8_t)algorithm;
		feed_algorithms(script, sizeof(script));
	}
}

TEST(instances_survive_any_message)
{
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		print_message("%s\n", algorithms[i]->name);
		feed_random_scripts(i);
	}
}
