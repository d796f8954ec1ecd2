/* SPDX-License-Identifier: ISC */
/*
 * The list of nodes of a cluster with discovery: whom it names, forgets and
 * renews, and which config version it has then. Node 2 leads, and 1 follows it.
 */
#include "algorithms/registry.h"
#include "common/host/nodes.h"
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORGET (20 * SEC)

static struct stage s;
static struct nodes nodes;
static struct config running, list;
static struct config_node own;

static struct config_node
entry(node_id id, const char *name, const char *address)
{
	struct config_node node = { .id = id, .is_discovered = true };

	snprintf(node.name, sizeof(node.name), "%s", name);
	snprintf(node.address, sizeof(node.address), "%s", address);
	return node;
}

static void
place(struct config *config)
{
	void *memory = calloc(1, config_size(8, 0));

	assert_non_null(memory);
	config_place(config, memory, 8, 0);
}

/* Nodes 1 and 2 are in effect, and both were discovered. */
static int
begin(void)
{
	s.is_granting = true;
	quorum_begin(&s, 5 * SEC);
	running = (struct config){
		.guarantee = GUARANTEE_COMPONENT,
		.algorithm = &algorithm_bully,
		.discovers = true,
		.config_version = 3,
		.config_term = 7,
	};
	place(&running);
	place(&list);
	running.nodes[0] = entry(1, "one", "192.0.2.1:7420");
	running.nodes[1] = own = entry(2, "two", "192.0.2.2:7420");
	running.nodes_count = 2;
	nodes = (struct nodes){ .met_count = 0 };
	return 0;
}

static int
enter(void **state)
{
	(void)state;
	quorum_set(&s);
	return begin();
}

static int
leave(void **state)
{
	(void)state;
	free(running.nodes);
	free(list.nodes);
	stage_strike(&s);
	return 0;
}

static bool
look(void)
{
	stage_run(&s, NODES_PAUSE);
	return nodes_look(&nodes, s.nodes[0], s.now, &running, &own);
}

/* Makes the list. True if it is another one. */
static bool
make(void)
{
	bool has_changed;

	config_copy(&list, &running);
	has_changed = nodes_list(&nodes, s.nodes[0], s.now, &own, &list);
	config_complete(&list);
	assert_true(list.config_term == 0);
	assert_int_equal(nodes.met_count, 0);
	return has_changed;
}

static void
meet(node_id id, const char *name, const char *address, bool is_next)
{
	struct joiner joiner = { .id = id, .is_next = is_next };

	snprintf(joiner.name, sizeof(joiner.name), "%s", name);
	nodes_meet(&nodes, &joiner, address);
}

#define CASE(name) TEST(name, enter, leave)

CASE(host_that_met_nobody_keeps_the_list)
{
	assert_false(look());
	assert_false(make());
	assert_int_equal(list.nodes_count, 2);
	assert_int_equal(list.revision, 0);
}

/* The first one counts: a second may be a copy, from elsewhere. */
CASE(host_names_whom_it_met_once)
{
	meet(9, "nine", "192.0.2.9:7420", true);
	meet(9, "copy", "192.0.2.66:7420", true);
	assert_true(look());
	assert_true(make());
	assert_int_equal(list.nodes_count, 3);
	assert_string_equal(list.nodes[2].address, "192.0.2.9:7420");
	assert_string_equal(list.nodes[2].name, "nine");
	assert_int_equal(list.revision, 1);
	assert_false(make());
}

/* Others announce themselves again. */
CASE(host_meets_no_more_than_it_has_room_for)
{
	for (node_id id = 9; id < 9 + NODES_MET_MAX + 1; id++)
		meet(id, "", "192.0.2.9:7420", true);
	assert_int_equal(nodes.met_count, NODES_MET_MAX);
}

CASE(node_that_is_nowhere_is_not_named)
{
	meet(9, "nine", "", true);
	assert_false(make());
	assert_int_equal(list.nodes_count, 2);
}

/* One with later settings gives the revision. */
CASE(list_that_is_to_lose_keeps_its_revision)
{
	meet(9, "nine", "192.0.2.9:7420", false);
	assert_true(make());
	assert_int_equal(list.nodes_count, 3);
	assert_int_equal(list.revision, 0);
}

CASE(host_that_moved_says_where_it_is)
{
	snprintf(own.address, sizeof(own.address), "192.0.2.8:7420");
	own.priority = 5;
	assert_true(look());
	assert_true(make());
	assert_string_equal(list.nodes[1].address, "192.0.2.8:7420");
	assert_string_equal(list.nodes[1].name, "two");
	assert_int_equal(list.nodes[1].priority, 5);
	assert_int_equal(list.revision, 1);
	running.nodes[1] = list.nodes[1];
	assert_false(look());
}

/* The settings in effect do not name it. */
CASE(list_of_a_file_keeps_the_node_of_this_host)
{
	config_copy(&list, &running);
	running.nodes_count = 1;
	nodes_follow(&list, &running, 2);
	assert_int_equal(list.nodes_count, 2);
	assert_int_equal(list.nodes[1].id, 2);
}

/* What this host says of itself counts. */
CASE(nobody_is_met_where_this_host_is)
{
	meet(9, "nine", "192.0.2.2:7420", true);
	meet(8, "eight", "192.0.2.8:7420", true);
	assert_true(make());
	assert_int_equal(list.nodes_count, 3);
	assert_int_equal(list.nodes[2].id, 8);
}

/* A node that was discovered there is elsewhere, or gone; one that a file lists
 * is not. */
CASE(host_that_moved_takes_the_place_of_who_was_there)
{
	snprintf(own.address, sizeof(own.address), "192.0.2.1:7420");
	assert_true(look());
	assert_true(make());
	assert_int_equal(list.nodes_count, 1);
	assert_int_equal(list.nodes[0].id, 2);
	assert_string_equal(list.nodes[0].address, "192.0.2.1:7420");
	running.nodes[0].is_discovered = false;
	assert_false(look());
}

CASE(host_takes_a_name_that_is_free)
{
	snprintf(own.name, sizeof(own.name), "one");
	assert_false(look());
	snprintf(own.name, sizeof(own.name), "best");
	assert_true(look());
	assert_true(make());
	assert_string_equal(list.nodes[1].name, "best");
}

/* A node that a file does not list never votes. */
CASE(voter_is_as_its_file_lists_it)
{
	running.guarantee = GUARANTEE_QUORUM;
	running.nodes[1].is_discovered = false;
	own.priority = 7;
	assert_false(look());
	running.nodes[1].is_discovered = true;
	assert_true(look());
	assert_true(make());
	assert_int_equal(list.nodes[1].role, ROLE_OBSERVER);
	assert_int_equal(list.nodes[1].priority, 7);
}

/* Others may have a list by which it is right. */
CASE(host_without_a_leader_does_not_say_where_it_is)
{
	own.priority = 5;
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_false(look());
}

/* Observers 3 and 4 were discovered, and never run. */
static int
enter_with_two_gone(void **state)
{
	(void)state;
	static struct peer_setup peers[3];

	quorum_set(&s);
	peers[0] = s.setups[0].peers[0];
	for (node_id id = 3; id <= 4; id++)
		peers[id - 2] =
		    (struct peer_setup){ .id = id, .role = ROLE_OBSERVER };
	peers[0].is_configured = true;
	s.setups[0].peers = peers;
	s.setups[0].peers_count = 3;
	s.setups[0].discovery.is_on = true;
	s.setups[0].discovery.forget = FORGET;
	return begin();
}

/* Each list is a configuration, so many that are gone must not be many
 * configurations. */
TEST(nodes_that_are_gone_are_forgotten_at_once, enter_with_two_gone, leave)
{
	running.nodes[2] = entry(3, "three", "192.0.2.3:7420");
	running.nodes[3] = entry(4, "four", "192.0.2.4:7420");
	running.nodes_count = 4;
	assert_false(look());
	stage_run(&s, FORGET);
	assert_true(look());
	assert_true(make());
	assert_int_equal(list.nodes_count, 2);
	assert_int_equal(list.nodes[1].id, 2);
	assert_int_equal(list.revision, 1);
}

/* Others announce themselves again. */
CASE(host_meets_so_many_until_its_next_list)
{
	for (unsigned i = 0; i <= NODES_MET_MAX; i++)
		meet(100 + i, "", "nowhere", true);
	assert_int_equal(nodes.met_count, NODES_MET_MAX);
	assert_int_equal(
	    nodes.met[NODES_MET_MAX - 1].node.id, 99 + NODES_MET_MAX);
}

CASE(node_without_a_valid_address_is_not_listed)
{
	meet(9, "nine", "192.0.2.9", true);
	assert_true(look());
	assert_false(make());
	assert_int_equal(list.nodes_count, 2);
}

/* This host's node was discovered, and the file lists node 1 alone. */
CASE(list_by_a_file_has_who_was_discovered_and_this_host)
{
	running.nodes[0].is_discovered = false;
	running.nodes[1] = entry(4, "four", "192.0.2.4:7420");
	running.revision = 6;
	config_copy(&list, &running);
	list.nodes[1] = own;
	nodes_follow(&list, &running, own.id);
	assert_int_equal(list.nodes_count, 3);
	assert_int_equal(list.nodes[0].id, 1);
	assert_int_equal(list.nodes[1].id, 4);
	assert_int_equal(list.nodes[2].id, own.id);
	assert_int_equal(list.revision, 6);
}
