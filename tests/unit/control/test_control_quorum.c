/* SPDX-License-Identifier: ISC */
/*
 * Answers under the guarantee "quorum": the missing voters, and waiting for a
 * majority. test_control_deadlines.c has the deadlines.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/lib/control_world.h"

#define LEADER    "{\"verb\":\"leader\"}\n"
#define IS_LEADER "{\"verb\":\"is-leader\"}\n"
#define STATUS    "{\"verb\":\"status\"}\n"
#define WAIT      "{\"verb\":\"wait\",\"for\":\"quorum\"}\n"
#define WATCH     "{\"verb\":\"watch\"}\n"

static void
assert_part(struct control_world *world, const char *line, const char *part)
{
	assert_has(ask_text(world, world->query, line), part);
}

#define CASE(name, world)                                                      \
	TEST(name, control_world_enter##world, control_world_leave)

CASE(status_names_the_missing_voters, _minority)
{
	static const char quorum[] =
	    "\"quorum\":{\"voters\":3,\"quorum\":2,\"votes\":1,\"missing\":["
	    "{\"id\":1,\"name\":\"web1\",\"why\":\"never-heard\"},"
	    "{\"id\":3,\"name\":\"web3\",\"why\":\"never-heard\"}]}";
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_part(world, STATUS, quorum);
	assert_part(
	    world, STATUS, "\"state_file\":\"sound\",\"has_vote\":true}");
	assert_part(world, STATUS, "\"is_voter\":true,\"votes\":false,");
	assert_part(world, STATUS, "\"state\":\"no-quorum\"");
	assert_part(world, LEADER, "\"leader\":null,");
	assert_part(world, LEADER, "\"state\":\"no-quorum\"");
	assert_part(world, IS_LEADER, "\"state\":\"no-quorum\"");
}

CASE(no_election_begins_without_a_quorum, _minority)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	control_world_pass(world, 10 * SEC);
	assert_string_equal(client_ask(world, fd, "{\"verb\":\"elect\"}\n"),
	    "{\"error\":\"no quorum: 1 of 3 voters heard, 2 needed\","
	    "\"code\":5}\n");
	close(fd);
}

CASE(a_node_without_a_state_file_misses_its_own_vote, _forgetful)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_part(world, STATUS,
	    "\"quorum\":{\"voters\":1,\"quorum\":1,\"votes\":0,\"missing\":["
	    "{\"id\":2,\"name\":\"web2\",\"why\":\"lost\"}]}");
	assert_part(
	    world, STATUS, "\"state_file\":\"lost\",\"has_vote\":false}");
	assert_part(world, LEADER, "\"leader\":null,");
}

CASE(a_sole_voter_misses_no_vote, _sole_voter)
{
	struct control_world *world = *state;

	assert_part(world, STATUS,
	    "\"quorum\":{\"voters\":1,\"quorum\":1,\"votes\":1,"
	    "\"missing\":[]}");
	assert_part(world, STATUS, "\"is_voter\":false,\"votes\":false,");
	assert_part(world, WAIT, "\"leader\":null,");
}

/* A notice only makes the daemon look again. */
CASE(a_wait_for_a_quorum_ends_when_there_is_one, _minority)
{
	const struct notice notice = { .kind = NOTICE_QUORUM, .on = true };
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	control_world_pass(world, 10 * SEC);
	assert_string_equal(client_ask(world, fd, WAIT), "");
	control_notice(world->control, &notice);
	assert_string_equal(client_hear(world, fd), "");
	close(fd);
}

CASE(quorum_and_state_file_become_events, _minority)
{
	static const struct {
		struct notice notice;
		const char *line;
	} rows[] = {
		{ { .kind = NOTICE_QUORUM },
		    "{\"event\":\"quorum\",\"on\":false,\"votes\":1,"
		    "\"quorum\":2,\"voters\":3,\"self\":2,\"mono_ns\":" },
		{ { .kind = NOTICE_QUORUM, .on = true },
		    "{\"event\":\"quorum\",\"on\":true," },
		{ { .kind = NOTICE_STATE_FILE,
		      .state_health = STATE_HEALTH_FAILED },
		    "{\"event\":\"memory\",\"state_file\":\"failed\",\"self\":2,"
		    "\"mono_ns\":" },
	};
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_ask(world, fd, WATCH);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		control_notice(world->control, &rows[i].notice);
		assert_has(client_hear(world, fd), rows[i].line);
	}
	close(fd);
}

/* When the daemon ends, the loop that would have answered has ended, too. */
CASE(a_wait_for_no_leader_is_answered_when_the_daemon_ends, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	control_world_pass(world, 10 * SEC);
	assert_string_equal(client_ask(world, fd,
				"{\"verb\":\"wait\",\"for\":\"no-leader\"}\n"),
	    "");
	node_stop(world->node, control_world_now());
	control_world_pass(world, SEC);
	assert_true(node_stopped(world->node));
	control_world_close(world);
	assert_has(client_hear(world, fd), "\"leader\":null,");
	close(fd);
}

CASE(component_has_no_quorum, )
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_part(world, STATUS, "\"quorum\":null,");
	assert_part(world, STATUS, "\"has_vote\":null}");
	assert_part(world, STATUS, "\"is_voter\":null,\"votes\":null,");
	assert_string_equal(ask_text(world, world->query, WAIT),
	    "{\"error\":\"wait quorum: this cluster has guarantee = "
	    "\\\"component\\\", which has no quorum\",\"code\":2}\n");
}
