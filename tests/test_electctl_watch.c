/* SPDX-License-Identifier: ISC */
/* electctl watch, of a daemon that is played by a process of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl.h"

#define FLOOD_MAX_S                                                            \
	20 /* then the daemon goes: a watch that ends, ends before */

struct daemon {
	char place[64];
	char path[CONTROL_PATH_MAX];
	pid_t pid;
};

/*
 * Tells the first client of more than it can read: each line takes far longer
 * to parse than to send.
 */
static void
flood(int listener)
{
	static char line[16384];
	int fd = accept(listener, NULL, NULL);
	size_t size = sizeof(line) - 4;

	memset(line, '0', sizeof(line));
	memcpy(line, "{\"event\":[", 10);
	for (size_t i = 11; i < size; i += 2)
		line[i] = ',';
	memcpy(line + size, "0]}\n", 4);
	while (send(fd, line, sizeof(line), MSG_NOSIGNAL) > 0)
		continue;
	_exit(0);
}

static int
enter(void **state)
{
	static struct daemon daemon;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(daemon.place, "/tmp/electd-watch-XXXXXX");
	assert_non_null(mkdtemp(daemon.place));
	snprintf(daemon.path, sizeof(daemon.path), "%s/sock", daemon.place);
	memcpy(address.sun_path, daemon.path, sizeof(daemon.path));
	assert_int_equal(
	    bind(listener, (const struct sockaddr *)&address, sizeof(address)),
	    0);
	assert_int_equal(listen(listener, 1), 0);
	daemon.pid = fork();
	assert_true(daemon.pid >= 0);
	if (daemon.pid == 0) {
		alarm(FLOOD_MAX_S);
		flood(listener);
	}
	close(listener);
	*state = &daemon;
	return 0;
}

static int
leave(void **state)
{
	struct daemon *daemon = *state;

	assert_int_equal(waitpid(daemon->pid, NULL, 0), daemon->pid);
	unlink(daemon->path);
	rmdir(daemon->place);
	return 0;
}

/* A daemon that had gone would be status 3. */
static void
the_timeout_ends_it_amid_events(void **state)
{
	const struct daemon *daemon = *state;
	const struct options options = {
		.socket = daemon->path,
		.output = OUTPUT_JSON,
		.is_quiet = true,
		.timeout = 100 * MSEC,
	};

	assert_int_equal(run_watch(command_find("watch"), &options), CODE_YES);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    the_timeout_ends_it_amid_events, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
