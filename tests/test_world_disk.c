/* SPDX-License-Identifier: ISC */
/* Elections under the guarantee "quorum", where promises go to slow disks. */
#include "tests/world_assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A promise says of a term all that must outlive a crash. */
static void
voters_write_their_promise_and_no_more(void **state)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });
	uint64_t before;

	(void)state;
	world_start_all(w);
	world_settle(w);
	before = w->counters.syncs;
	world_crash(w, 3);
	world_settle(w);
	assert_leader(w, 2);
	assert_int_equal(w->counters.syncs - before, 2);
	world_free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(voters_write_their_promise_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
