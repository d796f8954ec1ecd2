/* SPDX-License-Identifier: ISC */
/* The control sockets of a node of a virtual tree: its place, and no election
 * before there is a tree. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/stage_view.h"

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;

static int
enter(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	stage_name(nodes, 3);
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("tree"),
		.shared.topology = TOPOLOGY_TREE,
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
	};
	stage_set(&s, 1);
	stage_path(&s);
	s.setups[0].algorithm = settings.shared.algorithm;
	stage_begin(&s, SEC / 2);
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

CASE(no_election_begins_before_there_is_a_tree)
{
	json_t *answer = ask("{\"verb\":\"elect\"}");

	assert_int_equal(
	    json_integer_value(json_object_get(answer, "code")), CODE_REFUSED);
	assert_string_equal(json_string_value(json_object_get(answer, "error")),
	    "the tree of the nodes is forming: try again in a second");
	json_decref(answer);
	stage_adopt(&s);
	answer = ask("{\"verb\":\"elect\"}");
	assert_true(json_is_true(json_object_get(answer, "ok")));
	json_decref(answer);
}

CASE(status_tells_the_place_in_the_tree)
{
	json_t *answer = ask("{\"verb\":\"status\"}"), *wanted;

	wanted = json_pack("{s:b,s:i,s:i,s:n,s:[]}", "forming", 1, "root", 2,
	    "level", 0, "parent", "children");
	assert_true(json_equal(json_object_get(answer, "tree"), wanted));
	json_decref(wanted);
	json_decref(answer);
	stage_adopt(&s);
	answer = ask("{\"verb\":\"status\"}");
	wanted = json_pack("{s:b,s:i,s:i,s:n,s:[i]}", "forming", 0, "root", 2,
	    "level", 0, "parent", "children", 1);
	assert_true(json_equal(json_object_get(answer, "tree"), wanted));
	json_decref(wanted);
	json_decref(answer);
}

CASE(peers_say_on_which_side_they_are)
{
	json_t *answer;

	stage_adopt(&s);
	answer = ask("{\"verb\":\"peers\"}");
	assert_string_equal(json_string_value(json_object_get(
				json_array_get(answer, 0), "tree")),
	    "child");
	assert_true(
	    json_is_null(json_object_get(json_array_get(answer, 1), "tree")));
	json_decref(answer);
}
