/* SPDX-License-Identifier: ISC */
/* Clients of the control sockets that do not read. */
#include "tests/unit/group.h"

#include <grp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/control_world.h"

#define LEADER "{\"verb\":\"leader\"}\n"
#define WATCH  "{\"verb\":\"watch\"}\n"
#define STATS  "{\"verb\":\"stats\"}\n"

#define FIRST_OTHER 2000 /* a user */

/* Connects a client of another user. */
static int
connect_as(struct control_world *world, uid_t uid)
{
	int fd;

	assert_int_equal(setgroups(0, NULL), 0);
	assert_int_equal(setegid(uid), 0);
	assert_int_equal(seteuid(uid), 0);
	fd = client_connect(world->query);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
	assert_true(fd >= 0);
	return fd;
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(a_watcher_that_never_reads_is_cut_off_and_others_miss_nothing)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	struct control_world *world = *state;
	int deaf = client_connect(world->query);
	int good = client_connect(world->query);
	int asker = client_connect(world->query);
	unsigned told = 0, heard = 0;
	const char *text;

	client_tell(world, deaf, WATCH, strlen(WATCH));
	assert_int_equal(count_lines(client_ask(world, good, WATCH)), 1);
	for (; told < 10000; told++) {
		control_notice(world->control, &up);
		heard += count_lines(client_hear(world, good));
	}
	assert_int_equal(heard, told);
	text = client_ask(world, asker, STATS);
	assert_non_null(strstr(text, "\"cut_off\":1"));
	assert_true(client_is_cut_off(world, deaf));
	control_notice(world->control, &up);
	assert_int_equal(count_lines(client_hear(world, good)), 1);
	close(deaf);
	close(good);
	close(asker);
}

/* A watcher that does not read, until it is cut off. */
static void
be_cut_off(struct control_world *world)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	int deaf = client_connect(world->query);

	client_tell(world, deaf, WATCH, strlen(WATCH));
	for (unsigned i = 0; i < 10000; i++)
		control_notice(world->control, &up);
	assert_true(client_is_cut_off(world, deaf));
	close(deaf);
	control_world_turn(world);
	control_tend(world->control, control_world_now());
}

CASE(the_log_counts_clients_that_were_cut_off_once_a_minute)
{
	struct control_world *world = *state;
	const char *log;

	log_set_level(LOG_LEVEL_NOTICE);
	capture();
	for (int i = 0; i < 5; i++)
		be_cut_off(world);
	control_world_sleep(59 * SEC);
	control_tend(world->control, control_world_now());
	control_world_sleep(SEC);
	control_tend(world->control, control_world_now());
	log = captured();
	assert_int_equal(count_lines(log), 2);
	assert_has(log, "left too much unread: 1,");
	assert_has(log, "left too much unread: 4,");
}

/* A client that has ended and leaves its answer unread. */
static int
end_unread(struct control_world *world)
{
	int fd = client_connect(world->query);

	client_tell(world, fd, LEADER, strlen(LEADER));
	shutdown(fd, SHUT_WR);
	control_world_turn(world);
	return fd;
}

/* The kernel counts unread bytes as our memory, even on a closed connection. */
CASE(a_closed_client_with_unread_bytes_keeps_its_place)
{
	struct control_world *world = *state;
	int fds[CLIENT_PLACES], more;

	for (int i = 0; i < client_places(); i++)
		fds[i] = end_unread(world);
	more = client_connect(world->query);
	assert_non_null(strstr(client_hear(world, more), "too many clients"));
	close(more);
	/* A closed client gets its answer and the end of the connection at
	 * once. */
	assert_non_null(strstr(client_hear(world, fds[0]), "\"term\""));
	assert_true(client_is_cut_off(world, fds[0]));
	close(fds[1]);
	for (int i = 0; i < 2; i++) {
		int next = client_connect(world->query);

		assert_true(client_is_answered(world, next));
		close(fds[i]);
		fds[i] = next;
	}
	for (int i = 0; i < client_places(); i++)
		close(fds[i]);
}

static int
answered_as(struct control_world *world, uid_t uid)
{
	int fd = connect_as(world, uid);

	if (client_is_answered(world, fd))
		return fd;
	close(fd);
	return -1;
}

#define ATTACKERS 4 /* users: together they have all the places */

/* Each keeps what it may have: after five seconds nobody else lacks a place. */
CASE(clients_that_ended_unread_take_places_of_their_user_only)
{
	struct control_world *world = *state;
	int fds[ATTACKERS][CLIENT_PLACES_UID], other;

	if (geteuid() != 0)
		skip("only root can be several users");
	for (unsigned i = 0; i < ATTACKERS * CLIENT_PLACES_UID; i++) {
		int fd = connect_as(world, FIRST_OTHER + i % ATTACKERS);

		client_tell(world, fd, LEADER, strlen(LEADER));
		shutdown(fd, SHUT_WR);
		control_world_turn(world);
		fds[i % ATTACKERS][i / ATTACKERS] = fd;
	}
	assert_int_equal(answered_as(world, FIRST_OTHER + ATTACKERS), -1);
	control_world_pass(world, 5 * SEC);
	other = answered_as(world, FIRST_OTHER + ATTACKERS);
	assert_true(other >= 0);
	assert_int_equal(answered_as(world, FIRST_OTHER), -1);
	for (unsigned i = 0; i < ATTACKERS * CLIENT_PLACES_UID; i++)
		close(fds[i % ATTACKERS][i / ATTACKERS]);
	close(other);
}

/* All watch and none reads. The common limit comes before that of any one of
 * them, and cuts off no more of them than it must. */
CASE(the_unread_bytes_of_all_clients_are_bounded)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	struct control_world *world = *state;
	int deaf[CLIENT_PLACES], asker;
	unsigned gone = 0;

	if (geteuid() != 0)
		skip("it takes more places than one user has");
	asker = client_connect(world->admin);
	for (int i = 0; i < CLIENT_PLACES; i++) {
		deaf[i] = client_connect(world->query);
		client_tell(world, deaf[i], WATCH, strlen(WATCH));
	}
	while (strstr(client_ask(world, asker, STATS), "\"cut_off\":0")) {
		for (int i = 0; i < 10; i++)
			control_notice(world->control, &up);
		control_world_pass(world, SEC);
	}
	assert_true(client_is_answered(world, asker));
	for (int i = 0; i < CLIENT_PLACES; i++) {
		gone += client_is_cut_off(world, deaf[i]);
		close(deaf[i]);
	}
	assert_in_range(gone, 1, CLIENT_PLACES / 8);
	close(asker);
}

#define ROOT_EARLY 4
#define OTHERS     60 /* of four users; with the first, as many as all may */
#define ROOT_LATE  4

static bool
is_other(unsigned i)
{
	return i >= ROOT_EARLY && i < ROOT_EARLY + OTHERS;
}

static int
watch_as(struct control_world *world, uid_t uid)
{
	int fd = connect_as(world, uid);

	client_tell(world, fd, WATCH, strlen(WATCH));
	return fd;
}

/* None reads. Root leaves the least unread, but its first clients have read
 * nothing for the longest. */
CASE(user_with_the_most_unread_bytes_is_cut_off)
{
	const struct notice up = { .kind = NOTICE_PEER_UP, .peer = 1 };
	struct control_world *world = *state;
	int deaf[ROOT_EARLY + OTHERS + ROOT_LATE], asker;
	unsigned count = sizeof(deaf) / sizeof(deaf[0]), gone = 0;

	if (geteuid() != 0)
		skip("only root can be several users");
	asker = client_connect(world->admin);
	for (unsigned i = 0; i < count; i++)
		deaf[i] =
		    watch_as(world, is_other(i) ? FIRST_OTHER + i % 4 : 0);
	while (strstr(client_ask(world, asker, STATS), "\"cut_off\":0")) {
		for (int i = 0; i < 10; i++)
			control_notice(world->control, &up);
		control_world_pass(world, SEC);
	}
	for (unsigned i = 0; i < count; i++) {
		bool is_gone = client_is_cut_off(world, deaf[i]);

		assert_true(is_other(i) || !is_gone);
		gone += is_gone;
		close(deaf[i]);
	}
	assert_in_range(gone, 1, count / 8);
	close(asker);
}

/* The daemon reads no request of a client that leaves answers unread. */
CASE(a_client_that_does_not_read_is_not_read_from)
{
	struct control_world *world = *state;
	int deaf = client_connect(world->query);
	int other = client_connect(world->query);
	int size = 1;
	int rounds = 0;

	setsockopt(deaf, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	while (send(deaf, STATS, strlen(STATS), MSG_NOSIGNAL) > 0 ||
	       rounds++ < 60) {
		control_world_turn(world);
		control_world_pass(world, 20 * MSEC);
	}
	assert_true(client_is_answered(world, other));
	assert_true(strlen(client_hear(world, deaf)) > 0);
	close(deaf);
	close(other);
}
