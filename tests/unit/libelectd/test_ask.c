/* SPDX-License-Identifier: ISC */
/* Programs that ask, with a daemon that a second process plays. */

#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/util/types.h"
#include "tests/lib/fake_daemon.h"

#define CASE(name) TEST(name, fake_daemon_begin, fake_daemon_end)

#define LIMIT (PLAY_MS * MSEC)
#define FDS   64 /* the process has fewer */

/* Has a process answer the next client's request with these bytes, and
 * disconnect when the client does. */
static void
play(struct fake_daemon *d, const char *request, const char *answer)
{
	char rest;

	if (fork() != 0)
		return;
	fake_daemon_accept(d);
	fake_daemon_expect(d, request);
	fake_daemon_send(d, answer);
	if (strchr(answer, '\n') != NULL)
		(void)!read(d->client, &rest, 1);
	_exit(0);
}

static void
played(void)
{
	int status;

	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
}

CASE(answer_is_a_line)
{
	struct fake_daemon *d = *state;
	char *answer;

	play(d, "{\"verb\":\"version\"}", "{\"protocol\":3}\nmore");
	assert_int_equal(
	    electd_ask(d->path, "{\"verb\":\"version\"}", LIMIT, &answer), 0);
	assert_string_equal(answer, "{\"protocol\":3}");
	free(answer);
	played();
}

CASE(daemon_that_goes_or_is_not_there_is_an_error)
{
	struct fake_daemon *d = *state;
	char *answer;

	play(d, "x", "{\"half\":");
	assert_int_equal(electd_ask(d->path, "x", LIMIT, &answer), ECONNRESET);
	assert_null(answer);
	played();
	assert_int_equal(electd_ask("/none.sock", "x", LIMIT, &answer), ENOENT);
	assert_null(answer);
}

CASE(silence_ends_with_the_time)
{
	struct fake_daemon *d = *state;
	char *answer;

	assert_int_equal(electd_ask(d->path, "x", MSEC, &answer), ETIMEDOUT);
}

CASE(leader_has_a_name_a_term_and_a_token)
{
	struct fake_daemon *d = *state;
	struct electd_leader leader;

	play(d, "{\"verb\":\"leader\"}",
	    "{\"term\":9,\"token\":8,\"leader\":{\"id\":2,\"name\":\"two\"},\"self\":2}\n");
	assert_int_equal(electd_leader(d->path, LIMIT, &leader), 0);
	assert_string_equal(leader.name, "two");
	assert_int_equal(leader.term, 9);
	assert_int_equal(leader.token, 8);
	assert_true(leader.is_self);
	played();
}

CASE(no_leader_is_an_answer_and_no_sense_is_none)
{
	struct fake_daemon *d = *state;
	const char *const wrong[] = { "7\n", "{\"error\":\"no\",\"code\":3}\n",
		"{\"leader\":{\"id\":2,\"name\":7},\"self\":2}\n" };
	struct electd_leader leader;

	play(d, "{\"verb\":\"leader\"}",
	    "{\"term\":9,\"token\":null,\"leader\":null,\"self\":2}\n");
	assert_int_equal(electd_leader(d->path, LIMIT, &leader), 0);
	assert_string_equal(leader.name, "");
	assert_false(leader.is_self);
	played();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		play(d, "{\"verb\":\"leader\"}", wrong[i]);
		assert_int_equal(
		    electd_leader(d->path, LIMIT, &leader), EPROTO);
		played();
	}
}

/* A descriptor that a program might leave to a child would keep the daemon's
 * place for it. */
CASE(all_descriptors_close_on_exec)
{
	struct fake_daemon *d = *state;
	bool was_open[FDS];
	struct electd *e;

	for (int fd = 0; fd < FDS; fd++)
		was_open[fd] = fcntl(fd, F_GETFD) >= 0;
	e = client_meet(d, ELECTD_LEAD, "quorum");
	for (int fd = 0; fd < FDS; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (!was_open[fd] && flags >= 0)
			assert_int_equal(flags, FD_CLOEXEC);
	}
	assert_true(electd_fd(e) < FDS);
	electd_free(e);
}

/* SIGPIPE would end this process. */
CASE(sending_to_a_daemon_that_has_gone_is_no_signal)
{
	struct fake_daemon *d = *state;
	struct electd *e = electd_new(d->path, ELECTD_ASK);

	assert_int_equal(electd_connect(e, LIMIT), 0);
	fake_daemon_accept(d);
	fake_daemon_drop(d);
	assert_false(electd_send(e, "x"));
	electd_free(e);
}

CASE(asker_without_a_wait_gets_what_is_there)
{
	struct fake_daemon *d = *state;
	struct electd *e = electd_new(d->path, ELECTD_ASK);
	const char *line;

	assert_int_equal(electd_connect(e, LIMIT), 0);
	fake_daemon_accept(d);
	assert_true(electd_limit(e, 0));
	assert_int_equal(electd_receive(e, &line), ELECTD_TOO_LATE);
	fake_daemon_send(d, "one\ntwo\n");
	assert_int_equal(electd_receive(e, &line), ELECTD_LINE);
	assert_string_equal(line, "one");
	assert_int_equal(electd_receive(e, &line), ELECTD_LINE);
	assert_string_equal(line, "two");
	assert_int_equal(electd_receive(e, &line), ELECTD_TOO_LATE);
	electd_disconnect(e);
	assert_int_equal(electd_file(e), -1);
	electd_free(e);
}
