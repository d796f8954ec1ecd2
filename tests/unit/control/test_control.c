/* SPDX-License-Identifier: ISC */
/*
 * The control sockets as their clients see them: answers, events, waiting and
 * permissions. test_control_limits.c has what clients must not do.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/lib/control_world.h"

#define LEADER "{\"verb\":\"leader\"}\n"

/* Reads the first line of `text`, and goes on to the next one. */
static json_t *
parse(const char **text)
{
	const char *end = strchr(*text, '\n');
	json_t *value;

	assert_non_null(end);
	value = json_loadb(*text, (size_t)(end - *text), 0, NULL);
	assert_non_null(value);
	*text = end + 1;
	return value;
}

static void
assert_keys(json_t *object, const char *expected)
{
	char keys[512] = "";
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		strncat(keys, keys[0] == '\0' ? "" : " ", 2);
		strncat(keys, key, sizeof(keys) - strlen(keys) - 1);
	}
	assert_string_equal(keys, expected);
}

static void
assert_text(json_t *object, const char *key, const char *expected)
{
	assert_string_equal(
	    json_string_value(json_object_get(object, key)), expected);
}

static void
assert_number(json_t *object, const char *key, json_int_t expected)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	assert_int_equal(
	    json_integer_value(json_object_get(object, key)), expected);
}

static void
assert_json_null(json_t *object, const char *key)
{
	assert_true(json_is_null(json_object_get(object, key)));
}

/* Asks one thing on a connection of its own; a new reference. */
static json_t *
ask(struct control_world *world, const char *path, const char *line)
{
	const char *text = ask_text(world, path, line);
	json_t *answer = parse(&text);

	assert_string_equal(text, "");
	return answer;
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(leader_has_exactly_its_keys_with_and_without_one)
{
	static const char keys[] =
	    "term token leader self role state guarantee "
	    "valid_ms until_boot_ns age_ms agree nodes "
	    "on_standby";
	struct control_world *world = *state;
	json_t *answer = ask(world, world->query, LEADER);

	assert_keys(answer, keys);
	assert_json_null(answer, "leader");
	assert_json_null(answer, "age_ms");
	assert_text(answer, "role", "none");
	assert_text(answer, "state", "starting");
	json_decref(answer);

	control_world_pass(world, 10 * SEC);
	answer = ask(world, world->query, LEADER);
	assert_keys(answer, keys);
	assert_keys(json_object_get(answer, "leader"), "id name address");
	assert_number(json_object_get(answer, "leader"), "id", WORLD_SELF);
	assert_text(answer, "role", "leader");
	assert_text(answer, "guarantee", "component");
	assert_json_null(answer, "valid_ms");
	assert_number(answer, "agree", 1);
	assert_number(answer, "nodes", WORLD_NODES);
	json_decref(answer);
}

CASE(every_verb_answers_with_all_its_keys)
{
	static const struct {
		const char *line;
		const char *keys;
	} rows[] = {
		{ "{\"verb\":\"is-leader\"}\n",
		    "is_leader term token leader self state guarantee valid_ms "
		    "until_boot_ns" },
		{ "{\"verb\":\"status\"}\n",
		    "verdict troubles cluster guarantee algorithm topology "
		    "config_version config_term file_config_version proposed term token leader role state reason reason_name "
		    "since_ms lease_ms age_ms agree reachable eligible nodes peers_up "
		    "quorum tree multicast discovery self node version uptime_ms peers" },
		{ "{\"verb\":\"stats\"}\n",
		    "uptime_ms sent received heartbeats resent elections "
		    "changes suspicions stalls messages term_messages dropped "
		    "control" },
		{ "{\"verb\":\"names\"}\n", "1 2 3" },
		{ "{\"verb\":\"key\"}\n",
		    "agree may_drop may_swap keys peers" },
		{ "{\"verb\":\"version\"}\n", "protocol version" },
	};
	struct control_world *world = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *answer = ask(world, world->query, rows[i].line);

		assert_keys(answer, rows[i].keys);
		json_decref(answer);
	}
}

CASE(peers_is_an_array_of_the_others)
{
	struct control_world *world = *state;
	json_t *answer = ask(world, world->query, "{\"verb\":\"peers\"}\n");

	assert_int_equal(json_array_size(answer), WORLD_NODES - 1);
	assert_number(json_array_get(answer, 0), "id", 1);
	assert_keys(json_array_get(answer, 1),
	    "id name address configured_role priority up evidence since_ms "
	    "heard_ms rtt_ms neighbour tree session duplicate differs other_version multicast behind older_file other_key "
	    "unresolved found_at incarnation is_voter votes eligible standby damped "
	    "version term "
	    "leader sent received resent");
	assert_text(json_array_get(answer, 1), "name", "web3");
	assert_json_null(json_array_get(answer, 1), "rtt_ms");
	json_decref(answer);
}

CASE(two_requests_in_one_write_are_both_answered_in_order)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	const char *text =
	    client_ask(world, fd, LEADER "{\"verb\":\"version\"}\n");
	json_t *first = parse(&text);
	json_t *second = parse(&text);

	assert_non_null(json_object_get(first, "term"));
	assert_text(second, "version", "0.0.1");
	assert_string_equal(text, "");
	json_decref(first);
	json_decref(second);
	close(fd);
}

CASE(a_request_in_single_bytes_is_answered_once_complete)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	for (size_t i = 0; i < strlen(LEADER) - 1; i++) {
		client_tell(world, fd, &LEADER[i], 1);
		assert_string_equal(client_hear(world, fd), "");
	}
	assert_non_null(strstr(client_ask(world, fd, "\n"), "\"term\""));
	close(fd);
}

/* With and without a newline at the end. */
CASE(a_client_that_closed_its_half_gets_its_answers)
{
	struct control_world *world = *state;

	for (size_t cut = 0; cut < 2; cut++) {
		int fd = client_connect(world->query);

		assert_true(send(fd, LEADER, strlen(LEADER) - cut, 0) > 0);
		assert_int_equal(shutdown(fd, SHUT_WR), 0);
		assert_non_null(strstr(client_hear(world, fd), "\"term\""));
		assert_true(client_is_cut_off(world, fd));
		close(fd);
	}
}

CASE(a_watcher_that_closed_its_half_goes_on_watching)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_tell(world, fd, "{\"verb\":\"watch\"}\n", 17);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_non_null(strstr(client_hear(world, fd), "\"state\""));
	control_world_pass(world, 10 * SEC);
	assert_non_null(strstr(client_hear(world, fd), "\"elected\""));
	close(fd);
}

CASE(watch_begins_with_the_state_and_sends_each_event)
{
	static const struct {
		const char *event;
		const char *keys;
	} rows[] = {
		{ "state",
		    "event term token leader previous self reason reason_name hands_over "
		    "mono_ns time" },
		{ "election",
		    "event term self reason reason_name mono_ns time" },
		{ "elected",
		    "event term leader self reason reason_name messages ms mono_ns time" },
		{ "leader",
		    "event term token leader previous self reason reason_name mono_ns time" },
	};
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	const char *text;

	client_tell(world, fd, "{\"verb\":\"watch\"}\n", 17);
	control_world_pass(world, 10 * SEC);
	text = client_hear(world, fd);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *event = parse(&text);

		assert_text(event, "event", rows[i].event);
		assert_keys(event, rows[i].keys);
		assert_number(event, "self", WORLD_SELF);
		json_decref(event);
	}
	assert_string_equal(text, "");
	close(fd);
}

CASE(notices_of_peers_become_events)
{
	static const struct {
		struct notice notice;
		const char *line;
	} rows[] = {
		{ { .kind = NOTICE_PEER_UP, .peer = 3 },
		    "{\"event\":\"peer-up\",\"peer\":3,\"self\":2," },
		{ { .kind = NOTICE_PEER_DOWN,
		      .peer = 3,
		      .evidence = EVIDENCE_BYE },
		    "{\"event\":\"peer-down\",\"peer\":3,\"self\":2,"
		    "\"evidence\":\"bye\"," },
		{ { .kind = NOTICE_DUPLICATE, .peer = 2, .on = true },
		    "{\"event\":\"duplicate\",\"peer\":2,\"self\":2,"
		    "\"on\":true," },
		{ { .kind = NOTICE_DIFFERS, .peer = 1 },
		    "{\"event\":\"differs\",\"peer\":1,\"self\":2,"
		    "\"on\":false," },
		{ { .kind = NOTICE_OTHER_VERSION, .peer = 1, .on = true },
		    "{\"event\":\"other-version\",\"peer\":1,\"self\":2,"
		    "\"on\":true," },
		{ { .kind = NOTICE_OTHER_KEY, .peer = 3, .on = true },
		    "{\"event\":\"other-key\",\"peer\":3,\"self\":2,"
		    "\"on\":true," },
	};
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_ask(world, fd, "{\"verb\":\"watch\"}\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text;

		control_notice(world->control, &rows[i].notice);
		text = client_hear(world, fd);
		assert_memory_equal(text, rows[i].line, strlen(rows[i].line));
	}
	close(fd);
}

CASE(notices_for_the_log_alone_become_no_events)
{
	static const enum notice_kind kinds[] = { NOTICE_STALLED,
		NOTICE_DROPPED, NOTICE_TRACE };
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_ask(world, fd, "{\"verb\":\"watch\"}\n");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct notice notice = { .kind = kinds[i] };

		control_notice(world->control, &notice);
		assert_string_equal(client_hear(world, fd), "");
	}
	close(fd);
}

CASE(a_limited_watch_ends_and_the_connection_goes_on)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_ask(world, fd, "{\"verb\":\"watch\",\"limit\":2}\n");
	assert_non_null(
	    strstr(client_ask(world, fd, LEADER), "already watches"));
	control_notice(world->control, &up);
	control_notice(world->control, &up);
	assert_int_equal(strchr(client_hear(world, fd), '\n')[1], '\0');
	assert_non_null(strstr(client_ask(world, fd, LEADER), "\"term\""));
	close(fd);
}

CASE(wait_is_answered_once_there_is_a_leader)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	assert_string_equal(client_ask(world, fd, "{\"verb\":\"wait\"}\n"), "");
	control_world_pass(world, 10 * SEC);
	assert_non_null(strstr(client_hear(world, fd), "\"role\":\"leader\""));
	assert_non_null(strstr(client_ask(world, fd, "{\"verb\":\"wait\"}\n"),
	    "\"role\":\"leader\""));
	assert_string_equal(client_ask(world, fd,
				"{\"verb\":\"wait\",\"for\":\"no-leader\"}\n"),
	    "");
	close(fd);
}

CASE(elect_is_for_the_admin_socket_and_watchers_see_it)
{
	struct control_world *world = *state;
	int watcher = client_connect(world->query);
	json_t *denied, *answer;

	control_world_pass(world, 10 * SEC);
	client_ask(world, watcher, "{\"verb\":\"watch\"}\n");
	denied = ask(world, world->query, "{\"verb\":\"elect\"}\n");
	assert_number(denied, "code", CODE_DENIED);
	assert_string_equal(client_hear(world, watcher), "");

	answer = ask(world, world->admin, "{\"verb\":\"elect\"}\n");
	assert_keys(answer, "ok term");
	assert_true(json_integer_value(json_object_get(answer, "term")) > 1);
	assert_non_null(strstr(client_hear(world, watcher), "\"forced"));
	json_decref(denied);
	json_decref(answer);
	close(watcher);
}
