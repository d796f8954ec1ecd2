/* SPDX-License-Identifier: ISC */
/*
 * Connections whose peer passes files: nobody takes them, and the thread that
 * closes the connection does not wait for a file of the peer.
 */
#include "tests/unit/group.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/system/clock.h"
#include "daemon/system/sockets/unix_peer.h"
#include "tests/lib/lingering.h"

#define LINGERS 3 /* s that each file takes to close */

static int ours, theirs; /* the ends of the connection */
static int far = -1;     /* the other end of a file that lingers */

static int
setup(void **state)
{
	int ends[2];

	(void)state;
	assert_return_code(
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), errno);
	ours = ends[0];
	theirs = ends[1];
	unix_peer_begin(ours);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	if (theirs >= 0)
		close(theirs);
	if (far >= 0)
		close(far);
	far = -1;
	return 0;
}

/* Closes our end, here and in the thread, sooner than any file. */
static void
close_ours(void)
{
	nsec_t began = clock_now();

	unix_peer_close(ours);
	while (unix_peer_closing() > 0 &&
	       clock_now() - began < (LINGERS - 1) * SEC)
		usleep(1000);
	assert_int_equal(unix_peer_closing(), 0);
	assert_true(clock_now() - began < (LINGERS - 1) * SEC);
}

/* Passes a file of which the connection then has the last reference. */
static void
pass(const char *text, int flags)
{
	int near;

	assert_true(lingering_make(&near, &far, LINGERS));
	assert_true(pass_file(theirs, text, near, flags));
	close(near);
}

static void
assert_reads(const char *text)
{
	char bytes[64];

	assert_int_equal(
	    unix_peer_read(ours, bytes, sizeof(bytes)), strlen(text));
	assert_memory_equal(bytes, text, strlen(text));
}

static void
assert_refuses(void)
{
	char bytes[64];

	assert_int_equal(unix_peer_read(ours, bytes, sizeof(bytes)), -1);
	assert_int_equal(errno, EPERM);
}

#define WITH_PEER(case) TEST(case, setup, teardown)

WITH_PEER(bytes_without_files_are_read)
{
	char byte;

	assert_true(pass_file(theirs, "one", -1, 0));
	assert_true(pass_file(theirs, "two", -1, 0));
	assert_reads("onetwo");
	assert_int_equal(unix_peer_read(ours, &byte, 1), -1);
	assert_int_equal(errno, EAGAIN);
	shutdown(theirs, SHUT_WR);
	assert_int_equal(unix_peer_read(ours, &byte, 1), 0);
	close_ours();
}

WITH_PEER(file_is_refused_and_closed_elsewhere)
{
	pass("ask\n", 0);
	assert_refuses();
	assert_refuses();
	close_ours();
}

WITH_PEER(bytes_before_a_file_do_not_hide_it)
{
	assert_true(pass_file(theirs, "one", -1, 0));
	pass("two", 0);
	assert_true(pass_file(theirs, "three", -1, 0));
	assert_refuses();
	close_ours();
}

WITH_PEER(urgent_byte_does_not_hide_its_file)
{
	assert_true(pass_file(theirs, "one", -1, 0));
	pass("!", MSG_OOB);
	assert_true(pass_file(theirs, "two", -1, 0));
	assert_reads("one");
	assert_refuses();
	close_ours();
}

WITH_PEER(file_that_nobody_has_read_is_closed_elsewhere)
{
	for (unsigned i = 0; i < 1000; i++)
		assert_true(pass_file(theirs, "line\n", -1, MSG_DONTWAIT) ||
			    errno == EAGAIN);
	assert_reads("line\nline\nline\nline\nline\nline\nline\nline\nline\n"
		     "line\nline\nline\nline");
	pass("last\n", 0);
	close_ours();
}

WITH_PEER(peer_reads_what_was_sent_before_the_close)
{
	char bytes[64];

	assert_true(pass_file(theirs, "question\n", -1, 0));
	assert_true(pass_file(ours, "answer\n", -1, 0));
	close_ours();
	assert_int_equal(read(theirs, bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "answer\n", 7);
	assert_int_equal(read(theirs, bytes, sizeof(bytes)), 0);
}

WITH_PEER(peer_that_has_not_read_is_worth_to_wait_for)
{
	char bytes[16];

	assert_true(pass_file(theirs, "ask\n", -1, 0));
	assert_true(pass_file(ours, "answer\n", -1, 0));
	assert_true(unix_peer_end(ours));
	assert_int_equal(read(theirs, bytes, sizeof(bytes)), 7);
	assert_false(unix_peer_end(ours));
	close_ours();
}

/* Nobody can read the answer: the last reference to their end is in our queue. */
WITH_PEER(peer_that_passes_its_own_end_is_not_waited_for)
{
	assert_true(pass_file(theirs, "ask\n", theirs, 0));
	close(theirs);
	assert_true(pass_file(ours, "answer\n", -1, 0));
	assert_false(unix_peer_end(ours));
	close_ours();
	theirs = -1;
}

/* As long as the kernel can. */
TEST(kernel_refuses_files_where_it_can)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;
	int yes = 1;

	if (setsockopt(listener, SOL_SOCKET, 83, &yes, sizeof(yes)) != 0) {
		close(listener);
		skip("this kernel does not know SO_PASSRIGHTS");
	}
	unix_peer_refuse_files(listener);
	assert_return_code(bind(listener, (struct sockaddr *)&address,
			       sizeof(address.sun_family)),
	    errno);
	assert_return_code(listen(listener, 1), errno);
	assert_return_code(
	    getsockname(listener, (struct sockaddr *)&address, &size), errno);
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_return_code(
	    connect(client, (struct sockaddr *)&address, size), errno);
	assert_false(pass_file(client, "ask\n", client, 0));
	assert_int_equal(errno, EPERM);
	assert_true(pass_file(client, "ask\n", -1, 0));
	close(client);
	close(listener);
}
