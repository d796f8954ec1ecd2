/* SPDX-License-Identifier: ISC */
/* electsim: election algorithms on a virtual network. */
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "tests/model/sim/command.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "run", command_run, "run one election and print its result" },
	{ "table", command_table,
	    "print messages and time beside the formulas" },
	{ "explore", command_explore, "try every order of messages" },
	{ "replay", command_replay, "play what recorded nodes did" },
	{ "swarm", command_swarm, "run whole nodes under random faults" },
};

static void
print_help(FILE *to)
{
	fputs("usage: electsim COMMAND [OPTION ...]\n\nCommands\n", to);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(
		    to, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\nelectsim COMMAND --help lists its options, with an example; "
	      "electsim --version\n",
	    to);
}

int
main(int argc, char **argv)
{
	static char program[] = "electsim"; /* getopt's complaints begin so */
	const char *name = argc > 1 ? argv[1] : "";

	/* libsodium is faster where it has looked at the processor. */
	if (sodium_init() < 0) {
		fputs("electsim: libsodium does not start\n", stderr);
		return COMMAND_FAILED;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		argv[1] = program;
		return commands[i].run(argc - 1, argv + 1);
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		puts("electsim " ELECTD_VERSION);
		return COMMAND_YES;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		print_help(stdout);
		return COMMAND_YES;
	}
	if (name[0] != '\0')
		fprintf(stderr, "electsim: there is no command \"%s\"\n", name);
	print_help(stderr);
	return COMMAND_USAGE;
}
