/* SPDX-License-Identifier: ISC */
/* electctl: asks electd over its control socket and steers it. */
#include "daemon/electctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/key.h"
#include "daemon/settings_nearest.h"

#define NEAR_MAX 2          /* letters that may be wrong in a verb */
#define AT_ONCE  (5 * SEC)  /* for a verb that needs no waiting */
#define IN_TIME  (60 * SEC) /* for one that waits for a short lease */

void
complain(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("electctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static enum control_code
judge_done(const json_t *answer)
{
	(void)answer;
	return CODE_YES;
}

/* It is no: for want of a quorum? */
static enum control_code
judge_no(const json_t *answer)
{
	const char *state = json_string_value(json_object_get(answer, "state"));

	return state != NULL && strcmp(state, "no-quorum") == 0 ? CODE_NO_QUORUM
								: CODE_NO;
}

static enum control_code
judge_leader(const json_t *answer)
{
	return json_is_object(json_object_get(answer, "leader"))
		   ? CODE_YES
		   : judge_no(answer);
}

static enum control_code
judge_is_leader(const json_t *answer)
{
	return json_is_true(json_object_get(answer, "is_leader"))
		   ? CODE_YES
		   : judge_no(answer);
}

static json_t *
take_wish(const char *word)
{
	if (strcmp(word, "leader") != 0 && strcmp(word, "no-leader") != 0 &&
	    strcmp(word, "quorum") != 0)
		return NULL;
	return json_string(word);
}

static json_t *
take_term(const char *word)
{
	long long term;
	char *end;

	errno = 0;
	term = strtoll(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 ||
	    term < 1)
		return NULL;
	return json_integer(term);
}

static enum control_code
run_keygen(const struct command *command, const struct options *options)
{
	char text[KEY_TEXT_MAX];

	(void)command;
	(void)options;
	key_generate(text);
	puts(text);
	return CODE_YES;
}

/* Its own version first: that needs no daemon. */
static enum control_code
run_version(const struct command *command, const struct options *options)
{
	if (options->output == OUTPUT_TEXT && !options->is_quiet)
		puts("electctl " ELECTD_VERSION);
	return run_query(command, options);
}

static const char resign_help[] =
    "To be asked of the leader. It leads on until another does, and longer\n"
    "while a deadline is not over that it has told (guarantee \"quorum\"; up\n"
    "to timing.lease). From then on it abstains: it votes, but is not elected\n"
    "until `electctl rejoin`, the next start of its daemon, or until nobody\n"
    "else is left to lead.\n"
    "\n"
    "  --to NODE  that node is to lead, by its name or id; refused where a\n"
    "             better one would take over from it (preempt)\n"
    "\n"
    "Exit status: 0 another leads; 1 this node does not lead; 2 there is no\n"
    "such NODE; 4 not permitted; 5 no majority to elect another; 6 refused:\n"
    "nobody else can lead, or NODE cannot, or in the end another does; 7 the\n"
    "time (-t, 60s) was up first: the request stands all the same.\n";

static const char rejoin_help[] =
    "It stands for election from now on, and takes over where it is better\n"
    "than the leader and `preempt` lets it: within moments, or (guarantee\n"
    "\"quorum\") when the last deadline that the leader has told is over.\n"
    "Done, too, if it did not abstain.\n";

static const struct command commands[] = {
	{ .name = "leader",
	    .arguments = "",
	    .summary = "print the leader's name",
	    .example = "ssh \"$(electctl leader)\"",
	    .describes_leader = true,
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_leader,
	    .judge = judge_leader },
	{ .name = "is-leader",
	    .arguments = "",
	    .summary = "exit 0 if this host leads, 1 or 5 if it does not",
	    .example = "electctl -q is-leader && /usr/local/bin/nightly-job",
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_is_leader,
	    .judge = judge_is_leader },
	{ .name = "status",
	    .arguments = "",
	    .summary = "show the cluster as this node sees it",
	    .example = "electctl status",
	    .describes_leader = true,
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_status,
	    .judge = judge_done },
	{ .name = "peers",
	    .arguments = "",
	    .summary = "show the other nodes and the links to them",
	    .example = "electctl -o json peers",
	    .shown_of = "status",
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_peers,
	    .judge = judge_done },
	{ .name = "watch",
	    .arguments = " [--limit N]",
	    .summary = "print the present state, then every event",
	    .example = "electctl -o json watch --limit 10",
	    .takes_limit = true,
	    .timeout = NSEC_NEVER,
	    .late = CODE_YES,
	    .lost = CODE_UNREACHABLE,
	    .run = run_watch,
	    .print = print_event,
	    .judge = judge_done },
	{ .name = "wait",
	    .arguments = " [leader|no-leader|quorum]",
	    .summary = "wait for the daemon, and a leader, none, or a quorum",
	    .example = "electctl -t 60s wait leader",
	    .argument = "for",
	    .wanted = "\"leader\", \"no-leader\" or \"quorum\"",
	    .take = take_wish,
	    .timeout = NSEC_NEVER,
	    .late = CODE_NO,
	    .describes_leader = true,
	    .run = run_wait,
	    .print = print_wait,
	    .judge = judge_done },
	{ .name = "explain",
	    .arguments = " [TERM]",
	    .summary = "tell why the last election began, and how it went",
	    .example = "electctl explain 7",
	    .argument = "term",
	    .wanted = "a term, a number from 1",
	    .take = take_term,
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_explain,
	    .judge = judge_done },
	{ .name = "elect",
	    .arguments = "",
	    .summary = "start an election",
	    .example = "electctl elect",
	    .is_admin = true,
	    .timeout = AT_ONCE,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_elect,
	    .judge = judge_done },
	{ .name = "resign",
	    .arguments = " [--to NODE]",
	    .summary = "have another node lead, and print its name",
	    .details = resign_help,
	    .example = "electctl resign --to web2",
	    .is_admin = true,
	    .takes_to = true,
	    .describes_leader = true,
	    .timeout = IN_TIME,
	    .late = CODE_UNKNOWN,
	    .overdue = "no other leads yet; it may come",
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_leader,
	    .judge = judge_done },
	{ .name = "rejoin",
	    .arguments = "",
	    .summary = "let this node lead again, after resign",
	    .details = rejoin_help,
	    .example = "electctl rejoin",
	    .is_admin = true,
	    .timeout = AT_ONCE,
	    .late = CODE_UNKNOWN,
	    .lost = CODE_UNKNOWN,
	    .run = run_query,
	    .print = print_rejoin,
	    .judge = judge_done },
	{ .name = "stats",
	    .arguments = "",
	    .summary = "show what was counted since the start",
	    .example = "electctl -o kv stats",
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_query,
	    .print = print_stats,
	    .judge = judge_done },
	{ .name = "version",
	    .arguments = "",
	    .summary = "print electctl's version and the daemon's",
	    .example = "electctl version",
	    .timeout = AT_ONCE,
	    .late = CODE_UNREACHABLE,
	    .lost = CODE_UNREACHABLE,
	    .run = run_version,
	    .print = print_version,
	    .judge = judge_done },
	{ .name = "keygen",
	    .arguments = "",
	    .summary = "print a new cluster key; needs no daemon",
	    .example = "(umask 077; electctl keygen >/etc/electd/web.key)",
	    .run = run_keygen },
};

#define COMMANDS_COUNT (sizeof(commands) / sizeof(commands[0]))

static const char usage[] =
    "usage: electctl [-s SOCKET] [-o text|json|kv] [-q] [-t TIMEOUT] VERB";

static const char options_help[] =
    "  -s, --socket SOCKET    the daemon's socket; default: $ELECTD_SOCKET,\n"
    "                         else the only one in /run/electd\n"
    "  -o, --output FORM      text for people, json for programs, kv for\n"
    "                         shells\n"
    "  -q, --quiet            no answer, the exit status tells\n"
    "  -t, --timeout TIMEOUT  wait no longer: \"500ms\", \"60s\", \"5m\";\n"
    "                         default: 5s, 60s for resign, no limit for\n"
    "                         watch and wait\n"
    "  -h, --help             this, or more of a verb\n"
    "  -V, --version          print the version\n";

static const char exit_help[] =
    "Exit status: 0 done or yes, 1 no, 2 wrong usage, 3 no daemon,\n"
    "4 not permitted, 5 no quorum, 6 refused by the cluster, 7 the outcome is\n"
    "unknown.\n";

static const struct command *
command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

/* Complains; one typed wrongly is told what it may have meant. */
static void
explain_unknown_verb(const char *name)
{
	const char *nearest = NULL;
	unsigned least = NEAR_MAX + 1;

	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		unsigned distance = word_distance(commands[i].name, name);

		if (distance < least) {
			nearest = commands[i].name;
			least = distance;
		}
	}
	if (nearest == NULL)
		complain("unknown verb \"%s\"; --help lists them", name);
	else
		complain(
		    "unknown verb \"%s\"; did you mean \"%s\"?", name, nearest);
}

static void
print_help(FILE *to)
{
	fprintf(to, "%s\n\n", usage);
	for (size_t i = 0; i < COMMANDS_COUNT; i++)
		fprintf(
		    to, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(to, "\n%s\n%s\n%s", options_help, exit_help,
	    "`electctl VERB --help` says more; so does electctl(1).\n");
}

static void
print_command_help(const struct command *command)
{
	printf("%s\n\n  electctl %s%s\n\n", command->summary, command->name,
	    command->arguments);
	if (command->details != NULL)
		printf("%s\n", command->details);
	printf("Example:\n  %s\n", command->example);
}

/* Which node it is, or whether there is one, the daemon knows. */
static bool
takes_successor(const struct command *command, const char *to)
{
	json_t *value = json_string(to);

	if (!command->takes_to)
		complain("%s: takes no --to", command->name);
	else if (value == NULL)
		complain("%s: --to is no UTF-8", command->name);
	json_decref(value);
	return command->takes_to && value != NULL;
}

/* Does the verb take what was given to it? */
static bool
arguments_fit(const struct command *command, const struct options *options)
{
	json_t *value;

	if (options->limit != 0 && !command->takes_limit) {
		complain("%s: takes no --limit", command->name);
		return false;
	}
	if (options->to != NULL && !takes_successor(command, options->to))
		return false;
	if (options->argument == NULL)
		return true;
	if (command->argument == NULL) {
		if (command->takes_to)
			complain("%s: takes no argument; did you mean --to %s?",
			    command->name, options->argument);
		else
			complain("%s: takes no argument", command->name);
		return false;
	}
	value = command->take(options->argument);
	if (value == NULL)
		complain("%s: takes %s", command->name, command->wanted);
	json_decref(value);
	return value != NULL;
}

static enum control_code
run(const struct options *options)
{
	const struct command *command;

	if (options->verb == NULL) {
		print_help(options->wants_help ? stdout : stderr);
		return options->wants_help ? CODE_YES : CODE_USAGE;
	}
	command = command_find(options->verb);
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
	return command->run(command, options);
}

/* So that no socket becomes stdout. */
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
