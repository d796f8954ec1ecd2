/* SPDX-License-Identifier: ISC */
/* electctl: asks electd over its control sockets, and steers it. */
#include "daemon/electctl/electctl.h"

#include <errno.h>
#include <stdio.h>

#define USAGE_WIDTH  79 /* columns of a line of usage */
#define USAGE_INDENT 19 /* of a further line */

static const char usage[] =
    "usage: electctl [--cluster NAME] [-o text|json|kv] [-q] [-t TIMEOUT] VERB";

static const char exit_help[] =
    "Exit status: 0 done or yes, 1 no, 2 wrong usage, 3 no daemon, 4 not permitted, 5 no quorum, 6 refused by the cluster or the daemon, 7 the outcome is unknown, 8 the file is wrong, 9 the leader is not known yet: this node has just started.\n\n"
    "`electctl VERB --help` and electctl(1) say more.\n";

static void
print_help(FILE *to)
{
	const struct command *command;

	fprintf(to, "%s\n\n", usage);
	for (size_t i = 0; (command = command_at(i)) != NULL; i++)
		fprintf(to, "  %-16s %s\n", command->name, command->summary);
	fputc('\n', to);
	options_help(to, OPTIONS_GLOBAL);
	fputc('\n', to);
	print_wrapped(to, exit_help, 0, 0);
}

/* Prints a part of the usage, in a further line if it does not fit. */
static void
print_part(int *column, const char *text)
{
	if (*column + 1 + (int)strlen(text) > USAGE_WIDTH)
		*column = printf("\n%*s", USAGE_INDENT - 1, "") - 1;
	*column += printf(" %s", text);
}

/* Prints the verb with its options and arguments. */
static void
print_usage(const struct command *command)
{
	int column = printf("  electctl %s", command->name);

	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		bool is_needed = (command->needs & OPTION_BIT(i)) != 0;
		char text[64];

		snprintf(text, sizeof(text), "%s--%s%s%s%s",
		    is_needed ? "" : "[", row->name,
		    row->value != NULL ? " " : "",
		    row->value != NULL ? row->value : "", is_needed ? "" : "]");
		if ((command->takes & OPTION_BIT(i)) != 0)
			print_part(&column, text);
	}
	if (command->arguments != NULL)
		print_part(&column, command->arguments + 1);
	printf("\n\n");
}

static void
print_command_help(const struct command *command)
{
	printf("%s\n\n", command->summary);
	print_usage(command);
	if (command->details != NULL)
		printf("%s\n", command->details);
	options_help(stdout, command->takes);
	if (command->takes != 0)
		putchar('\n');
	if (command->more != NULL)
		printf("%s\n", command->more);
	printf("Example:\n  %s\n", command->example);
}

/* Makes `help VERB` into `VERB --help`. */
static void
take_help(struct options *options)
{
	if (options->verb == NULL || strcmp(options->verb, "help") != 0 ||
	    is_given(options, OPTION_HELP))
		return;
	options->given |= OPTION_BIT(OPTION_HELP);
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
		bool is_wanted = is_given(options, OPTION_HELP);

		print_help(is_wanted ? stdout : stderr);
		return is_wanted ? CODE_YES : CODE_USAGE;
	}
	command = command_take(options);
	if (command == NULL) {
		explain_unknown_verb(options->verb);
		return CODE_USAGE;
	}
	if (is_given(options, OPTION_HELP)) {
		print_command_help(command);
		return CODE_YES;
	}
	if (!options_fit(command, options) || !arguments_take(command, options))
		return CODE_USAGE;
	if (is_given(options, OPTION_WAIT))
		command = command_find("wait");
	return command->run != NULL ? command->run(command, options)
				    : run_query(command, options);
}

int
electctl_run(int argc, char **argv)
{
	struct options options = { .arguments = NULL };
	enum control_code code;

	if (argc > 3 && strcmp(argv[1], COMPLETE_WORD) == 0) {
		argv[2] = argv[0];
		code = complete(argc - 2, argv + 2);
	} else if (options_parse(&options, argc, argv, &code)) {
		code = run(&options);
	}
	json_decref(options.arguments);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("cannot write the answer: %s", strerror(errno));
		return CODE_UNKNOWN;
	}
	return (int)code;
}
