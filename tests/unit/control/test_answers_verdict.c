/* SPDX-License-Identifier: ISC */
/* The verdict of `status`, and the troubles that it rests on. */

#include "tests/unit/group.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/control/answers/answers.h"
#include "tests/lib/control_world.h"
#include "tests/lib/stage_quorum.h"
#include "tests/lib/stage_view.h"

#define STATUS "{\"verb\":\"status\"}\n"

/* Writes a verdict and its troubles as "VERDICT WHY ID:WHY ...", where the
 * trouble of no node has no id. */
static void
assert_told(const json_t *answer, const char *wanted)
{
	const json_t *trouble;
	char said[256];
	size_t size, i;

	size = (size_t)snprintf(said, sizeof(said), "%s",
	    json_string_value(json_object_get(answer, "verdict")));
	json_array_foreach(json_object_get(answer, "troubles"), i, trouble)
	{
		const json_t *id = json_object_get(trouble, "id");
		const json_t *name = json_object_get(trouble, "name");
		const char *why =
		    json_string_value(json_object_get(trouble, "why"));
		char node[16] = "", known[16] = "web";

		assert_int_equal(json_is_null(id), json_is_null(name));
		if (json_is_integer(id)) {
			snprintf(node, sizeof(node),
			    "%d:", (int)json_integer_value(id));
			strncat(known, node, strcspn(node, ":"));
			assert_string_equal(json_string_value(name), known);
		}
		size += (size_t)snprintf(
		    said + size, sizeof(said) - size, " %s%s", node, why);
		assert_true(size < sizeof(said));
	}
	assert_string_equal(said, wanted);
}

static void
assert_status(struct control_world *world, const char *wanted)
{
	json_t *answer =
	    json_loads(ask_text(world, world->query, STATUS), 0, NULL);

	assert_non_null(answer);
	assert_told(answer, wanted);
	json_decref(answer);
}

#define CASE(name, world)                                                      \
	TEST(name, control_world_enter##world, control_world_leave)

CASE(a_node_that_listens_is_starting, )
{
	assert_status(*state, "starting 1:never-heard 3:never-heard");
}

CASE(a_leader_without_the_others_is_degraded, )
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_status(
	    world, "degraded one-candidate 1:never-heard 3:never-heard");
}

/* The others have never been candidates. */
CASE(a_leader_that_has_no_successor_by_its_settings_is_ok, )
{
	struct control_world *world = *state;

	world->nodes[0].role = world->nodes[2].role = ROLE_VOTER;
	control_world_pass(world, 10 * SEC);
	assert_status(world, "degraded 1:never-heard 3:never-heard");
}

/* The host has met no other node, so by its settings none is missing. */
CASE(lone_host_of_a_cluster_that_is_expected_to_be_larger_is_degraded,
    _sole_voter)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	world->settings.shared.nodes = &world->nodes[1];
	world->settings.shared.nodes_count = 1;
	world->settings.expected = 1;
	assert_status(world, "ok");
	world->settings.expected = 2;
	assert_status(world, "degraded few-nodes");
	world->settings.shared.nodes = world->nodes;
	world->settings.shared.nodes_count = WORLD_NODES;
}

CASE(a_minority_has_no_leader, _minority)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_status(world, "no-leader 1:never-heard 3:never-heard");
}

CASE(a_node_without_its_state_file_has_a_trouble_itself, _forgetful)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_status(world, "no-leader 2:lost 1:never-heard 3:never-heard");
}

/* An operator has something to do about the file. */
CASE(a_file_that_is_not_in_effect_is_a_trouble, )
{
	struct control_world *world = *state;

	world->settings.shared.config_version = 5;
	world->settings.file_config_version = 4;
	assert_status(
	    world, "starting 2:older-file 1:never-heard 3:never-heard");
	world->settings.file_config_version = 6;
	assert_status(
	    world, "starting 2:newer-file 1:never-heard 3:never-heard");
}

static int error;

static int
on_unkept(void *context)
{
	(void)context;
	return error;
}

/* The peers have what this host cannot keep: they are not behind. */
CASE(host_that_cannot_keep_settings_has_a_trouble_itself, )
{
	struct control_world *world = *state;

	control_world_close(world);
	world->view.unkept = on_unkept;
	control_world_open(world);
	error = -ENOSPC;
	assert_status(
	    world, "starting 2:disk-full 1:never-heard 3:never-heard");
	error = -EROFS;
	assert_status(world, "starting 2:not-kept 1:never-heard 3:never-heard");
	error = 0;
	assert_status(world, "starting 1:never-heard 3:never-heard");
}

/* Node 2 leads with the vote of member 1; node 3 has never been there. */
TEST(quorum_that_survives_no_failure_is_degraded)
{
	static struct stage s;
	struct config_node nodes[3];
	struct settings settings = {
		.shared.guarantee = GUARANTEE_QUORUM,
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
	};
	struct control_view view;
	struct node_status status;
	json_t *o = json_object();

	stage_name(nodes, 3);
	quorum_set(&s);
	s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	view = stage_view(&s, 0, &settings);
	status = stage_status(&s, 0);
	put_verdict(&o, &view, &status);
	assert_told(o, "degraded no-spare 3:never-heard");
	json_decref(o);
	stage_strike(&s);
}

static enum change_step step;

static bool
on_proposed(void *context, struct proposed *proposal)
{
	(void)context;
	*proposal = (struct proposed){ 7, 5, step };
	return true;
}

static void
assert_proposed(
    struct control_world *world, enum change_step is, const char *waits_for)
{
	char wanted[96];

	step = is;
	snprintf(wanted, sizeof(wanted),
	    "\"proposed\":{\"config_version\":7,\"revision\":5,\"waits_for\":\"%s\"}",
	    waits_for);
	assert_has(ask_text(world, world->query, STATUS), wanted);
}

CASE(what_a_proposal_waits_for_is_told, _sole_voter)
{
	struct control_world *world = *state;

	assert_has(ask_text(world, world->query, STATUS), "\"proposed\":null");
	control_world_close(world);
	world->view.proposed = on_proposed;
	control_world_open(world);
	assert_proposed(world, STEP_NOT_OURS, "leader");
	control_world_pass(world, 10 * SEC);
	assert_proposed(world, STEP_NOT_OURS, "step");
	assert_proposed(world, STEP_READY, "step");
	assert_proposed(world, STEP_UNSETTLED, "majority");
	assert_proposed(world, STEP_UNHEARD, "voters");
	assert_proposed(world, STEP_RESIGN, "successor");
}
