/* SPDX-License-Identifier: ISC */
/*
 * Announcements that a node with discovery drops. What it makes of others:
 * test_cluster_discovery.c.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

static struct stage s;

static int
enter(void **state)
{
	(void)state;
	stage_set(&s, 1);
	s.setups[0].discovery.is_on = true;
	stage_begin(&s, 3 * SEC);
	return 0;
}

static void
announce(bool is_quorum)
{
	const struct announce a = { .is_quorum = is_quorum, .name = "one" };
	uint8_t datagram[ANNOUNCE_BYTES];

	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_announce(&s.members[0], &a, datagram));
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(announcement_under_another_guarantee_is_dropped)
{
	announce(true);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 1);
	announce(false);
	assert_int_equal(stage_dropped(&s, 0, DROP_UNKNOWN), 1);
}

/* Each answer costs a seal. */
CASE(flood_of_announcements_is_limited)
{
	uint64_t dropped;

	for (unsigned i = 0; i < 1000; i++)
		announce(false);
	dropped = stage_dropped(&s, 0, DROP_RATE);
	assert_in_range(dropped, 490, 510);
	stage_run(&s, SEC);
	announce(false);
	assert_int_equal(stage_dropped(&s, 0, DROP_RATE), dropped);
}
