/* SPDX-License-Identifier: ISC */
/* Whatever a peer's messages say, each algorithm keeps its invariants. */
#include "tests/fuzz/feed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "algorithms/registry.h"
#include "common/util/random.h"

#define SCRIPTS 1500 /* of each algorithm */
#define SCRIPT  1500 /* bytes: some three hundred steps */

static void
instances_stand_any_message(void **state)
{
	const struct algorithm *const *wanted = *state;
	uint8_t script[SCRIPT];
	struct random random;

	random_init(&random, (uint64_t)(wanted - algorithms));
	for (unsigned i = 0; i < SCRIPTS; i++) {
		for (size_t j = 0; j < sizeof(script); j++)
			script[j] = (uint8_t)random_next(&random);
		script[0] = (uint8_t)(wanted - algorithms);
		feed_algorithms(script, sizeof(script));
	}
}

int
main(void)
{
	struct CMUnitTest tests[32];
	size_t count = 0;

	for (; algorithms[count] != NULL; count++) {
		assert(count < sizeof(tests) / sizeof(tests[0]));
		tests[count] = (struct CMUnitTest){
			.name = algorithms[count]->name,
			.test_func = instances_stand_any_message,
			.initial_state = (void *)(uintptr_t)&algorithms[count],
		};
	}
	return _cmocka_run_group_tests("algorithms", tests, count, NULL, NULL);
}
