/* SPDX-License-Identifier: ISC */
/*
 * Hostile clients of the control sockets: they get an error, a closed
 * connection or a delay, and other clients notice nothing.
 * test_control_unread.c has clients that do not read.
 */
#include "tests/unit/group.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <event2/event.h>

#include "daemon/system/loop/loop.h"
#include "tests/lib/control_world.h"

#define LEADER "{\"verb\":\"leader\"}\n"
#define WATCH  "{\"verb\":\"watch\"}\n"
#define STATS  "{\"verb\":\"stats\"}\n"
#define NOBODY 65534

#define LINE(text)                                                             \
	{                                                                      \
		text "\n", sizeof(text)                                        \
	}

static const struct {
	const char *bytes;
	size_t size;
} senseless[] = {
	LINE(""),
	LINE("\0"),
	LINE("{\"verb\":\"leader\"\0}"),
	LINE("{\"verb\":\"lea\\u0000der\"}"),
	LINE("{\"verb\":\"\xff\xfe\"}"),
	LINE("\xc3"),
	LINE("leader"),
	LINE("7"),
	LINE("\"leader\""),
	LINE("[]"),
	LINE("{}"),
	LINE("{\"verb\":7}"),
	LINE("{\"verb\":null}"),
	LINE("{\"verb\":\"\"}"),
	LINE("{\"verb\":\"format-disk\"}"),
	/* The error quotes 32 bytes: half of the last letter. */
	LINE("{\"verb\":\"verb-whose-32nd-byte-begins-an-\xc3\xa9\"}"),
	LINE("{\"verb\":\"leader\",\"verb\":\"leader\"}"),
	LINE("{\"verb\":\"leader\",\"limit\":1}"),
	LINE("{\"verb\":\"leader\",\"term\":1}"),
	LINE("{\"verb\":\"explain\",\"term\":0}"),
	LINE("{\"verb\":\"explain\",\"term\":-1}"),
	LINE("{\"verb\":\"explain\",\"term\":1.5}"),
	LINE("{\"verb\":\"explain\",\"term\":\"1\"}"),
	LINE("{\"verb\":\"explain\",\"term\":9223372036854775808}"),
	LINE("{\"verb\":\"leader\"}{\"verb\":\"leader\"}"),
	LINE("{\"verb\":\"watch\",\"limit\":\"1\"}"),
	LINE("{\"verb\":\"watch\",\"limit\":0}"),
	LINE("{\"verb\":\"watch\",\"limit\":-1}"),
	LINE("{\"verb\":\"watch\",\"limit\":1.5}"),
	LINE("{\"verb\":\"watch\",\"limit\":18446744073709551616}"),
	LINE("{\"verb\":\"wait\",\"for\":\"godot\"}"),
	LINE("{\"verb\":\"wait\",\"for\":[[[[[[[[1]]]]]]]]}"),
	LINE("{\"verb\":\"elect\"}"),
};

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(requests_that_make_no_sense_get_an_error_and_the_next_an_answer)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);

	for (size_t i = 0; i < sizeof(senseless) / sizeof(senseless[0]); i++) {
		const char *text;

		client_tell(world, fd, senseless[i].bytes, senseless[i].size);
		text = client_hear(world, fd);
		assert_memory_equal(text, "{\"error\":\"", 10);
		assert_non_null(strstr(text, "\"code\":"));
		assert_int_equal(count_lines(text), 1);
	}
	assert_true(client_is_answered(world, fd));
	close(fd);
}

CASE(deep_nesting_is_refused_before_it_is_parsed)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	char line[CONTROL_REQUEST_MAX];

	memset(line, '[', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	client_tell(world, fd, line, sizeof(line));
	assert_non_null(strstr(client_hear(world, fd), "nested deeper"));
	assert_true(client_is_answered(world, fd));
	close(fd);
}

/* A request has at most 4096 bytes, with its newline. */
CASE(a_line_too_long_gets_an_error_and_the_connection_ends)
{
	struct control_world *world = *state;
	char line[CONTROL_REQUEST_MAX + 1];
	int fd = client_connect(world->query);

	memset(line, ' ', sizeof(line));
	memcpy(line, LEADER, strlen(LEADER) - 1);
	line[CONTROL_REQUEST_MAX - 1] = '\n';
	client_tell(world, fd, line, CONTROL_REQUEST_MAX);
	assert_non_null(strstr(client_hear(world, fd), "\"term\""));

	line[CONTROL_REQUEST_MAX - 1] = ' ';
	line[CONTROL_REQUEST_MAX] = '\n';
	client_tell(world, fd, line, sizeof(line));
	assert_non_null(strstr(client_hear(world, fd), "4096 bytes"));
	assert_true(client_is_cut_off(world, fd));
	close(fd);
}

/* The sweep comes with the next client, or once a second. */
CASE(a_client_that_does_not_complete_a_line_in_time_is_cut_off)
{
	struct control_world *world = *state;
	int silent = client_connect(world->query);
	int slow = client_connect(world->query);
	int idle = client_connect(world->query);
	int next;

	assert_true(client_is_answered(world, idle));
	for (int i = 0; i < 6; i++) {
		send(slow, "{", 1, MSG_NOSIGNAL);
		control_world_turn(world);
		control_world_pass(world, SEC);
	}
	next = client_connect(world->query);
	assert_true(client_is_answered(world, next));
	assert_non_null(strstr(client_hear(world, silent), "within 5 s"));
	assert_true(client_is_cut_off(world, silent));
	assert_non_null(strstr(client_hear(world, slow), "within 5 s"));
	assert_true(client_is_cut_off(world, slow));
	assert_true(client_is_answered(world, idle));
	assert_non_null(
	    strstr(client_ask(world, next, STATS), "\"cut_off\":2"));
	close(silent);
	close(slow);
	close(idle);
	close(next);
}

/* A client that watches or waits is not idle. Its minute begins when its last
 * event, or its answer, was sent. */
CASE(a_client_that_asks_nothing_for_a_minute_loses_its_place)
{
	static const char *const lines[] = { LEADER, WATCH,
		"{\"verb\":\"watch\",\"limit\":2}\n", "{\"verb\":\"wait\"}\n" };
	enum {
		IDLE,
		WATCHER,
		WATCHED,
		WAITED,
		CLIENTS
	};
	struct control_world *world = *state;
	int fds[CLIENTS], next;

	for (int i = 0; i < CLIENTS; i++) {
		fds[i] = client_connect(world->query);
		assert_int_equal(
		    count_lines(client_ask(world, fds[i], lines[i])),
		    i != WAITED);
	}
	control_world_pass(world, 10 * SEC);
	assert_int_equal(count_lines(client_hear(world, fds[WATCHED])), 1);
	assert_true(client_is_answered(world, fds[IDLE]));
	assert_int_equal(count_lines(client_hear(world, fds[WAITED])), 1);
	control_world_pass(world, 40 * SEC);
	close(client_connect(world->query));
	for (int i = 0; i < CLIENTS; i++)
		assert_false(client_is_cut_off(world, fds[i]));
	control_world_pass(world, 61 * SEC);
	next = client_connect(world->query);
	assert_true(client_is_answered(world, next));
	for (int i = 0; i < CLIENTS; i++) {
		assert_int_equal(
		    client_is_cut_off(world, fds[i]), i != WATCHER);
		close(fds[i]);
	}
	close(next);
}

CASE(one_more_client_than_places_is_turned_away)
{
	struct control_world *world = *state;
	int fds[CLIENT_PLACES], more, admin;

	for (int i = 0; i < client_places(); i++) {
		fds[i] = client_connect(world->query);
		assert_true(client_is_answered(world, fds[i]));
	}
	more = client_connect(world->query);
	assert_string_equal(client_hear(world, more),
	    "{\"error\":\"too many clients\",\"code\":3}\n");
	assert_true(client_is_cut_off(world, more));
	close(more);
	if (geteuid() == 0) {
		admin = client_connect(world->admin);
		assert_true(client_is_answered(world, admin));
		close(admin);
	}
	close(fds[0]);
	control_world_turn(world);
	fds[0] = client_connect(world->query);
	assert_true(client_is_answered(world, fds[0]));
	for (int i = 0; i < client_places(); i++)
		close(fds[i]);
}

/* Becomes another user, without groups. False if this process may not. */
static bool
become_nobody(void)
{
	return geteuid() == 0 && setgroups(0, NULL) == 0 &&
	       setegid(NOBODY) == 0 && seteuid(NOBODY) == 0;
}

static void
become_root(void)
{
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
}

CASE(one_user_does_not_take_all_the_places)
{
	struct control_world *world = *state;
	int fds[CLIENT_PLACES_UID], more, root;

	if (!become_nobody())
		skip("only root can be another user");
	for (int i = 0; i < CLIENT_PLACES_UID; i++) {
		fds[i] = client_connect(world->query);
		assert_true(client_is_answered(world, fds[i]));
	}
	more = client_connect(world->query);
	assert_non_null(strstr(client_hear(world, more), "too many"));
	assert_int_equal(client_connect(world->admin), -1);
	assert_int_equal(errno, EACCES);
	become_root();
	root = client_connect(world->query);
	assert_true(client_is_answered(world, root));
	for (int i = 0; i < CLIENT_PLACES_UID; i++)
		close(fds[i]);
	close(more);
	close(root);
}

static int
connect_as(struct control_world *world, uid_t uid)
{
	int fd;

	assert_int_equal(setgroups(0, NULL), 0);
	assert_int_equal(setegid(uid), 0);
	assert_int_equal(seteuid(uid), 0);
	fd = client_connect(world->query);
	become_root();
	assert_true(fd >= 0);
	return fd;
}

/* The connection counts as a request: the 100th waits in the socket until one
 * more is due. */
CASE(requests_above_the_rate_wait)
{
	struct control_world *world = *state;
	int fd, other;

	if (geteuid() != 0)
		skip("only root can be another user");
	fd = connect_as(world, 2000);
	for (int i = 0; i < 110; i++)
		client_tell(world, fd, LEADER, strlen(LEADER));
	assert_int_equal(count_lines(client_hear(world, fd)), 99);
	assert_string_equal(client_hear(world, fd), "");
	other = connect_as(world, 2001);
	assert_true(client_is_answered(world, other));
	control_world_pass(world, 50 * MSEC);
	close(other);
	other = connect_as(world, 2001);
	assert_int_equal(count_lines(client_hear(world, fd)), 5);
	control_world_pass(world, SEC);
	close(other);
	other = connect_as(world, 2001);
	assert_int_equal(count_lines(client_hear(world, fd)), 6);
	assert_true(client_is_answered(world, fd));
	close(fd);
	close(other);
}

/* The limit is one of the user, so a new connection begins where the last one
 * has ended. */
CASE(new_connections_do_not_raise_the_rate)
{
	struct control_world *world = *state;
	unsigned answers = 0;

	if (geteuid() != 0)
		skip("only root can be another user");
	for (int i = 0; i < 200; i++) {
		int fd = connect_as(world, 2000);

		answers += client_is_answered(world, fd);
		close(fd);
	}
	assert_int_equal(answers, 50);
}

#define USERS 4 /* together they have all the places */

/* As a leader's floating address, and its service, depend on them. */
CASE(users_who_rely_have_places_of_their_own)
{
	struct control_world *world = *state;
	const struct passwd *user = getpwuid(1);
	int fds[USERS * CLIENT_PLACES_UID], more, trusted;

	if (geteuid() != 0 || user == NULL)
		skip("only root can be another user, who needs a name");
	control_world_close(world);
	strcpy(world->settings.deadlines[0], user->pw_name);
	world->settings.deadlines_count = 1;
	control_world_open(world);
	for (unsigned i = 0; i < USERS * CLIENT_PLACES_UID; i++) {
		fds[i] = connect_as(world, 2000 + i % USERS);
		assert_true(client_is_answered(world, fds[i]));
	}
	more = connect_as(world, 2000 + USERS);
	assert_has(client_hear(world, more), "too many");
	trusted = connect_as(world, 1);
	assert_true(client_is_answered(world, trusted));
	for (unsigned i = 0; i < USERS * CLIENT_PLACES_UID; i++)
		close(fds[i]);
	close(more);
	close(trusted);
}

/* One person may have all of these users. */
CASE(users_above_the_range_of_logins_count_as_one)
{
	struct control_world *world = *state;
	int fds[CLIENT_PLACES_UID], more;

	if (geteuid() != 0)
		skip("only root can be another user");
	for (unsigned i = 0; i < CLIENT_PLACES_UID; i++) {
		fds[i] = connect_as(world, 100000 + i);
		assert_true(client_is_answered(world, fds[i]));
	}
	more = connect_as(world, 200000);
	assert_has(client_hear(world, more), "too many");
	close(more);
	more = connect_as(world, 2000);
	assert_true(client_is_answered(world, more));
	for (unsigned i = 0; i < CLIENT_PLACES_UID; i++)
		close(fds[i]);
	close(more);
}

/* The mode of the file restricts who connects, and the daemon checks again. */
CASE(the_peer_is_checked_besides_the_mode_of_the_file)
{
	struct control_world *world = *state;
	const char *text;
	int fd;

	assert_int_equal(chmod(world->admin, 0666), 0);
	if (!become_nobody())
		skip("only root can be another user");
	fd = client_connect(world->admin);
	become_root();
	text = client_ask(world, fd, "{\"verb\":\"elect\"}\n");
	assert_string_equal(text,
	    "{\"error\":\"uid 65534 may not elect: only root, electd's own "
	    "user and the group in control.group may\",\"code\":4}\n");
	close(fd);
}

/* None asks faster than a user may. */
CASE(ten_thousand_clients_in_a_row_leave_nothing_behind)
{
	struct control_world *world = *state;
	int fds = count_fds();

	for (int i = 0; i < 10000; i++) {
		int fd = client_connect(world->query);

		assert_true(fd >= 0);
		if (i % 3 == 0)
			send(fd, WATCH, strlen(WATCH), MSG_NOSIGNAL);
		if (i % 3 == 1)
			send(fd, LEADER, strlen(LEADER) / 2, MSG_NOSIGNAL);
		control_world_turn(world);
		close(fd);
		control_world_pass(world, 20 * MSEC);
	}
	control_world_turn(world);
	assert_int_equal(count_fds(), fds);
}

/* The loop's own timer ends the pause of 100 ms. */
CASE(without_descriptors_clients_are_turned_away_and_later_served)
{
	struct control_world *world = *state;
	int fd = client_connect(world->query);
	struct rlimit old, tight;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = old;
	tight.rlim_cur = (rlim_t)fd + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	control_world_turn(world);
	assert_true(client_is_cut_off(world, fd));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(fd);

	fd = client_connect(world->query);
	assert_string_equal(client_ask(world, fd, LEADER), "");
	control_world_pass(world, 200 * MSEC);
	event_base_loop(world->loop->base, EVLOOP_ONCE);
	assert_non_null(strstr(client_hear(world, fd), "\"term\""));
	close(fd);
}

/* The client has the group, but not as its primary one. */
CASE(members_of_the_group_may_steer)
{
	struct control_world *world = *state;
	const struct group *group = getgrgid(NOBODY);
	const gid_t members[] = { NOBODY };
	int fd;

	if (group == NULL || geteuid() != 0)
		skip("only root can be another user, whose group needs a name");
	control_world_close(world);
	snprintf(world->settings.group, sizeof(world->settings.group), "%s",
	    group->gr_name);
	control_world_open(world);
	if (setgroups(1, members) != 0 || setegid(NOBODY - 1) != 0)
		skip("only root can be another user");
	assert_int_equal(seteuid(NOBODY - 1), 0);
	fd = client_connect(world->admin);
	become_root();
	assert_int_equal(setgroups(0, NULL), 0);
	assert_has(client_ask(world, fd, "{\"verb\":\"elect\"}\n"), "\"ok\"");
	close(fd);
}
