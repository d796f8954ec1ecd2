/* SPDX-License-Identifier: ISC */
/* The control sockets give the last leaders, all in one answer. */
#include "tests/unit/group.h"

#include <string.h>

#include "tests/lib/control_world.h"

#define ASK "{\"verb\":\"leaders\"}\n"

static struct past_leaders past;

/* The view has these from now on. */
static void
open_with(struct control_world *world, const struct past_leaders *leaders)
{
	control_world_close(world);
	world->view.leaders = leaders;
	control_world_open(world);
}

static void
add(const struct reign *reign)
{
	reigns_add(&past.reigns, reign);
}

static int
enter(void **state)
{
	memset(&past, 0, sizeof(past));
	return control_world_enter(state);
}

#define CASE(name) TEST(name, enter, control_world_leave)

CASE(a_node_without_a_file_knows_no_leaders)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->query, ASK),
	    "{\"self\":2,\"kept\":true,\"damaged\":false,\"failures\":0,\"leaders\":[]}\n");
}

CASE(leaders_are_told_with_all_keys_in_order)
{
	const struct reign first = {
		.wall = (nsec_t)1800000000 * SEC + 431 * MSEC,
		.leaderless = NSEC_NEVER,
		.leader = 9,
		.reason = { REASON_FORCED, NODE_NONE },
	};
	struct reign second = first;

	second.leaderless = 1500 * USEC;
	second.term = 8;
	second.reason = (struct reason){ REASON_DIED, 9 };
	strcpy(second.name, "web9");
	strcpy(second.reason_name, "old9");
	add(&first);
	add(&second);
	past.is_damaged = true;
	past.failures = 3;
	open_with(*state, &past);
	assert_string_equal(
	    ask_text(*state, ((struct control_world *)*state)->query, ASK),
	    "{\"self\":2,\"kept\":false,\"damaged\":true,\"failures\":3,\"leaders\":["
	    "{\"time\":\"2027-01-15T08:00:00.431Z\",\"id\":9,\"name\":null,\"term\":0,"
	    "\"reason\":\"forced\",\"reason_name\":null,\"leaderless_ms\":null},"
	    "{\"time\":\"2027-01-15T08:00:00.431Z\",\"id\":9,\"name\":\"web9\",\"term\":8,"
	    "\"reason\":\"died:9\",\"reason_name\":\"old9\",\"leaderless_ms\":1.5}]}\n");
}

/* Names of the greatest length, and numbers. */
CASE(two_hundred_leaders_are_one_answer)
{
	struct control_world *world;
	struct reign reign = {
		.wall = REIGN_WALL_MAX,
		.leaderless = NSEC_NEVER - 1,
		.term = TERM_MAX,
		.leader = NODE_ID_MAX,
		.reason = { REASON_STATE_FILE, NODE_ID_MAX },
	};
	const char *answer;

	memset(reign.name, 'x', NAME_MAX_BYTES - 1);
	memset(reign.reason_name, 'y', NAME_MAX_BYTES - 1);
	for (unsigned i = 0; i < REIGNS_MAX; i++)
		add(&reign);
	open_with(*state, &past);
	world = *state;
	answer = ask_text(world, world->query, ASK);
	assert_true(strlen(answer) > 200 * REIGNS_MAX);
	assert_true(strlen(answer) < 400 * REIGNS_MAX);
	assert_string_equal(answer + strlen(answer) - 3, "]}\n");
}
