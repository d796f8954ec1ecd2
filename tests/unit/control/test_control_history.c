/* SPDX-License-Identifier: ISC */
/* The control sockets give the events of the node, a piece at a time. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/history/history.h"
#include "tests/lib/control_world.h"

/* Reads an answer to "history" from this event on into *h. */
static void
read_piece(struct control_world *world, struct histories *h, uint64_t from)
{
	char line[64], error[HISTORY_ERROR_MAX];
	const char *answer;

	snprintf(line, sizeof(line), "{\"verb\":\"history\",\"from\":%llu}\n",
	    (unsigned long long)from);
	answer = ask_text(world, world->query, line);
	if (!histories_read(h, answer, strlen(answer), error))
		fail_msg("%s in %s", error, answer);
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

/* The node is alone, elects itself and sends nothing. */
CASE(an_election_is_told_with_all_keys_in_order)
{
	struct control_world *world = *state;
	const char *answer;

	control_world_pass(world, 10 * SEC);
	answer = ask_text(world, world->query, "{\"verb\":\"history\"}\n");
	assert_has(answer, "{\"id\":2,\"name\":\"web2\",\"cluster\":\"web\","
			   "\"algorithm\":\"bully\",\"topology\":\"full\","
			   "\"kinds\":[\"ELECTION\",\"OK\",\"COORDINATOR\"],"
			   "\"incarnation\":7,\"clock\":\"ns\",\"epoch_ns\":");
	assert_has(answer, ",\"first\":1,\"last\":3,\"next\":null,\"events\":["
			   "{\"number\":1,\"at\":");
	assert_has(answer,
	    "\"kind\":\"starts\",\"term\":1,\"reason\":\"start:2\"},"
	    "{\"number\":2,");
	assert_has(answer, "\"kind\":\"decided\",\"term\":1,\"leader\":2,"
			   "\"reason\":\"start:2\"},{\"number\":3,");
	assert_has(answer, "\"kind\":\"leader\",\"term\":1,\"leader\":2,"
			   "\"reason\":\"start:2\"}]}\n");
}

CASE(a_new_node_has_no_events)
{
	struct control_world *world = *state;
	struct histories h = { 0 };

	read_piece(world, &h, 1);
	assert_int_equal(h.events_count, 0);
	assert_int_equal(h.nodes[0].first, 1);
	assert_int_equal(h.nodes[0].last, 0);
	histories_free(&h);
}

/* Makes elections until the node has more events than it keeps. */
static void
fill(struct control_world *world)
{
	control_world_pass(world, 10 * SEC);
	while (node_events(world->node)->count < EVENTS_MAX + 20) {
		assert_true(node_elect(world->node, control_world_now()) != 0);
		world->view.perform(world->view.context);
	}
}

CASE(a_long_history_comes_in_pieces)
{
	struct control_world *world = *state;
	struct histories h = { 0 };
	uint64_t last;

	fill(world);
	last = node_events(world->node)->count;
	read_piece(world, &h, 1);
	assert_int_equal(h.nodes[0].first, last - EVENTS_MAX + 1);
	assert_int_equal(h.nodes[0].count, HISTORY_PIECE_MAX);
	while (h.nodes[0].first + h.nodes[0].count <= last)
		read_piece(world, &h, h.nodes[0].first + h.nodes[0].count);
	assert_int_equal(h.nodes[0].count, EVENTS_MAX);
	assert_int_equal(h.nodes[0].last, last);
	histories_free(&h);
}

CASE(a_piece_beyond_the_end_is_empty)
{
	struct control_world *world = *state;
	struct histories h = { 0 };

	control_world_pass(world, 10 * SEC);
	read_piece(world, &h, 1000);
	assert_int_equal(h.events_count, 0);
	assert_int_equal(h.nodes[0].first, 4);
	assert_int_equal(h.nodes[0].last, 3);
	histories_free(&h);
}

CASE(an_event_below_1_is_refused)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->query,
				"{\"verb\":\"history\",\"from\":0}\n"),
	    "{\"error\":\"from: must be 1 or more\",\"code\":2}\n");
}

/* Each node has its own: to fetch one costs the others, too. */
CASE(history_of_a_node_is_for_the_admin_socket)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->query,
				"{\"verb\":\"history\",\"node\":2}\n"),
	    "{\"error\":\"node is for the admin socket\",\"code\":4}\n");
	assert_string_equal(ask_text(world, world->admin,
				"{\"verb\":\"history\",\"node\":0}\n"),
	    "{\"error\":\"node: must be 1 or more\",\"code\":2}\n");
}
