/* SPDX-License-Identifier: ISC */
/* electctl: asks electd over its control sockets, and steers it. */
#include "daemon/electctl/electctl.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/wire/standby.h"

static const char usage[] =
    "usage: electctl [--cluster NAME] [-o text|json|kv] [-q] [-t TIMEOUT] VERB";

static const char options_help[] =
    "      --cluster NAME     ask the daemon at /run/electd/NAME.sock; needed if\n"
    "                         several clusters have a daemon on this host\n"
    "  -s, --socket SOCKET    ask the daemon at SOCKET; default: $ELECTD_SOCKET,\n"
    "                         else the only socket in /run/electd\n"
    "  -o, --output FORM      text for people, json for programs, kv for\n"
    "                         shells\n"
    "  -j, --json             the same as -o json\n"
    "  -q, --quiet            print no answer; the exit status has the result\n"
    "  -t, --timeout TIMEOUT  wait no longer: \"500ms\", \"1.5s\", \"5m\"; default:\n"
    "                         1s, also for the first line of watch; 5s for elect\n"
    "                         and rejoin; 30s for reload; 60s for resign, standby\n"
    "                         and to change members; no limit for wait\n"
    "  -h, --help             print this, or the help of a verb\n"
    "  -V, --version          print the version\n";

static const char exit_help[] =
    "Exit status: 0 done or yes, 1 no, 2 wrong usage, 3 no daemon,\n"
    "4 not permitted, 5 no quorum, 6 refused by the cluster or the daemon, 7 the\n"
    "outcome is unknown, 8 the configuration is wrong, 9 the leader is not known\n"
    "yet: this node has just started.\n";

static void
print_help(FILE *to)
{
	const struct command *command;

	fprintf(to, "%s\n\n", usage);
	for (size_t i = 0; (command = command_at(i)) != NULL; i++)
		fprintf(to, "  %-16s %s\n", command->name, command->summary);
	fprintf(to, "\n%s\n%s\n%s", options_help, exit_help,
	    "`electctl VERB --help` and electctl(1) say more.\n");
}

static void
print_command_help(const struct command *command)
{
	printf("%s\n\n  electctl %s%s\n\n", command->summary, command->name,
	    command->arguments);
	if (command->details != NULL)
		printf("%s\n", command->details);
	if (command->more != NULL)
		printf("%s\n", command->more);
	printf("Example:\n  %s\n", command->example);
}

/* True if the verb takes this --to. The daemon checks that there is such a
 * node. */
static bool
takes_successor(const struct command *command, const char *to)
{
	json_t *value = json_string(to);

	if (!command->takes_to)
		complain("%s: takes no --to", command->name);
	else if (value == NULL)
		complain("%s: --to is not UTF-8", command->name);
	json_decref(value);
	return command->takes_to && value != NULL;
}

/* True if the verb takes this --for and --reason. */
static bool
takes_time(const struct command *command, const struct options *options)
{
	const char *reason = options->reason != NULL ? options->reason : "";

	if (options->lasts != 0 && !command->takes_for)
		complain("%s: takes no --for", command->name);
	else if (options->reason != NULL && !command->takes_reason)
		complain("%s: takes no --reason", command->name);
	else if (!standby_reason_is_valid(reason, strlen(reason)))
		complain(
		    "%s: --reason has at most %d bytes of UTF-8, and no control characters",
		    command->name, STANDBY_REASON_MAX);
	else
		return true;
	return false;
}

/* True if the verb takes the options about histories. */
static bool
takes_history(const struct command *command, const struct options *options)
{
	const char *extra = NULL;

	if (options->format != NULL && !command->takes_format)
		extra = "format";
	else if (options->wants_all && !command->takes_all)
		extra = "all";
	else if (command->takes_history)
		return true;
	else if (options->from != 0)
		extra = "from";
	else if (options->term != 0 && !command->takes_term)
		extra = "term";
	else if (options->files_count > 0)
		extra = "file";
	else if (options->svg != NULL && !command->takes_svg)
		extra = "svg";
	else if (options->at != NULL)
		extra = "at";
	if (extra != NULL)
		complain("%s: takes no --%s", command->name, extra);
	return extra == NULL;
}

/* True if the verb takes the options of `run` and `follow`. */
static bool
takes_run(const struct command *command, const struct options *options)
{
	const char *extra = NULL;

	bool runs = command->takes_command && !command->takes_exec;

	if (options->margin != 0 && !runs)
		extra = "margin";
	else if (options->is_once && !runs)
		extra = "once";
	else if (options->is_even_if_two && !runs)
		extra = "even-if-two";
	else if (options->is_exec && !command->takes_exec)
		extra = "exec";
	else if (options->stop_time != 0 && !command->takes_command)
		extra = "stop-time";
	if (extra != NULL)
		complain("%s: takes no --%s", command->name, extra);
	return extra == NULL;
}

/* True if the verb takes these options and arguments. */
static bool
arguments_fit(const struct command *command, const struct options *options)
{
	if (options->limit != 0 && !command->takes_limit) {
		complain("%s: takes no --limit", command->name);
		return false;
	}
	if (options->wants_deadline &&
	    (!command->takes_deadline || options->wants_wait)) {
		complain("%s%s: takes no --deadline", command->name,
		    options->wants_wait ? " --wait" : "");
		return false;
	}
	if (options->wants_deadlines && !command->takes_deadlines) {
		complain("%s: takes no --deadlines", command->name);
		return false;
	}
	if (options->wants_no_wait && !command->takes_no_wait) {
		complain("%s: takes no --no-wait", command->name);
		return false;
	}
	if (options->wants_force && !command->takes_force) {
		complain("%s: takes no --force", command->name);
		return false;
	}
	if (options->wants_check && !command->takes_check) {
		complain("%s: takes no --check", command->name);
		return false;
	}
	if (options->wants_tree && !command->takes_tree) {
		complain("%s: takes no --tree", command->name);
		return false;
	}
	if (options->wants_wait && !command->takes_wait) {
		complain("%s: takes no --wait", command->name);
		return false;
	}
	if (options->to != NULL && !takes_successor(command, options->to))
		return false;
	if (options->dump != NULL && !command->takes_dump) {
		complain("%s: takes no --dump", command->name);
		return false;
	}
	if (!takes_time(command, options) || !takes_history(command, options) ||
	    !takes_run(command, options))
		return false;
	return command->takes_command || arguments_take(command, options, NULL);
}

/* Makes `help VERB` into `VERB --help`. */
static void
take_help(struct options *options)
{
	if (options->verb == NULL || strcmp(options->verb, "help") != 0 ||
	    options->wants_help)
		return;
	options->wants_help = true;
	options->verb = NULL;
	if (options->words_count > 0) {
		options->verb = options->words[0];
		options->words++;
		options->words_count--;
	}
}

static enum control_code
run(struct options *options)
{
	const struct command *command;

	take_help(options);
	if (options->verb == NULL) {
		print_help(options->wants_help ? stdout : stderr);
		return options->wants_help ? CODE_YES : CODE_USAGE;
	}
	command = command_take(options);
	if (command == NULL) {
		explain_unknown_verb(options->verb);
		return CODE_USAGE;
	}
	if (options->wants_help) {
		print_command_help(command);
		return CODE_YES;
	}
	if (!arguments_fit(command, options))
		return CODE_USAGE;
	if (options->wants_wait)
		command = command_find("wait");
	return command->run(command, options);
}

/* Opens standard streams that are closed, so that no socket becomes one. */
static bool
open_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return fd >= 0;
}

int
main(int argc, char **argv)
{
	struct options options;
	enum control_code code;

	if (!open_standard_streams())
		return CODE_UNKNOWN;
	if (options_parse(&options, argc, argv, &code))
		code = run(&options);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("cannot write the answer: %s", strerror(errno));
		return CODE_UNKNOWN;
	}
	return (int)code;
}
