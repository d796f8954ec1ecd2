/* SPDX-License-Identifier: ISC */
/*
 * Clients that hold what they do as the leader: they are told that the node is
 * to stop, and give their deadlines back, so that it need not wait for them.
 * test_control_deadlines.c has who is given deadlines.
 */
#include "tests/unit/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/control_world.h"

#define IS_LEADER "{\"verb\":\"is-leader\",\"deadline\":true}\n"
#define STATUS    "{\"verb\":\"status\"}\n"
#define WATCH     "{\"verb\":\"watch\"}\n"
#define HOLD      "{\"verb\":\"watch\",\"holds\":true}\n"
#define RELEASE   "{\"verb\":\"release\",\"until_boot_ns\":9007199254740991}\n"
#define LEAVE     "{\"verb\":\"release\",\"leaves\":true}\n"

#define CASE(name)                                                             \
	TEST(name, control_world_enter_sole_voter, control_world_leave)

/* A client that holds, and has a deadline. */
static int
client_holds(struct control_world *world)
{
	int fd = client_connect(world->query);

	control_world_pass(world, 10 * SEC);
	assert_has(client_ask(world, fd, HOLD), "\"event\":\"deadline\"");
	return fd;
}

/* True if a node that was told to stop waits for no deadline. */
static bool
stops_at_once(struct control_world *world)
{
	control_world_pass(world, 200 * MSEC);
	return node_stopped(world->node);
}

CASE(client_that_holds_is_told_and_ends_the_wait)
{
	struct control_world *world = *state;
	int fd = client_holds(world);

	node_stop(world->node, control_world_now());
	assert_false(stops_at_once(world));
	assert_has(client_hear_in_time(world, fd),
	    "{\"event\":\"handover\",\"self\":2,\"on\":true,");
	assert_has(client_ask(world, fd, RELEASE), "{\"released\":true}\n");
	assert_true(stops_at_once(world));
	close(fd);
}

/* Each of them may work yet. */
CASE(nobody_gives_back_what_another_client_was_given)
{
	struct control_world *world = *state;
	int first = client_holds(world);
	int second = client_holds(world);

	assert_has(client_hear_in_time(world, first), "deadline");
	node_stop(world->node, control_world_now());
	assert_has(client_ask(world, first, RELEASE), "released");
	assert_false(stops_at_once(world));
	assert_has(client_ask(world, second, RELEASE), "released");
	assert_true(stops_at_once(world));
	close(first);
	close(second);
}

CASE(deadline_of_an_answer_is_never_given_back)
{
	struct control_world *world = *state;
	int fd = client_holds(world);

	assert_has(
	    ask_text(world, world->query, IS_LEADER), "\"is_leader\":true");
	node_stop(world->node, control_world_now());
	assert_has(client_ask(world, fd, RELEASE), "released");
	assert_false(stops_at_once(world));
	close(fd);
}

CASE(client_that_leaves_delays_no_handover)
{
	struct control_world *world = *state;
	int fd = client_holds(world);

	assert_string_equal(
	    client_ask(world, fd, LEAVE), "{\"released\":true}\n");
	control_world_pass(world, 1 * SEC);
	assert_string_equal(client_hear_in_time(world, fd), "");
	close(fd);
	node_stop(world->node, control_world_now());
	assert_true(stops_at_once(world));
}

/* The client will not act by what it has not read. */
CASE(client_that_leaves_gives_all_deadlines_back)
{
	struct control_world *world = *state;
	int fd = client_holds(world);

	control_world_pass(world, 1 * SEC);
	close(client_connect(world->query));
	control_world_turn(world);
	node_stop(world->node, control_world_now());
	assert_int_equal(write(fd, LEAVE, strlen(LEAVE)), strlen(LEAVE));
	close(fd);
	control_world_turn(world);
	assert_true(stops_at_once(world));
}

/* What it began may go on without it. */
CASE(client_that_holds_and_goes_gives_nothing_back)
{
	struct control_world *world = *state;
	int fd = client_holds(world);
	int gone = client_holds(world);

	assert_has(client_hear_in_time(world, fd), "deadline");
	close(gone);
	control_world_turn(world);
	node_stop(world->node, control_world_now());
	assert_has(client_ask(world, fd, RELEASE), "released");
	assert_false(stops_at_once(world));
	close(fd);
}

/* The limit of its watch is reached, but not what it does as the leader. */
CASE(client_that_watches_no_more_gives_nothing_back)
{
	struct control_world *world = *state;
	int over = client_connect(world->query), fd;

	control_world_pass(world, 10 * SEC);
	assert_has(client_ask(world, over,
		       "{\"verb\":\"watch\",\"holds\":true,\"limit\":2}\n"),
	    "\"event\":\"deadline\"");
	fd = client_connect(world->query);
	assert_has(client_ask(world, fd, HOLD), "\"event\":\"deadline\"");
	node_stop(world->node, control_world_now());
	assert_has(client_ask(world, fd, RELEASE), "{\"released\":true}");
	assert_false(stops_at_once(world));
	close(over);
	close(fd);
}

/* The node has lost the lead because it stalled. The first client has been told
 * so, the second gives back what it was given before. */
CASE(deadline_outlasts_the_lead_that_was_lost)
{
	struct control_world *world = *state;
	int first = client_holds(world);
	int second = client_holds(world);

	assert_has(client_hear_in_time(world, first), "deadline");
	control_world_sleep(WORLD_LEASE / 3);
	assert_int_equal(
	    write(second, RELEASE, strlen(RELEASE)), strlen(RELEASE));
	control_world_pass(world, 0);
	assert_has(client_hear(world, first), "\"event\":\"no-leader\"");
	assert_has(client_hear(world, second), "{\"released\":true}");
	assert_true(node_handed_out(world->node) > control_world_now());
	close(first);
	close(second);
}

/* The client has not read the deadline that the daemon has just sent. */
CASE(deadline_that_was_not_read_is_not_given_back)
{
	struct control_world *world = *state;
	int fd = client_holds(world);
	nsec_t until = node_handed_out(world->node);
	char line[80];

	snprintf(line, sizeof(line),
	    "{\"verb\":\"release\",\"leaves\":false,\"until_boot_ns\":%" PRIu64
	    "}\n",
	    until - 1);
	node_stop(world->node, control_world_now());
	assert_has(client_ask(world, fd, line), "{\"released\":false}");
	assert_false(stops_at_once(world));
	snprintf(line, sizeof(line),
	    "{\"verb\":\"release\",\"until_boot_ns\":%" PRIu64 "}\n", until);
	assert_has(client_ask(world, fd, line), "{\"released\":true}");
	assert_true(stops_at_once(world));
	assert_has(client_ask(world, fd, "{\"verb\":\"release\"}\n"),
	    "release: until_boot_ns must be");
	assert_has(client_ask(world, fd,
		       "{\"verb\":\"release\",\"until_boot_ns\":-1}\n"),
	    "release: until_boot_ns must be");
	close(fd);
}

CASE(client_that_does_not_hold_cannot_release)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	assert_has(ask_text(world, world->query, RELEASE),
	    "release: this connection holds nothing: watch with \\\"holds\\\" first");
	assert_has(client_ask(world, fd, WATCH), "state");
	assert_has(client_ask(world, fd, RELEASE), "already watches or waits");
	close(fd);
	fd = client_holds(world);
	assert_has(client_ask(world, fd, STATUS), "already watches or waits");
	close(fd);
}
