/* SPDX-License-Identifier: ISC */
/* electctl watch, of a daemon that a process of our own plays. */

#include "tests/unit/group.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/electctl.h"
#include "daemon/electctl/whole/whole.h"

#define FLOOD_MAX_S 20 /* then the daemon ends: a watch is to end before */

struct daemon {
	char place[64];
	char path[CONTROL_PATH_MAX];
	pid_t pid;
};

/* Sends the first client more than it can read: each line takes far longer to
 * parse than to send. */
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

/* Makes such a daemon. */
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

	kill(daemon->pid, SIGKILL);
	assert_int_equal(waitpid(daemon->pid, NULL, 0), daemon->pid);
	unlink(daemon->path);
	rmdir(daemon->place);
	return 0;
}

/* If the daemon had ended first, the status would be 3. */
TEST(the_timeout_ends_it_amid_events, enter, leave)
{
	const struct daemon *daemon = *state;
	const struct options options = {
		.place.socket = daemon->path,
		.output = OUTPUT_JSON,
		.given = OPTION_BIT(OPTION_QUIET),
		.timeout =
		    2 * SEC, /* enough for the first line on a slow host */
	};

	assert_int_equal(run_watch(command_find("watch"), &options), CODE_YES);
}
