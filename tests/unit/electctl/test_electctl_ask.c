/* SPDX-License-Identifier: ISC */
/* What electctl prints, and its exit status, with a daemon that a process of our
 * own plays: it has one answer for a verb, or none. */

#include "tests/unit/group.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/electctl/electctl.h"
#include "tests/lib/capture.h"

#define WORDS_MAX   8
#define ANSWERS_MAX 3
#define LIFE_S      10 /* then the daemon ends by itself */

#define ALIVE "\"version\"", "{\"version\":\"1\"}"
#define NAMES "\"names\"", "{\"1\":\"web1\",\"2\":\"web2\"}"
#define WEB1  "\"leader\":{\"id\":1,\"name\":\"web1\",\"address\":\"h:1\"}"
#define STATUS(verdict, leader)                                                \
	"\"status\"",                                                          \
	    "{\"verdict\":\"" verdict "\",\"topology\":\"full\","              \
	    "\"reachable\":1,\"nodes\":2,\"state\":\"no-leader\"," leader "}"

/* The words of electctl, what the daemon answers to which requests, in pairs,
 * and what comes of it. Where the time runs out there is no answer: whether one
 * came before would be a matter of the speed of the machine. */
struct row {
	const char *words;
	const char *answers[2 * ANSWERS_MAX];
	const char *printed;
	int code;
};

static const struct row rows[] = {
	{ "status --check", { STATUS("ok", WEB1) },
	    "OK  web1 leads, 1 of 2 nodes up\n", 0 },
	{ "status --check", { STATUS("degraded", WEB1) },
	    "DEGRADED  web1 leads, 1 of 2 nodes up\n", 1 },
	{ "status --check", { STATUS("starting", "\"leader\":null") },
	    "STARTING  this node has just started and listens for a leader\n",
	    1 },
	{ "status --check", { STATUS("no-leader", "\"leader\":null") },
	    "NO LEADER  no node is eligible\n", 2 },
	{ "status --check", { STATUS("of-the-future", WEB1) },
	    "UNKNOWN  web1 leads, 1 of 2 nodes up\n", 3 },
	{ "status --check", { "\"status\"", "{\"error\":\"no\",\"code\":4}" },
	    "UNKNOWN  no\n", 3 },
	{ "-t 50ms status --check", { NULL },
	    "UNREACHABLE  status: the daemon did not answer in time\n", 2 },
	{ "-j -t 50ms status --check", { NULL },
	    "electctl: status: the daemon did not answer in time\n", 2 },
	{ "leader --wait", { ALIVE, "\"wait\"", "{" WEB1 "}" }, "web1\n",
	    CODE_YES },
	{ "wait quorum", { ALIVE, "\"for\":\"quorum\"", "{\"leader\":null}" },
	    "", CODE_YES },
	{ "-t 50ms wait", { NULL },
	    "electctl: still no answer from the daemon after 50 ms\n",
	    CODE_UNREACHABLE },
	{ "-t 50ms resign", { NULL },
	    "electctl: resign: the daemon did not answer in time\n",
	    CODE_UNKNOWN },
	{ "resign --to web1", { ALIVE, "\"to\":\"web1\"", "{" WEB1 "}" },
	    "web1\n", CODE_YES },
	{ "standby --for 2s --reason x --force",
	    { ALIVE, "\"for_ms\":2000,\"reason\":\"x\",\"force\":true",
		"{\"leader\":null}" },
	    "this node is on standby; no node leads\n", CODE_NO },
	{ "reload --no-wait --force",
	    { ALIVE, "\"wait\":false,\"force\":true", "{\"changed\":[]}" },
	    "the file and its keys are already in effect\n", CODE_YES },
	{ "is-leader --for 1s",
	    { "\"is-leader\",\"deadline\":true",
		"{\"is_leader\":false,\"state\":\"follower\"}" },
	    "no\n", CODE_NO },
	{ "record --dump -", { "\"record\"", "{\"bytes\":1}" },
	    "electctl: the daemon gave no tape\n", CODE_UNKNOWN },
	{ "watch --limit 1",
	    { NAMES, "\"watch\",\"limit\":1",
		"{\"time\":\"T\",\"event\":\"peer-up\",\"peer\":3}" },
	    "T peer-up: node 3\n", CODE_YES },
	{ "history --format text",
	    { NAMES, "\"history\"", "{\"error\":\"no\",\"code\":6}" },
	    "electctl: no\n", CODE_REFUSED },
	{ "version", { ALIVE }, "electctl " ELECTD_VERSION "\nelectd 1\n",
	    CODE_YES },
	{ "-t 50ms version", { NULL },
	    "electctl " ELECTD_VERSION
	    "\nelectctl: version: the daemon did not answer in time\n",
	    CODE_YES },
};

/* Answers each request that holds what an answer is for. */
static void
serve(int fd, const struct row *row)
{
	FILE *stream = fdopen(fd, "r+");
	char line[512];

	while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
		for (unsigned i = 0; i < 2 * ANSWERS_MAX; i += 2) {
			if (row->answers[i] == NULL ||
			    strstr(line, row->answers[i]) == NULL)
				continue;
			dprintf(fd, "%s\n", row->answers[i + 1]);
			break;
		}
	}
	_exit(0);
}

/* The daemon, with a process for each client. */
static void
play(int listener, const struct row *row)
{
	signal(SIGCHLD, SIG_IGN);
	alarm(LIFE_S);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fork() == 0)
			serve(fd, row);
		close(fd);
	}
}

/* Does what main() does with these words. */
static int
run(const char *path, const char *text)
{
	char copy[128], socket_option[128], program[] = "electctl";
	char *words[WORDS_MAX + 1] = { program, socket_option };
	int count = 2;
	struct options options;
	enum control_code code;
	const struct command *command;
	char *rest;

	snprintf(socket_option, sizeof(socket_option), "-s%s", path);
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	optind = 0;
	assert_true(options_parse(&options, count, words, &code));
	command = command_take(&options);
	assert_true(options_fit(command, &options) &&
		    arguments_take(command, &options));
	if (is_given(&options, OPTION_WAIT))
		command = command_find("wait");
	code = (command->run != NULL ? command->run : run_query)(
	    command, &options);
	json_decref(options.arguments);
	return (int)code;
}

TEST(answers_of_a_daemon_are_shown)
{
	char place[] = "/tmp/electd-ask-XXXXXX";
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	assert_non_null(mkdtemp(place));
	snprintf(address.sun_path, sizeof(address.sun_path),
	    "%s/web.admin.sock", place);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int code;
		pid_t pid;

		assert_int_equal(
		    bind(listener, (const struct sockaddr *)&address,
			sizeof(address)),
		    0);
		assert_int_equal(listen(listener, 5), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			play(listener, &rows[i]);
		close(listener);
		capture_stdout();
		code = run(address.sun_path, rows[i].words);
		assert_string_equal(captured(), rows[i].printed);
		assert_int_equal(code, rows[i].code);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		unlink(address.sun_path);
	}
	rmdir(place);
}
