/* SPDX-License-Identifier: ISC */
/* Requests of HTTP, with an electd that the test plays. */
#include "tests/unit/group.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/electweb/web.h"
#include "daemon/system/clock.h"

#define STEP        (5 * MSEC)
#define STEPS_MAX   12000 /* a minute */
#define DAEMONS_MAX 8     /* connections of electweb */
#define CLIENTS_MAX 200

#define LEADS "{\"role\":\"leader\",\"leader\":{\"id\":1},\"term\":7}"
#define STATUS                                                                 \
	"{\"cluster\":\"web\",\"guarantee\":\"component\",\"self\":1,"         \
	"\"node\":{\"id\":1,\"name\":\"one\"},\"peers\":[]}"
#define STATE                                                                  \
	"{\"event\":\"state\",\"leader\":{\"id\":1,\"name\":\"one\"},"         \
	"\"role\":\"leader\",\"state\":\"leader\",\"self\":1,\"term\":7}"

static struct rig {
	char directory[32];
	struct sockaddr_un address;
	struct web *web;
	int listener;             /* of electd; -1: there is none */
	int daemons[DAEMONS_MAX]; /* that it has accepted */
	unsigned daemons_count;
	unsigned asked;  /* requests that electd has got */
	bool is_silent;  /* electd answers nothing yet */
	char late[1024]; /* what it will say then */
	int clients[CLIENTS_MAX];
	unsigned clients_count;
} rig;

static int
begin(void **state)
{
	(void)state;
	rig = (struct rig){ .directory = "/tmp/electweb-XXXXXX",
		.address.sun_family = AF_UNIX };
	assert_non_null(mkdtemp(rig.directory));
	snprintf(rig.address.sun_path, sizeof(rig.address.sun_path),
	    "%s/e.sock", rig.directory);
	rig.listener =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(rig.listener, (struct sockaddr *)&rig.address,
			     sizeof(rig.address)),
	    0);
	assert_int_equal(listen(rig.listener, DAEMONS_MAX), 0);
	rig.web = web_new(-1, rig.address.sun_path);
	return rig.web != NULL ? 0 : -1;
}

static int
end(void **state)
{
	(void)state;
	web_free(rig.web);
	for (unsigned i = 0; i < rig.daemons_count; i++)
		close(rig.daemons[i]);
	for (unsigned i = 0; i < rig.clients_count; i++)
		close(rig.clients[i]);
	if (rig.listener >= 0)
		close(rig.listener);
	(void)unlink(rig.address.sun_path);
	return rmdir(rig.directory);
}

static void
say(int daemon, const char *line)
{
	char text[512];
	int size = snprintf(text, sizeof(text), "%s\n", line);

	assert_int_equal(write(daemon, text, (size_t)size), size);
}

/* electd answers one line. */
static void
answer(int daemon, const char *request)
{
	rig.asked++;
	if (strstr(request, "\"status\"") != NULL)
		say(daemon, STATUS);
	else if (strstr(request, "\"watch\"") != NULL)
		say(daemon, STATE);
	else if (strstr(request, "\"stats\"") != NULL)
		say(daemon, "{\"changes\":3}");
	else
		say(daemon, LEADS);
}

/* electd reads what has come from one connection, and answers it. */
static void
serve(int daemon)
{
	char text[1024], *rest, *line;
	ssize_t size = read(daemon, text, sizeof(text) - 1);

	if (size <= 0)
		return;
	text[size] = '\0';
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		answer(daemon, line);
}

/* A moment goes by, in which electd does its part. */
static void
step(void)
{
	int accepted;

	web_run(rig.web, clock_now() + STEP, -1);
	if (rig.listener >= 0 && (accepted = accept4(rig.listener, NULL, NULL,
				      SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		assert_true(rig.daemons_count < DAEMONS_MAX);
		rig.daemons[rig.daemons_count++] = accepted;
	}
	for (unsigned i = 0; i < rig.daemons_count && !rig.is_silent; i++)
		serve(rig.daemons[i]);
}

/* A client that has sent this. */
static int
client(const char *request)
{
	int ends[2];

	assert_true(rig.clients_count < CLIENTS_MAX);
	assert_int_equal(
	    socketpair(
		AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
	    0);
	assert_true(web_add(rig.web, ends[1]));
	assert_int_equal(
	    write(ends[0], request, strlen(request)), strlen(request));
	return rig.clients[rig.clients_count++] = ends[0];
}

/* Reads until the text comes, or the end. Gives all that was read. */
static const char *
read_until(int fd, const char *wanted)
{
	static char text[65536];
	size_t size = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		ssize_t got = read(fd, text + size, sizeof(text) - 1 - size);

		if (got == 0)
			return text;
		if (got > 0) {
			size += (size_t)got;
			text[size] = '\0';
		}
		if (wanted != NULL && strstr(text, wanted) != NULL)
			return text;
		step();
	}
	fail_msg("no \"%s\" in \"%s\"", wanted, text);
	return NULL;
}

static void
has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no \"%s\" in \"%s\"", part, text);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define WEB(name) TEST(name, begin, end)

WEB(leader_is_told_with_the_answer_of_electd)
{
	const char *text = read_until(client(GET("/leader")), LEADS);

	has(text, "HTTP/1.1 200 ");
	has(text, "Content-Type: application/json\r\n");
	has(text, "Cache-Control: no-store\r\n");
	has(read_until(client(GET("/follower?x=1")), LEADS), "HTTP/1.1 503 ");
}

WEB(one_connection_asks_again_and_again)
{
	int fd = client(GET("/leader"));

	for (unsigned i = 0; i < 3; i++) {
		has(read_until(fd, LEADS), "HTTP/1.1 200 ");
		assert_int_equal(
		    write(fd, GET("/health"), strlen(GET("/health"))),
		    strlen(GET("/health")));
	}
}

WEB(many_clients_cost_electd_no_more_than_one)
{
	int fds[CLIENTS_MAX];

	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		fds[i] = client(GET("/leader"));
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		has(read_until(fds[i], LEADS), "HTTP/1.1 200 ");
	assert_in_range(rig.asked, 1, 2);
}

WEB(answer_is_never_older_than_the_question)
{
	int first, second;

	rig.is_silent = true;
	first = client(GET("/leader"));
	for (unsigned i = 0; i < STEPS_MAX && rig.daemons_count == 0; i++)
		step();
	step();
	second = client(GET("/leader"));
	step();
	rig.is_silent = false;
	(void)read_until(first, LEADS);
	(void)read_until(second, LEADS);
	assert_int_equal(rig.asked, 2);
}

WEB(without_electd_no_host_leads)
{
	close(rig.listener);
	rig.listener = -1;
	has(read_until(client(GET("/leader")), "does not answer"),
	    "HTTP/1.1 503 ");
	has(read_until(client(GET("/metrics")), "electd_up 0"),
	    "HTTP/1.1 200 ");
}

WEB(electd_that_begins_anew_is_found)
{
	(void)read_until(client(GET("/leader")), LEADS);
	close(rig.daemons[0]);
	rig.daemons_count = 0;
	has(read_until(client(GET("/leader")), LEADS), "HTTP/1.1 200 ");
}

WEB(metrics_are_of_electd_and_electweb)
{
	const char *text =
	    read_until(client(GET("/metrics")), "electweb_rounds_total 1\n");

	has(text, "\nelectd_leader_changes_total 3\n");
	has(text, "\nelectweb_requests_total 1\n");
}

WEB(other_methods_bodies_and_pages_are_refused)
{
	has(read_until(client("POST /leader HTTP/1.1\r\nHost: x\r\n"
			      "Content-Length: 3\r\n\r\nabc"),
		NULL),
	    "HTTP/1.1 405 ");
	has(read_until(client("GET /leader HTTP/1.1\r\nHost: x\r\n"
			      "Content-Length: 3\r\n\r\nabc"),
		NULL),
	    "HTTP/1.1 413 ");
	has(read_until(client(GET("/lead")), "no such page"), "HTTP/1.1 404 ");
	assert_int_equal(rig.asked, 0);
}

WEB(head_has_no_text_and_options_are_answered_alike)
{
	const char *text = read_until(
	    client("HEAD /leader HTTP/1.1\r\nHost: x\r\n\r\n"), "\r\n\r\n");

	has(text, "HTTP/1.1 200 ");
	assert_null(strstr(text, "role"));
	has(read_until(client("OPTIONS /primary HTTP/1.0\r\n\r\n"), NULL),
	    "HTTP/1.1 200 ");
}

WEB(readers_get_the_state_and_then_each_event)
{
	int first = client(GET("/events")), second;

	has(read_until(first, STATE), "data: {\"event\":\"state\"");
	second = client(GET("/events"));
	has(read_until(second, STATE), "text/event-stream");
	say(rig.daemons[0], "{\"event\":\"up\",\"id\":2}");
	(void)read_until(first, "\"event\":\"up\"");
	(void)read_until(second, "\"event\":\"up\"");
	close(rig.daemons[0]);
	rig.daemons[0] = rig.daemons[--rig.daemons_count];
	(void)read_until(first, "\"event\":\"gone\"");
	(void)read_until(first, STATE);
}

WEB(no_more_readers_than_there_is_room_for)
{
	for (unsigned i = 0; i < WEB_READERS; i++)
		(void)read_until(client(GET("/events")), "200 OK");
	has(read_until(client(GET("/events")), NULL), "HTTP/1.1 503 ");
	close(rig.clients[0]);
	rig.clients[0] = dup(rig.clients[1]);
	say(rig.daemons[0], "{\"event\":\"up\",\"id\":2}");
	(void)read_until(rig.clients[1], "\"event\":\"up\"");
	(void)read_until(client(GET("/events")), "200 OK");
}

WEB(head_without_an_end_is_refused)
{
	char head[WEB_HEAD_MAX * 2];

	memset(head, 'x', sizeof(head) - 1);
	head[sizeof(head) - 1] = '\0';
	memcpy(head, "GET /", 5);
	has(read_until(client(head), NULL), "HTTP/1.1 4");
}

WEB(server_ends_with_requests_under_way)
{
	rig.is_silent = true;
	(void)client(GET("/leader"));
	(void)client(GET("/events"));
	(void)client("GET /lead");
	step();
	step();
}
