/* SPDX-License-Identifier: ISC */
/*
 * Sets of peers: a set gives back what it holds, in its order.
 */
#include "tests/unit/group.h"

#include "common/util/peer_set.h"

TEST(peers_are_found_in_their_order)
{
	static const unsigned members[] = { 0, 1, 63, 64, 127, 500, 1023 };
	struct peer_set set = { .used = 0 };
	unsigned at = 0;

	assert_int_equal(peer_set_next(&set, 0), NODES_MAX);
	for (size_t i = 0; i < 7; i++)
		peer_set_add(&set, members[i]);
	peer_set_check(&set, NODES_MAX);
	for (size_t i = 0; i < 7; i++) {
		at = peer_set_next(&set, at);
		assert_int_equal(at++, members[i]);
	}
	assert_int_equal(peer_set_next(&set, at), NODES_MAX);
}

TEST(peers_come_and_go)
{
	struct peer_set set = { .used = 0 }, others = { .used = 0 }, changed;

	peer_set_add(&set, 64);
	peer_set_add(&set, 70);
	peer_set_add(&others, 70);
	assert_true(peer_set_has(&set, 64));
	assert_false(peer_set_has(&set, 65));
	changed = peer_set_changed(&set, &others);
	assert_int_equal(peer_set_next(&changed, 0), 64);
	assert_int_equal(peer_set_next(&changed, 65), NODES_MAX);
	peer_set_remove(&set, 64);
	peer_set_remove(&set, 65);
	assert_int_equal(peer_set_next(&set, 0), 70);
}

TEST(one_set_joins_and_leaves_another)
{
	struct peer_set set = { .used = 0 }, others = { .used = 0 };

	peer_set_add(&set, 64);
	peer_set_add(&others, 65);
	peer_set_add(&others, 1023);
	peer_set_join(&set, &others);
	assert_int_equal(peer_set_next(&set, 0), 64);
	assert_int_equal(peer_set_next(&set, 65), 65);
	peer_set_remove(&set, 64);
	peer_set_remove(&set, 65);
	assert_int_equal(peer_set_next(&set, 0), 1023);
	peer_set_add(&set, 500);
	peer_set_leave(&set, &others);
	assert_int_equal(peer_set_next(&set, 0), 500);
	assert_int_equal(peer_set_next(&set, 501), NODES_MAX);
}
