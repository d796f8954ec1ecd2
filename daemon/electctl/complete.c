/* SPDX-License-Identifier: ISC */
/* Completion: what the last word of a command line may become. */
#include "daemon/electctl/electctl.h"

#include <stdio.h>

#define CLAUSE_END ";:" /* of what the help of an option says first */

/* Prints so many bytes of a word, and what it is (NULL: nothing is said), if it
 * begins as the user has begun. */
static void
offer(const char *begun, const char *word, size_t size, const char *what)
{
	if (strncmp(word, begun, strlen(begun)) != 0 || strlen(begun) > size)
		return;
	printf("%.*s", (int)size, word);
	if (what != NULL)
		printf("\t%.*s", (int)strcspn(what, CLAUSE_END), what);
	putchar('\n');
}

/* Offers the first words of all verbs; or, of verbs of two words that begin
 * with `first`, the second. */
static void
offer_verbs(const char *begun, const char *first)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		const char *second = strchr(command->name, ' ');

		if (first == NULL && second == NULL)
			offer(begun, command->name, strlen(command->name),
			    command->summary);
		if (first != NULL && second != NULL &&
		    strncmp(command->name, first, strlen(first)) == 0 &&
		    strlen(first) == (size_t)(second - command->name))
			offer(begun, second + 1, strlen(second + 1),
			    command->summary);
	}
}

static void
offer_options(const char *begun, uint64_t mask)
{
	char name[64];

	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if ((mask & OPTION_BIT(i)) == 0)
			continue;
		snprintf(name, sizeof(name), "--%s", option_rows[i].name);
		offer(begun, name, strlen(name), option_rows[i].help);
	}
}

/* Offers what a part of a usage line, of this size, stands for: words in small
 * letters, with bars between them, and "role=" for "role=ROLE". */
static void
offer_part(const char *begun, const char *part, size_t size)
{
	const char *end = part + size;

	if (strncmp(part, "FILE", size) == 0 ||
	    strncmp(part, "SOCKET", size) == 0)
		puts(COMPLETE_FILES);
	else if (strncmp(part, "COMMAND...", size) == 0)
		puts(COMPLETE_COMMAND);
	else if (strncmp(part, "VERB", size) == 0)
		offer_verbs(begun, NULL);
	while (part < end && *part >= 'a' && *part <= 'z') {
		size = strcspn(part, "|=] ");
		offer(begun, part, size + (part[size] == '='), NULL);
		part += size + (part[size] == '|');
	}
}

/* Offers what the usage line has at this place, from 0; where the arguments
 * begin that have a name, all of them. */
static void
offer_argument(const char *begun, const char *arguments, int place)
{
	bool is_at_names = false;

	for (int i = 0; *arguments != '\0'; i++) {
		size_t size;
		bool has_name;

		arguments += strspn(arguments, " [");
		size = strcspn(arguments, " ]");
		has_name = memchr(arguments, '=', size) != NULL;
		is_at_names |= has_name && i <= place;
		if (has_name ? is_at_names : i == place)
			offer_part(begun, arguments, size);
		arguments += size + strspn(arguments + size, "]");
	}
}

/* Offers what may follow a verb: options that it needs first. */
static void
offer_words(const struct command *command, const struct options *options,
    const char *begun)
{
	uint64_t needed = command->needs & ~options->given;

	if (needed != 0 && options->words_count == 0)
		offer_options(begun, needed);
	else if (command->takes_command && options->words_count > 0)
		puts(COMPLETE_FILES);
	else if (command->arguments != NULL)
		offer_argument(begun, command->arguments, options->words_count);
	if (options->words_count == 0)
		offer_verbs(begun, command->name);
}

enum control_code
complete(int argc, char **argv)
{
	struct options options = { .verb = NULL };
	struct reading reading;
	const struct command *command = NULL;
	const char *begun = argv[argc - 1];

	if (!options_read(&options, argc - 1, argv, &reading))
		return CODE_USAGE;
	if (options.verb != NULL)
		command = command_take(&options);
	if (reading.lacking != NULL)
		offer_part(begun, reading.lacking->value,
		    strlen(reading.lacking->value));
	else if (begun[0] == '-' && !reading.has_only_words)
		offer_options(begun,
		    OPTIONS_GLOBAL | (command != NULL ? command->takes : 0));
	else if (options.verb == NULL)
		offer_verbs(begun, NULL);
	else if (command != NULL)
		offer_words(command, &options, begun);
	return CODE_YES;
}
