/* SPDX-License-Identifier: ISC */
/*
 * Sets of peers: what is in them is found, in its order.
 */
#include "tests/unit/group.h"

#include "common/util/peer_set.h"

static void
peer_set_are_found_in_their_order(void **state)
{
	static const unsigned members[] = { 0, 1, 63, 64, 127, 500, 1023 };
	struct peer_set marks = { { 0 } };
	unsigned at = 0;

	(void)state;
	assert_int_equal(peer_set_next(&marks, 0), NODES_MAX);
	for (size_t i = 0; i < 7; i++)
		peer_set_add(&marks, members[i]);
	peer_set_check(&marks, NODES_MAX);
	for (size_t i = 0; i < 7; i++) {
		at = peer_set_next(&marks, at);
		assert_int_equal(at++, members[i]);
	}
	assert_int_equal(peer_set_next(&marks, at), NODES_MAX);
}

static void
peer_set_come_and_go(void **state)
{
	struct peer_set marks = { { 0 } }, others = { { 0 } }, changed;

	(void)state;
	peer_set_add(&marks, 64);
	peer_set_add(&marks, 70);
	peer_set_add(&others, 70);
	assert_true(peer_set_has(&marks, 64));
	assert_false(peer_set_has(&marks, 65));
	changed = peer_set_changed(&marks, &others);
	assert_int_equal(peer_set_next(&changed, 0), 64);
	assert_int_equal(peer_set_next(&changed, 65), NODES_MAX);
	peer_set_remove(&marks, 64);
	peer_set_remove(&marks, 65);
	assert_int_equal(peer_set_next(&marks, 0), 70);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(peer_set_are_found_in_their_order),
	cmocka_unit_test(peer_set_come_and_go),
};

GROUP(tests);
