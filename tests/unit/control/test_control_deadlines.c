/* SPDX-License-Identifier: ISC */
/*
 * Deadlines under the guarantee "quorum": which requests get one and which do
 * not, and that no answer is older than its request.
 */
#include "tests/unit/group.h"

#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "tests/lib/control_world.h"

#define LEADER    "{\"verb\":\"leader\",\"deadline\":true}\n"
#define IS_LEADER "{\"verb\":\"is-leader\",\"deadline\":true}\n"
#define STATUS    "{\"verb\":\"status\"}\n"
#define WAIT      "{\"verb\":\"wait\",\"for\":\"quorum\"}\n"
#define FOR_ONE   "{\"verb\":\"wait\"}\n"
#define WATCH     "{\"verb\":\"watch\"}\n"
#define STATS     "{\"verb\":\"stats\"}\n"
#define HOLD      "{\"verb\":\"watch\",\"holds\":true}\n"
#define NOBODY    65534
#define DEADLINES "{\"verb\":\"watch\",\"deadlines\":true}\n"

/* A new reference. */
static json_t *
ask(struct control_world *world, const char *line)
{
	json_t *answer =
	    json_loads(ask_text(world, world->query, line), 0, NULL);

	assert_non_null(answer);
	return answer;
}

static void
assert_part(struct control_world *world, const char *line, const char *part)
{
	assert_has(ask_text(world, world->query, line), part);
}

static json_int_t
number(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

#define CASE(name, world)                                                      \
	TEST(name, control_world_enter##world, control_world_leave)

/* Both verbs give the same deadline, and later a later one. */
CASE(a_leader_hands_out_how_long_it_will_lead, _sole_voter)
{
	static const char *const lines[] = { LEADER, IS_LEADER };
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		json_t *answer = ask(world, lines[i]);
		json_int_t until = number(answer, "until_boot_ns");
		json_int_t now = (json_int_t)control_world_now();

		assert_true(until > now);
		assert_true(until < now + (json_int_t)WORLD_LEASE * 79 / 110);
		assert_int_equal(number(answer, "valid_ms"),
		    (until - now) / (json_int_t)MSEC);
		json_decref(answer);
		control_world_pass(world, SEC);
	}
}

/* A program that only looks delays no failover. */
CASE(no_other_request_gives_a_deadline, _sole_voter)
{
	static const char *const lines[] = {
		"{\"verb\":\"leader\"}\n",
		"{\"verb\":\"leader\",\"deadline\":false}\n",
		"{\"verb\":\"is-leader\"}\n",
		STATUS,
		FOR_ONE,
		WAIT,
		WATCH,
		"{\"verb\":\"peers\"}\n",
		"{\"verb\":\"stats\"}\n",
		"{\"verb\":\"names\"}\n",
		"{\"verb\":\"explain\"}\n",
		"{\"verb\":\"version\"}\n",
	};
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *text = ask_text(world, world->query, lines[i]);

		assert_null(strstr(text, "\"error\":"));
		assert_null(strstr(text, "\"valid_ms\":1"));
		assert_int_equal(node_handed_out(world->node), 0);
	}
	assert_part(
	    world, lines[0], "\"valid_ms\":null,\"until_boot_ns\":null");
	assert_part(world, lines[2], "{\"is_leader\":true,");
	assert_part(world, LEADER, "\"valid_ms\":1");
	assert_true(node_handed_out(world->node) > control_world_now());
}

/* Connects a client of another user, who is in this group alone. */
static int
connect_as(struct control_world *world, uid_t user, gid_t group)
{
	int fd;

	assert_int_equal(setgroups(0, NULL), 0);
	assert_int_equal(setegid(group), 0);
	assert_int_equal(seteuid(user), 0);
	fd = client_connect(world->query);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
	assert_true(fd >= 0);
	return fd;
}

/* Otherwise any user of the host could slow down each failover. */
CASE(user_who_may_not_rely_gets_no_deadline, _sole_voter)
{
	struct control_world *world = *state;
	int fd;

	if (geteuid() != 0)
		skip("only root can be another user");
	control_world_pass(world, 10 * SEC);
	fd = connect_as(world, NOBODY, NOBODY);
	assert_has(client_ask(world, fd, LEADER), "\"leader\":{\"id\":2,");
	assert_has(client_ask(world, fd, LEADER), "\"valid_ms\":null,");
	assert_has(client_ask(world, fd, IS_LEADER), "{\"is_leader\":true,");
	assert_has(client_ask(world, fd, IS_LEADER), "\"valid_ms\":null,");
	assert_has(client_ask(world, fd, DEADLINES), "uid 65534 gets no deadl");
	assert_has(client_ask(world, fd, HOLD), "\"code\":4}");
	assert_has(client_ask(world, fd, WATCH), "\"event\":\"state\"");
	assert_int_equal(node_handed_out(world->node), 0);
	close(fd);
}

CASE(named_users_and_members_of_named_groups_get_deadlines, _sole_voter)
{
	struct control_world *world = *state;
	const struct group *group = getgrgid(NOBODY);
	const struct passwd *user = getpwuid(1);

	if (geteuid() != 0 || group == NULL || user == NULL)
		skip("only root can be another user, who needs a name");
	control_world_close(world);
	strcpy(world->settings.deadlines[0], user->pw_name);
	strcpy(world->settings.deadlines[1], group->gr_name);
	world->settings.deadlines_count = 2;
	control_world_open(world);
	control_world_pass(world, 10 * SEC);
	for (size_t i = 0; i < 2; i++) {
		bool is_named = i == 0;
		int fd =
		    connect_as(world, is_named ? 1 : 2, is_named ? 2 : NOBODY);

		assert_has(client_ask(world, fd, LEADER), "\"valid_ms\":1");
		close(fd);
	}
}

/* The rest of the lease, which promises nothing. */
CASE(status_shows_the_lease, _sole_voter)
{
	struct control_world *world = *state;
	json_t *answer;
	double left;

	assert_part(world, STATUS, "\"lease_ms\":null,");
	control_world_pass(world, 10 * SEC);
	answer = ask(world, STATUS);
	left = json_number_value(json_object_get(answer, "lease_ms"));
	assert_true(left > 0 && left < (double)(WORLD_LEASE / MSEC));
	json_decref(answer);
}

/* The leader keeps leading until the deadline, and says that it is stopping. */
CASE(a_leader_that_is_told_to_stop_says_so, _sole_voter)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_part(world, STATUS, "\"stopping\":false,");
	assert_part(world, STATUS, "\"ineligible\":null,");
	assert_part(world, IS_LEADER, "{\"is_leader\":true,");
	node_stop(world->node, control_world_now());
	assert_false(node_stopped(world->node));
	assert_part(world, IS_LEADER, "{\"is_leader\":true,");
	assert_part(world, STATUS, "\"stopping\":true,");
	assert_part(world, STATUS, "\"ineligible\":\"stopping\",");
	control_world_pass(world, WORLD_LEASE);
	assert_true(node_stopped(world->node));
	assert_part(world, STATUS, "\"stopping\":false,");
}

/* The node has not run since the request: its earlier state proves nothing. */
CASE(after_the_lease_there_is_no_leader_even_before_the_node_runs, _sole_voter)
{
	struct control_world *world = *state;
	json_t *first, *second;
	nsec_t until;

	control_world_pass(world, 10 * SEC);
	first = ask(world, LEADER);
	until = (nsec_t)number(first, "until_boot_ns");
	control_world_sleep(200 * MSEC);
	second = ask(world, LEADER);
	assert_int_equal(number(second, "until_boot_ns"), until);
	assert_int_equal(
	    number(second, "valid_ms"), number(first, "valid_ms") - 200);
	json_decref(first);
	json_decref(second);

	control_world_sleep(until - control_world_now());
	assert_part(world, IS_LEADER, "{\"is_leader\":false,");
	assert_part(
	    world, IS_LEADER, "\"valid_ms\":null,\"until_boot_ns\":null");
	assert_part(world, LEADER, "\"leader\":null,");
	assert_part(world, STATUS, "\"leader\":null,\"role\":\"none\",");
}

#define ASKERS 4 /* before the process is stopped, and while it is */

static struct {
	int early[ASKERS];
	int late[ASKERS];
	bool are_late; /* they have asked */
} askers;

static void
ask_all(struct control_world *world, int fds[ASKERS], const char *line)
{
	for (size_t i = 0; i < ASKERS; i++) {
		if (fds[i] < 0)
			fds[i] = client_connect(world->query);
		assert_true(fds[i] >= 0);
		assert_int_equal(send(fds[i], line, strlen(line), MSG_NOSIGNAL),
		    strlen(line));
	}
}

/* Clients ask when the lease is over: half of them on a connection on which they
 * asked before. */
static void
stand_still(struct control_world *world)
{
	int again[ASKERS] = { askers.early[0], askers.early[1], -1, -1 };

	control_world_sleep(WORLD_LEASE);
	ask_all(world, again, IS_LEADER);
	askers.late[2] = again[2];
	askers.late[3] = again[3];
	askers.are_late = true;
}

/* These get no yes; a client that asked before may have an earlier one. */
static void
hear_all(struct control_world *world)
{
	for (size_t i = 0; i < ASKERS; i++) {
		const char *text = client_hear(world, askers.early[i]);
		const char *second = strchr(text, '\n');

		assert_non_null(second);
		if (i < 2)
			assert_memory_equal(
			    second, "\n{\"is_leader\":false,", 20);
		close(askers.early[i]);
		if (i < 2)
			continue;
		assert_memory_equal(client_hear(world, askers.late[i]),
		    "{\"is_leader\":false,", 19);
		close(askers.late[i]);
	}
}

/* Wherever in its work the process is stopped, and however many clients one turn
 * of the loop serves: each answer is for a time after its request was heard. */
CASE(no_answer_is_older_than_its_question, _sole_voter)
{
	struct control_world *world = *state;
	unsigned stops = 0;

	do {
		control_world_pass(world, 10 * SEC);
		memset(&askers, 0xff, sizeof(askers));
		askers.are_late = false;
		ask_all(world, askers.early, IS_LEADER);
		world->looks = ++stops;
		world->stop = stand_still;
		control_world_turn(world);
		if (askers.are_late)
			hear_all(world);
	} while (askers.are_late);
	assert_true(stops > 2 * ASKERS);
	for (size_t i = 0; i < ASKERS; i++)
		close(askers.early[i]);
}

/* The line comes half a second late, but has the moment of the lease's end. */
CASE(the_end_of_a_lease_is_reported_with_its_moment, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	json_t *answer;
	nsec_t until, lead, lost;
	const char *text;

	control_world_pass(world, 10 * SEC);
	answer = ask(world, LEADER);
	until = (nsec_t)number(answer, "until_boot_ns");
	json_decref(answer);
	answer = json_loads(client_ask(world, fd, WATCH), 0, NULL);
	lead = until - control_world_now();
	lost = (nsec_t)number(answer, "mono_ns") + lead;
	json_decref(answer);

	control_world_sleep(lead + SEC / 2);
	control_world_pass(world, 0);
	text = strstr(client_hear(world, fd), "{\"event\":\"no-leader\"");
	assert_non_null(text);
	answer = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
	assert_int_equal(number(answer, "mono_ns"), lost);
	json_decref(answer);
	close(fd);
}

/* The lines of a watch report changes and promise nothing else. */
CASE(watch_hands_out_no_deadline, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	client_tell(world, fd, WATCH, strlen(WATCH));
	control_world_pass(world, 10 * SEC);
	assert_has(client_hear(world, fd), "\"event\":\"leader\"");
	assert_null(strstr(client_hear(world, fd), "valid_ms"));
	assert_int_equal(node_handed_out(world->node), 0);
	close(fd);
}

/* Checks that each deadline in the lines is later than the one before. Gives the
 * last one, or `last` if there is none. */
static nsec_t
last_deadline(const char *lines, nsec_t last)
{
	const char *line = lines;

	while ((line = strstr(line, "{\"event\":\"deadline\"")) != NULL) {
		json_t *event = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
		nsec_t until = (nsec_t)number(event, "until_boot_ns");

		assert_true(until > last);
		assert_int_equal(number(event, "leader"), WORLD_SELF);
		assert_int_equal(number(event, "term"), 1);
		last = until;
		line++;
		json_decref(event);
	}
	return last;
}

/* While the node leads and until it stops, none passes before the next comes. */
CASE(a_watcher_of_deadlines_always_has_one, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	nsec_t until = 0, begin = control_world_now();
	unsigned told = 0;

	assert_null(strstr(client_ask(world, fd, DEADLINES), "deadline"));
	while (control_world_now() < begin + 20 * SEC) {
		nsec_t before = until;

		control_world_pass(world, 100 * MSEC);
		assert_true(before == 0 || before > control_world_now());
		until = last_deadline(client_hear_in_time(world, fd), before);
		assert_int_equal(node_handed_out(world->node), until);
		told += until != before;
	}
	assert_true(told > 40 && told < 100); /* not with each look */

	node_stop(world->node, control_world_now());
	while (!node_stopped(world->node)) {
		control_world_pass(world, 100 * MSEC);
		assert_int_equal(
		    last_deadline(client_hear_in_time(world, fd), until),
		    until);
	}
	assert_true(control_world_now() >= until);
	close(fd);
}

/* A deadline that the watcher did not get delays no failover. */
CASE(new_watcher_gets_no_deadline_that_ends_soon, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	control_world_pass(world, 10 * SEC);
	control_world_sleep(WORLD_LEASE / 2);
	assert_null(strstr(client_ask(world, fd, DEADLINES), "deadline"));
	assert_int_equal(node_handed_out(world->node), 0);
	control_world_pass(world, 10 * SEC);
	assert_has(client_hear_in_time(world, fd), "\"event\":\"deadline\"");
	close(fd);
}

/* Otherwise it would delay every failover for as long as it is connected. */
CASE(a_watcher_that_does_not_read_gets_no_deadline, _sole_voter)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	nsec_t before;

	control_world_pass(world, 10 * SEC);
	client_tell(world, fd, DEADLINES, strlen(DEADLINES));
	do {
		before = node_handed_out(world->node);
		assert_true(before > 0);
		for (int i = 0; i < 100; i++)
			control_notice(world->control, &up);
		control_world_pass(world, WORLD_LEASE / 2);
		assert_has(
		    ask_text(world, world->query, STATS), "\"cut_off\":0,");
	} while (node_handed_out(world->node) > before);
	assert_part(world, STATUS, "\"state\":\"leader\"");
	close(fd);
}

/* The limit counts all lines. */
CASE(deadlines_are_lines_like_others, _sole_voter)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	const char *text;

	control_world_pass(world, 10 * SEC);
	text = client_ask(
	    world, fd, "{\"verb\":\"watch\",\"deadlines\":true,\"limit\":2}\n");
	assert_memory_equal(text, "{\"event\":\"state\",", 17);
	assert_has(text, "\n{\"event\":\"deadline\",");
	control_world_pass(world, 10 * SEC);
	assert_string_equal(client_hear_in_time(world, fd), "");
	assert_has(client_ask(world, fd, IS_LEADER), "\"is_leader\":true");
	close(fd);
}

CASE(component_has_no_deadlines, )
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_part(world, LEADER, "\"valid_ms\":null,\"until_boot_ns\":null");
	assert_part(world, IS_LEADER, "{\"is_leader\":true,");
	assert_part(world, STATUS, "\"lease_ms\":null,");
	assert_string_equal(ask_text(world, world->query, DEADLINES),
	    "{\"error\":\"watch deadlines: this cluster has guarantee = "
	    "\\\"component\\\", which gives none\",\"code\":2}\n");
}
