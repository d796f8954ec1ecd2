/* SPDX-License-Identifier: ISC */
/* `members` and the verbs that change them, on the control sockets: who waits
 * for which change, and the answers to each end. */
#include "tests/unit/group.h"

#include <string.h>
#include <unistd.h>

#include "tests/lib/control_world.h"

#define ADD                                                                    \
	"{\"verb\":\"members-add\",\"id\":4,\"name\":\"web4\","                \
	"\"address\":\"h4:1\",\"role\":\"voter\",\"priority\":-2}\n"
#define REMOVE "{\"verb\":\"members-remove\",\"node\":\"web3\"}\n"
#define REPLACE                                                                \
	"{\"verb\":\"members-replace\",\"node\":\"3\",\"address\":\"h3:9\"}\n"

static struct membership last;
static struct member_change taken; /* its texts are in `texts` */
static char texts[64];
static bool is_busy;
static bool is_judged; /* `last` has its end */

static uint64_t
on_begin(void *context, const struct operation *operation)
{
	const struct member_change *change = &operation->change;

	(void)context;
	assert_int_equal(operation->kind, OPERATION_MEMBERS);
	if (is_busy)
		return 0;
	taken = *change;
	snprintf(texts, sizeof(texts), "%s %s %s",
	    change->name != NULL ? change->name : "-",
	    change->address != NULL ? change->address : "-",
	    change->role != NULL ? change->role : "-");
	last.change.number++;
	is_judged = false;
	last.kind = change->kind;
	return last.change.number;
}

static bool
on_has_ended(void *context, enum operation_kind kind, uint64_t number,
    struct outcome *outcome)
{
	(void)context;
	assert_int_equal(kind, OPERATION_MEMBERS);
	outcome->members = &last;
	return is_judged || last.change.number > number;
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
	last = (struct membership){ .becomes.config_version = 0 };
	is_busy = false;
	return 0;
}

/* The change was judged: `node` is to be in effect, or is to be no more. */
static void
judge(struct control_world *world, enum proposal_end end, const char *lines,
    struct config_node node)
{
	static char copy[64];

	snprintf(copy, sizeof(copy), "%s", lines);
	last.change.end = end;
	last.change.lines = copy;
	is_judged = true;
	last.node = node;
	last.becomes.config_version = world->settings.shared.config_version + 1;
	control_operation_ended(world->control);
	control_world_turn(world);
}

/* Other settings are in effect, in which web3 is as it is here. */
static void
take_effect(struct control_world *world)
{
	world->settings.shared.config_version++;
	control_operation_ended(world->control);
	control_world_turn(world);
}

#define CASE(name) TEST(name, enter, control_world_leave)

CASE(the_members_are_those_of_the_settings)
{
	struct control_world *world = *state;

	world->settings.shared.config_version = 5;
	assert_string_equal(
	    ask_text(world, world->query, "{\"verb\":\"members\"}\n"),
	    "{\"config_version\":5,\"file_config_version\":0,\"self\":2,\"members\":["
	    "{\"id\":1,\"name\":\"web1\",\"address\":\"192.0.2.11:7420\","
	    "\"configured_role\":\"candidate\",\"priority\":0},"
	    "{\"id\":2,\"name\":\"web2\",\"address\":\"192.0.2.12:7420\","
	    "\"configured_role\":\"candidate\",\"priority\":0},"
	    "{\"id\":3,\"name\":\"web3\",\"address\":\"192.0.2.13:7420\","
	    "\"configured_role\":\"candidate\",\"priority\":0}]}\n");
}

CASE(the_configuration_is_what_hosts_share)
{
	struct control_world *world = *state;
	const char *answer =
	    ask_text(world, world->query, "{\"verb\":\"config\"}\n");

	assert_has(answer, "{\"config_version\":0,\"lines\":[\"cluster = ");
	assert_has(answer, "\"  { id = 3; name = \\\"web3\\\"; ");
	assert_null(strstr(answer, "key_file"));
}

CASE(a_change_is_taken_as_it_was_given)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->admin, ADD), "");
	assert_int_equal(taken.kind, MEMBER_ADD);
	assert_int_equal(taken.id, 4);
	assert_int_equal(taken.priority, -2);
	assert_false(taken.is_forced);
	assert_string_equal(texts, "web4 h4:1 voter");
	assert_string_equal(ask_text(world, world->admin, REMOVE), "");
	assert_int_equal(taken.kind, MEMBER_REMOVE);
	assert_int_equal(taken.id, 3);
	assert_string_equal(ask_text(world, world->admin, REPLACE), "");
	assert_int_equal(taken.kind, MEMBER_REPLACE);
	assert_int_equal(taken.id, 3);
	assert_string_equal(texts, "- h3:9 -");
}

CASE(a_voter_that_is_not_heard_comes_by_force)
{
	struct control_world *world = *state;

	assert_string_equal(
	    ask_text(world, world->admin,
		"{\"verb\":\"members-add\",\"id\":4,\"force\":true}\n"),
	    "");
	assert_true(taken.is_forced);
}

CASE(the_answer_comes_when_the_change_is_in_effect)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	assert_string_equal(client_ask(world, fd, REPLACE), "");
	judge(world, PROPOSAL_PROPOSED, "", world->nodes[2]);
	assert_string_equal(client_hear(world, fd), "");
	take_effect(world);
	assert_string_equal(client_hear(world, fd),
	    "{\"ok\":true,\"change\":\"replaced\",\"id\":3,\"name\":\"web3\","
	    "\"address\":\"192.0.2.13:7420\",\"config_version\":1,\"file_config_version\":0,\"spare\":null}\n");
	assert_string_equal(client_ask(world, fd, REMOVE), "");
	judge(world, PROPOSAL_DONE, "", world->nodes[2]);
	world->settings.shared.nodes_count--;
	take_effect(world);
	assert_has(client_hear(world, fd), "\"change\":\"removed\"");
	world->settings.shared.nodes_count++;
	close(fd);
}

/* The settings that are in effect instead have web3 as it was. */
CASE(client_that_comes_second_is_told)
{
	static const char told[] =
	    "{\"error\":\"members: another change came first, config version 1: try again\",\"code\":6}\n";
	struct control_world *world = *state;
	struct config_node moved = world->nodes[2];
	int fd = client_connect(world->admin);

	strcpy(moved.address, "h3:9");
	assert_string_equal(client_ask(world, fd, REPLACE), "");
	judge(world, PROPOSAL_PROPOSED, "", moved);
	take_effect(world);
	assert_string_equal(client_hear(world, fd), told);
	world->settings.shared.config_version = 0;
	assert_string_equal(client_ask(world, fd, REMOVE), "");
	judge(world, PROPOSAL_PROPOSED, "", world->nodes[2]);
	take_effect(world);
	assert_string_equal(client_hear(world, fd), told);
	close(fd);
}

CASE(each_refusal_says_why)
{
	static const struct {
		enum proposal_end end;
		const char *answer;
	} rows[] = {
		{ PROPOSAL_WRONG,
		    "{\"error\":\"members: the configuration is wrong; nothing has changed\",\"code\":8,\"details\":[\"a\",\"b\"]}\n" },
		{ PROPOSAL_TOO_FAR,
		    "{\"error\":\"members: more than one voter comes, goes or changes compared with the settings in effect: change one at a time, and wait until each change is in effect; nothing has changed\",\"code\":6,\"details\":[\"a\",\"b\"]}\n" },
		{ PROPOSAL_UNHEARD,
		    "{\"error\":\"members: this node does not hear the new voter: start electd there first, or give --force; nothing has changed\",\"code\":6,\"details\":[\"a\",\"b\"]}\n" },
		{ PROPOSAL_FAILED,
		    "{\"error\":\"members: an address cannot be applied; nothing has changed\",\"code\":6,\"details\":[\"a\",\"b\"]}\n" },
	};
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(client_ask(world, fd, ADD), "");
		judge(world, rows[i].end, "a\nb\n", world->nodes[2]);
		assert_string_equal(client_hear(world, fd), rows[i].answer);
	}
	close(fd);
}

/* The change has lost its place to a later one, and does not know its end. */
CASE(a_change_that_another_one_follows_has_an_unknown_end)
{
	struct control_world *world = *state;
	int fd = client_connect(world->admin);

	assert_string_equal(client_ask(world, fd, ADD), "");
	assert_string_equal(ask_text(world, world->admin, REMOVE), "");
	control_operation_ended(world->control);
	assert_has(client_hear(world, fd), "\"code\":7");
	close(fd);
}

CASE(what_no_node_can_do_is_refused_at_once)
{
	static const struct {
		const char *request;
		const char *answer;
	} rows[] = {
		{ "{\"verb\":\"members-remove\",\"node\":\"web9\"}\n",
		    "unknown node \\\"web9\\\"; nodes: web1, web2, web3\",\"code\":2" },
		{ "{\"verb\":\"members-remove\"}\n", "\"code\":2" },
		{ "{\"verb\":\"members-remove\",\"node\":\"web2\"}\n",
		    "web2 is this node itself: ask another\",\"code\":6" },
		{ "{\"verb\":\"members-replace\",\"node\":\"2\"}\n",
		    "web2 is this node itself: ask another\",\"code\":6" },
		{ "{\"verb\":\"members-add\",\"id\":\"4\"}\n", "\"code\":2" },
		{ "{\"verb\":\"members-add\",\"node\":4}\n", "\"code\":2" },
		{ "{\"verb\":\"members-remove\",\"node\":3}\n", "\"code\":2" },
	};
	struct control_world *world = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_has(ask_text(world, world->admin, rows[i].request),
		    rows[i].answer);
	is_busy = true;
	assert_has(ask_text(world, world->admin, ADD),
	    "members: another change is proposed, and not yet in effect\",\"code\":6");
	assert_int_equal(last.change.number, 0);
}

CASE(a_node_that_cannot_speak_for_the_cluster_refuses)
{
	struct control_world *world = *state;

	world->settings.shared.neighbours_only = true;
	assert_has(ask_text(world, world->admin, ADD),
	    "knows only its neighbours: see CHANGING A CLUSTER");
	world->settings.shared.neighbours_only = false;
	node_stop(world->node, control_world_now());
	assert_has(ask_text(world, world->admin, ADD),
	    "this node is stopping: ask another\",\"code\":6");
}

CASE(the_query_socket_changes_nothing)
{
	static const char *const requests[] = { ADD, REMOVE, REPLACE };
	struct control_world *world = *state;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		assert_has(
		    ask_text(world, world->query, requests[i]), "\"code\":4");
	assert_int_equal(last.change.number, 0);
}
