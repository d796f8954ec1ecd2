/* SPDX-License-Identifier: ISC */
/*
 * The control sockets of a node in a ring whose only live neighbour does not
 * take it: it is bypassed.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/stage_view.h"

/* By peers: the member is 0, the dead node 1. */
static const unsigned to_right[] = { 1, 0 }, to_left[] = { 0, 1 };

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;

static void
make_settings(void)
{
	stage_name(nodes, 3);
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("chang-roberts"),
		.shared.topology = TOPOLOGY_RING,
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
	};
}

static int
enter(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	make_settings();
	stage_set(&s, 1);
	s.setups[0].algorithm = settings.shared.algorithm;
	s.setups[0].topology = TOPOLOGY_RING;
	s.setups[0].ring.right = to_right;
	s.setups[0].ring.right_count = 2;
	s.setups[0].ring.left = to_left;
	s.setups[0].ring.left_count = 2;
	stage_begin(&s, 5 * SEC);
	return 0;
}

/* Asks with permission to steer; a new reference. */
static json_t *
ask(const char *line)
{
	struct control_view view = stage_view(&s, 0, &settings);

	return stage_ask(&view, true, line, NULL);
}

#define CASE(name) STAGE_CASE(name, enter, &s)

CASE(a_bypassed_node_says_so)
{
	json_t *answer = ask("{\"verb\":\"status\"}");

	assert_true(json_is_true(
	    json_object_get(json_object_get(answer, "node"), "bypassed")));
	json_decref(answer);
}

CASE(bypassed_node_begins_no_election)
{
	uint64_t term = stage_status(&s, 0).term;
	json_t *answer = ask("{\"verb\":\"elect\"}");

	assert_int_equal(
	    json_integer_value(json_object_get(answer, "code")), CODE_REFUSED);
	assert_string_equal(json_string_value(json_object_get(answer, "error")),
	    "this node is not part of the ring at present: ask a node that is");
	assert_int_equal(stage_status(&s, 0).term, term);
	json_decref(answer);
}

/* The neighbour is silent: a node that hears no other is a ring by itself. */
CASE(a_lone_node_of_a_ring_leads_and_knows_no_agreement)
{
	json_t *answer;

	s.is_beating = false;
	stage_run(&s, 5 * SEC);
	answer = ask("{\"verb\":\"status\"}");
	assert_string_equal(
	    json_string_value(json_object_get(answer, "state")), "leader");
	assert_true(json_is_null(json_object_get(answer, "agree")));
	assert_true(json_is_false(
	    json_object_get(json_object_get(answer, "node"), "bypassed")));
	json_decref(answer);
	answer = ask("{\"verb\":\"elect\"}");
	assert_true(json_is_true(json_object_get(answer, "ok")));
	json_decref(answer);
}
