/* SPDX-License-Identifier: ISC */
/* The processes whose messages on progress count. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/run/progress_socket.h"
#include "daemon/system/sockets/notify.h"

#define LIMIT (5 * SEC)

static struct progress_socket ear;
static struct progress progress;

static int
enter(void **state)
{
	(void)state;
	assert_true(progress_socket_open(&ear));
	assert_int_equal(ear.name[0], '@');
	progress_init(&progress, LIMIT);
	progress_begin(&progress, SEC);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	close(ear.fd);
	notify_close();
	return 0;
}

/* Says what a command says, as electd itself does it. */
static void
speak(void)
{
	setenv("WATCHDOG_PID", "1", 1);
	progress_socket_prepare(&ear, LIMIT);
	notify_open();
	notify_ready();
}

/* Waits until the child's group has spoken, which has not ended then. */
static void
take_from(pid_t child, int spoken)
{
	char byte;

	assert_int_equal(read(spoken, &byte, 1), 1);
	progress_socket_take(&ear, 2 * SEC, &progress);
	kill(-child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(spoken);
}

/* Starts a child that speaks, or whose child does. */
static void
hear(bool is_grandchild)
{
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		if (!is_grandchild || fork() == 0) {
			speak();
			(void)!write(ends[1], "", 1);
		}
		for (;;)
			pause();
	}
	setpgid(child, child);
	close(ends[1]);
	take_from(child, ends[0]);
}

TEST(messages_of_a_child_count, enter, leave)
{
	hear(false);
	assert_true(progress.is_ready);
	assert_int_equal(progress_due_at(&progress), 2 * SEC + LIMIT);
}

TEST(messages_of_its_children_count, enter, leave)
{
	hear(true);
	assert_true(progress.is_ready);
}

/* This process is no descendant of its own. */
TEST(messages_of_others_do_not_count, enter, leave)
{
	speak();
	progress_socket_take(&ear, 2 * SEC, &progress);
	assert_false(progress.is_ready);
}

TEST(command_has_the_limit_in_its_environment, enter, leave)
{
	setenv("WATCHDOG_PID", "1", 1);
	progress_socket_prepare(&ear, 1500 * USEC);
	assert_string_equal(getenv("WATCHDOG_USEC"), "1500");
	assert_string_equal(getenv("NOTIFY_SOCKET"), ear.name);
	assert_null(getenv("WATCHDOG_PID"));
	unsetenv("WATCHDOG_USEC");
	unsetenv("NOTIFY_SOCKET");
}
