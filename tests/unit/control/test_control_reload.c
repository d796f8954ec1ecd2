/* SPDX-License-Identifier: ISC */
/* `reload` on the control sockets: who waits for which reload, and the answers
 * to each end. */
#include "tests/unit/group.h"

#include <string.h>
#include <unistd.h>

#include "tests/lib/control_world.h"

#define RELOAD "{\"verb\":\"reload\"}\n"

static uint64_t begun; /* the number that begin() gives */
static bool is_forced; /* the last reload */
static struct reload last;

static uint64_t
on_begin(void *context, const struct operation *operation)
{
	(void)context;
	assert_int_equal(operation->kind, OPERATION_RELOAD);
	is_forced = operation->is_forced;
	return begun;
}

static bool
on_has_ended(void *context, enum operation_kind kind, uint64_t number,
    struct outcome *outcome)
{
	(void)context;
	assert_int_equal(kind, OPERATION_RELOAD);
	outcome->reload = &last;
	return last.number >= number;
}

static int
enter(void **state)
{
	struct control_world *world;
	int status = control_world_enter(state);

	if (status != 0)
		return status;
	world = *state;
	world->view.begin = on_begin;
	world->view.has_ended = on_has_ended;
	control_world_close(world);
	control_world_open(world);
	begun = 1;
	last = (struct reload){ .number = 0 };
	return 0;
}

static void
end(struct control_world *world, uint64_t number, enum proposal_end how,
    const char *lines)
{
	static char copy[64];

	if (lines != NULL)
		memcpy(copy, lines, strlen(lines) + 1);
	last.number = number;
	last.end = how;
	last.lines = lines != NULL ? copy : NULL;
	control_operation_ended(world->control);
	control_world_turn(world);
}

#define CASE(name) TEST(name, enter, control_world_leave)

struct row {
	enum proposal_end end;
	const char *lines;
	const char *answer;
};

static void
expect_answers(
    struct control_world *world, const struct row *rows, size_t count)
{
	int fd = client_connect(world->admin);

	for (size_t i = 0; i < count; i++) {
		begun = i + 1;
		assert_string_equal(client_ask(world, fd, RELOAD), "");
		end(world, begun, rows[i].end, rows[i].lines);
		assert_string_equal(client_hear(world, fd), rows[i].answer);
	}
	close(fd);
}

CASE(answer_lists_what_is_in_effect)
{
	static const struct row rows[] = {
		{ PROPOSAL_NOTHING, "",
		    "{\"ok\":true,\"changed\":[],\"older\":false,\"proposed\":false,\"leader\":null}\n" },
		{ PROPOSAL_DONE, "a\nb\n",
		    "{\"ok\":true,\"changed\":[\"a\",\"b\"],\"older\":false,\"proposed\":false,\"leader\":null}\n" },
		{ PROPOSAL_DONE, NULL,
		    "{\"ok\":true,\"changed\":[],\"older\":false,\"proposed\":false,\"leader\":null}\n" },
	};

	expect_answers(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

CASE(answer_says_why_nothing_has_changed)
{
	static const struct row rows[] = {
		{ PROPOSAL_TOO_FAR, "node 4\n",
		    "{\"error\":\"reload: more than one voter comes, goes or changes compared with the settings in effect: change one at a time, and wait until each change is in effect; nothing has changed\","
		    "\"code\":6,\"details\":[\"node 4\"]}\n" },
		{ PROPOSAL_PROMOTES, "role of 4\n",
		    "{\"error\":\"reload: an observer cannot become a voter: remove it first, then add it; nothing has changed\","
		    "\"code\":6,\"details\":[\"role of 4\"]}\n" },
		{ PROPOSAL_WRONG, "web.conf:1: x\xff\n",
		    "{\"error\":\"reload: the configuration is wrong; nothing has changed\","
		    "\"code\":8,\"details\":[\"web.conf:1: x?\"]}\n" },
		{ PROPOSAL_RESTART, "id\n",
		    "{\"error\":\"reload: a restart of this daemon is needed; nothing has changed\","
		    "\"code\":6,\"details\":[\"id\"]}\n" },
		{ PROPOSAL_CLUSTER, "prefer\n",
		    "{\"error\":\"reload: all hosts must agree on this: raise config_version, or see CHANGING A CLUSTER in electd-operating(7); nothing has changed\","
		    "\"code\":6,\"details\":[\"prefer\"]}\n" },
		{ PROPOSAL_FAILED, NULL,
		    "{\"error\":\"reload: an address cannot be applied; nothing has changed\","
		    "\"code\":6,\"details\":[]}\n" },
	};

	expect_answers(*state, rows, sizeof(rows) / sizeof(rows[0]));
}

/* A script goes on with what is in effect, unless it says that it does not
 * wait. */
CASE(reload_waits_until_the_leader_has_put_it_into_effect)
{
	struct control_world *world = *state;
	int waits = client_connect(world->admin);
	int does_not = client_connect(world->admin);

	assert_string_equal(client_ask(world, waits, RELOAD), "");
	assert_string_equal(client_ask(world, does_not,
				"{\"verb\":\"reload\",\"wait\":false}\n"),
	    "");
	end(world, begun, PROPOSAL_PROPOSED, "prefer\n");
	assert_string_equal(client_hear(world, does_not),
	    "{\"ok\":true,\"changed\":[\"prefer\"],\"older\":false,\"proposed\":true,\"leader\":null}\n");
	assert_string_equal(client_hear(world, waits), "");
	end(world, begun, PROPOSAL_DONE, "prefer\n");
	assert_string_equal(client_hear(world, waits),
	    "{\"ok\":true,\"changed\":[\"prefer\"],\"older\":false,\"proposed\":false,\"leader\":null}\n");
	close(waits);
	close(does_not);
}

CASE(only_an_operator_forces_a_reload)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->admin, RELOAD), "");
	assert_false(is_forced);
	assert_string_equal(ask_text(world, world->admin,
				"{\"verb\":\"reload\",\"force\":true}\n"),
	    "");
	assert_true(is_forced);
	assert_has(ask_text(world, world->admin,
		       "{\"verb\":\"reload\",\"force\":1}\n"),
	    "\"code\":2");
}

CASE(an_older_file_is_told)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	last.is_older = true;
	assert_string_equal(client_ask(world, fd, RELOAD), "");
	end(world, begun, PROPOSAL_DONE, "a\n");
	assert_string_equal(client_hear(world, fd),
	    "{\"ok\":true,\"changed\":[\"a\"],\"older\":true,\"proposed\":false,\"leader\":null}\n");
	close(fd);
}

/* What was written before the request may not be in the reading under way. */
CASE(a_request_waits_for_a_reload_that_begins_after_it)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	begun = 3;
	assert_string_equal(client_ask(world, fd, RELOAD), "");
	end(world, 2, PROPOSAL_NOTHING, "");
	assert_string_equal(client_hear(world, fd), "");
	end(world, 3, PROPOSAL_DONE, "x\n");
	assert_has(client_hear(world, fd), "\"changed\":[\"x\"]");
	close(fd);
}

CASE(the_query_socket_reloads_nothing)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	assert_has(client_ask(world, fd, RELOAD), "\"code\":4");
	close(fd);
}
