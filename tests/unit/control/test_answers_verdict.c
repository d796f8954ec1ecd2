/* SPDX-License-Identifier: ISC */
/* The verdict of `status`, and the troubles that it rests on. */

#include "tests/unit/group.h"

#include "daemon/control/answers.h"
#include "tests/lib/control_world.h"

#define STATUS "{\"verb\":\"status\"}\n"

static void
assert_begins(struct control_world *world, const char *part)
{
	const char *text = ask_text(world, world->query, STATUS);
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "{%s,\"cluster\":\"web\"", part);
	assert_memory_equal(text, wanted, strlen(wanted));
}

static void
a_node_that_listens_is_starting(void **state)
{
	assert_begins(*state,
	    "\"verdict\":\"starting\",\"troubles\":["
	    "{\"id\":1,\"name\":\"web1\",\"why\":\"never-heard\"},"
	    "{\"id\":3,\"name\":\"web3\",\"why\":\"never-heard\"}]");
}

static void
a_leader_without_the_others_is_degraded(void **state)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_begins(world,
	    "\"verdict\":\"degraded\",\"troubles\":["
	    "{\"id\":1,\"name\":\"web1\",\"why\":\"never-heard\"},"
	    "{\"id\":3,\"name\":\"web3\",\"why\":\"never-heard\"}]");
}

static void
a_minority_has_no_leader(void **state)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_begins(world,
	    "\"verdict\":\"no-leader\",\"troubles\":["
	    "{\"id\":1,\"name\":\"web1\",\"why\":\"never-heard\"},"
	    "{\"id\":3,\"name\":\"web3\",\"why\":\"never-heard\"}]");
}

static void
a_node_without_its_state_file_has_a_trouble_itself(void **state)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_begins(world,
	    "\"verdict\":\"no-leader\",\"troubles\":["
	    "{\"id\":2,\"name\":\"web2\",\"why\":\"lost\"},"
	    "{\"id\":1,\"name\":\"web1\",\"why\":\"never-heard\"},"
	    "{\"id\":3,\"name\":\"web3\",\"why\":\"never-heard\"}]");
}

#define CASE(name, world)                                                      \
	cmocka_unit_test_setup_teardown(                                       \
	    name, control_world_enter##world, control_world_leave)

static const struct CMUnitTest tests[] = {
	CASE(a_node_that_listens_is_starting, ),
	CASE(a_leader_without_the_others_is_degraded, ),
	CASE(a_minority_has_no_leader, _minority),
	CASE(a_node_without_its_state_file_has_a_trouble_itself, _forgetful),
};

GROUP(tests);
