/* SPDX-License-Identifier: ISC */
/* The command line of electctl. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "daemon/electctl/electctl.h"

/* What getopt() gives for a row without a letter. */
#define ROW_FIRST (CHAR_MAX + 1)

/* The options as getopt() wants them. */
struct grammar {
	char letters[3 + 2 * OPTIONS_COUNT];
	struct option longs[OPTIONS_COUNT + 1];
};

static bool
is_named_before(int row)
{
	for (int i = 0; i < row; i++) {
		if (strcmp(option_rows[i].name, option_rows[row].name) == 0)
			return true;
	}
	return false;
}

/* "+": getopt() stops at each word that is no option. Of two rows of one name it
 * gets the first: else a name that is cut short would fit both. */
static void
make_grammar(struct grammar *g)
{
	size_t size = 2, longs = 0;

	*g = (struct grammar){ .letters = "+:" };
	for (int i = 0; i < OPTIONS_COUNT; i++) {
		const struct option_row *row = &option_rows[i];

		if (!is_named_before(i))
			g->longs[longs++] = (struct option){
				.name = row->name,
				.has_arg = row->value != NULL,
				.val = ROW_FIRST + i,
			};
		if (row->letter == '\0')
			continue;
		g->letters[size++] = row->letter;
		if (row->value != NULL)
			g->letters[size++] = ':';
	}
}

/* The row of what getopt() has given. */
static const struct option_row *
row_of(int option)
{
	for (int i = 0; i < OPTIONS_COUNT; i++) {
		if (option == ROW_FIRST + i || option == option_rows[i].letter)
			return &option_rows[i];
	}
	return NULL;
}

/* Takes the word at which getopt() has stopped: the verb, or one that follows
 * it and moves up to the others. False: there are no more. */
static bool
take_word(struct options *options, int argc, char **argv)
{
	if (optind == argc) {
		if (options->words != NULL)
			options->words[options->words_count] = NULL;
		return false;
	}
	if (options->verb == NULL) {
		options->verb = argv[optind];
		options->words = &argv[++optind];
	} else {
		options->words[options->words_count++] = argv[optind++];
	}
	return true;
}

/* True if no word from here on is an option: that is said by "--", which
 * getopt() has just skipped, or these are the words of a command. */
static bool
has_no_more_options(const struct options *options, char **argv, int before)
{
	const struct command *command =
	    options->verb == NULL ? NULL : command_find(options->verb);

	return (optind > before && strcmp(argv[before], "--") == 0) ||
	       (command != NULL && command->takes_command);
}

/* Complains about a word that getopt() rejects. */
static void
explain_option(const char *word)
{
	if (optopt == 0)
		complain("unknown option %s; --help lists them", word);
	else if (row_of(optopt) != NULL)
		complain("%s: takes no argument", word);
	else
		complain("unknown option -%c; --help lists them", optopt);
}

bool
options_read(
    struct options *options, int argc, char **argv, struct reading *reading)
{
	struct grammar g;

	*reading = (struct reading){ .lacking = NULL };
	make_grammar(&g);
	opterr = 0; /* getopt() would begin each message with our path */
	while (!is_given(options, OPTION_VERSION)) {
		int before = optind;
		int option = getopt_long(argc, argv, g.letters, g.longs, NULL);

		if (option == -1) {
			reading->has_only_words =
			    has_no_more_options(options, argv, before);
			do
				if (!take_word(options, argc, argv))
					return true;
			while (reading->has_only_words);
		} else if (option == ':') {
			reading->lacking = row_of(optopt);
			return true;
		} else if (option == '?') {
			explain_option(argv[optind - 1]);
			return false;
		} else if (!option_take(options, row_of(option), optarg)) {
			return false;
		}
	}
	return true;
}

bool
options_parse(
    struct options *options, int argc, char **argv, enum control_code *code)
{
	struct reading reading;

	*options = (struct options){ .verb = NULL };
	*code = CODE_USAGE;
	if (!options_read(options, argc, argv, &reading))
		return false;
	if (reading.lacking != NULL) {
		complain("%s: needs an argument", argv[argc - 1]);
		return false;
	}
	if (is_given(options, OPTION_VERSION)) {
		puts("electctl " ELECTD_VERSION);
		*code = CODE_YES;
		return false;
	}
	return find_default(&options->place);
}
