/* SPDX-License-Identifier: ISC */
/* electctl watch, of a daemon that a process of our own plays. */

#include "tests/unit/group.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/electctl.h"
#include "daemon/electctl/whole/whole.h"
#include "tests/lib/capture.h"

#define FLOOD_MAX_S                                                            \
	20 /* then the daemon ends; a watch with a timeout ends before */

#define FIRST_LINE_MS 1000 /* what `watch` allows for its first line */
#define LINE          "{\"event\":\"state\"}\n"

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

/* Sends the first client one line, and another when a watch that kept its limit
 * for the first line would have ended. */
static void
pause_after_first_line(int listener)
{
	struct pollfd client = { .fd = accept(listener, NULL, NULL) };

	send(client.fd, LINE, strlen(LINE), MSG_NOSIGNAL);
	poll(&client, 1, FIRST_LINE_MS + 100);
	send(client.fd, LINE, strlen(LINE), MSG_NOSIGNAL);
	_exit(0);
}

/* Makes a daemon that does this with its listening socket, and then hangs. */
static int
begin(void **state, void (*play)(int listener))
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
		if (play != NULL)
			play(listener);
		pause();
	}
	close(listener);
	*state = &daemon;
	return 0;
}

static int
enter_flood(void **state)
{
	return begin(state, flood);
}

static int
enter_pause(void **state)
{
	return begin(state, pause_after_first_line);
}

static int
enter_silence(void **state)
{
	return begin(state, NULL);
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
TEST(the_timeout_ends_it_amid_events, enter_flood, leave)
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

/* Then nobody can know which node leads. */
TEST(a_daemon_that_sends_nothing_is_unreachable, enter_silence, leave)
{
	static const enum output outputs[] = { OUTPUT_TEXT, OUTPUT_JSON };
	const struct daemon *daemon = *state;

	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		const struct options options = {
			.place.socket = daemon->path,
			.output = outputs[i],
			.timeout = 10 * MSEC,
		};
		enum control_code code;

		capture();
		code = run_watch(command_find("watch"), &options);
		assert_string_equal(captured(),
		    "electctl: watch: the daemon did not answer in time\n");
		assert_int_equal(code, CODE_UNREACHABLE);
	}
}

/* All other verbs that ask wait as long. */
TEST(a_watch_without_timeout_waits_a_second_for_its_first_line, enter_silence,
    leave)
{
	const struct daemon *daemon = *state;
	const struct options options = {
		.place.socket = daemon->path,
		.output = OUTPUT_JSON,
	};
	enum control_code code;

	capture();
	code = run_watch(command_find("watch"), &options);
	assert_string_equal(
	    captured(), "electctl: watch: the daemon did not answer in time\n");
	assert_int_equal(code, CODE_UNREACHABLE);
}

/* It ends only when the daemon ends, with status 3. */
TEST(after_its_first_line_a_watch_without_timeout_has_no_limit, enter_pause,
    leave)
{
	const struct daemon *daemon = *state;
	const struct options options = {
		.place.socket = daemon->path,
		.output = OUTPUT_JSON,
		.given = OPTION_BIT(OPTION_QUIET),
	};
	enum control_code code;

	capture();
	code = run_watch(command_find("watch"), &options);
	assert_string_equal(
	    captured(), "electctl: watch: the daemon has gone\n");
	assert_int_equal(code, CODE_UNREACHABLE);
}

/* Each way to watch has options of its own. */
TEST(options_of_the_other_way_are_refused)
{
	static const struct {
		uint64_t given;
		enum output output;
		const char *svg;
		const char *told;
	} rows[] = {
		{ OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_DEADLINES),
		    OUTPUT_TEXT, NULL, "watch --all: takes no --deadlines" },
		{ OPTION_BIT(OPTION_ALL), OUTPUT_KV, NULL,
		    "watch --all: has no -o kv" },
		{ 0, OUTPUT_TEXT, "x.svg", "watch --svg: needs --all" },
	};
	const struct command *command = command_find("watch");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct options options = {
			.given = rows[i].given,
			.output = rows[i].output,
			.svg = rows[i].svg,
		};
		enum control_code code;
		char wanted[64];

		snprintf(
		    wanted, sizeof(wanted), "electctl: %s\n", rows[i].told);
		capture();
		code = run_watch(command, &options);
		assert_string_equal(captured(), wanted);
		assert_int_equal(code, CODE_USAGE);
	}
}
