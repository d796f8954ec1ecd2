/* SPDX-License-Identifier: ISC */
/* The command line of electctl. */
#include "daemon/electctl/electctl.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>

#define DIGITS      "0123456789"
#define TIMEOUT_MAX (366 * 24 * 3600 * SEC) /* a year: longer is a mistake */

/* The options that have no letter. */
enum {
	OPTION_CLUSTER = CHAR_MAX + 1,
	OPTION_LIMIT,
	OPTION_TO,
	OPTION_FOR,
	OPTION_REASON,
	OPTION_WAIT,
	OPTION_NO_WAIT,
	OPTION_FORCE,
	OPTION_CHECK,
	OPTION_TREE,
	OPTION_DEADLINE,
	OPTION_DEADLINES,
	OPTION_FROM,
	OPTION_TERM,
	OPTION_FILE,
	OPTION_FORMAT,
	OPTION_SVG,
	OPTION_AT,
	OPTION_ALL,
	OPTION_DUMP,
	OPTION_ONCE,
	OPTION_EVEN_IF_TWO,
	OPTION_STOP_TIME,
	OPTION_MARGIN,
	OPTION_EXEC,
};

/* "+": getopt() stops at each word that is no option. */
static const char letters[] = "+:s:o:jqt:hV";

static const struct option longs[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "cluster", required_argument, NULL, OPTION_CLUSTER },
	{ "output", required_argument, NULL, 'o' },
	{ "json", no_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "timeout", required_argument, NULL, 't' },
	{ "limit", required_argument, NULL, OPTION_LIMIT },
	{ "deadline", no_argument, NULL, OPTION_DEADLINE },
	{ "deadlines", no_argument, NULL, OPTION_DEADLINES },
	{ "wait", no_argument, NULL, OPTION_WAIT },
	{ "no-wait", no_argument, NULL, OPTION_NO_WAIT },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "tree", no_argument, NULL, OPTION_TREE },
	{ "to", required_argument, NULL, OPTION_TO },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "reason", required_argument, NULL, OPTION_REASON },
	{ "from", required_argument, NULL, OPTION_FROM },
	{ "term", required_argument, NULL, OPTION_TERM },
	{ "file", required_argument, NULL, OPTION_FILE },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "at", required_argument, NULL, OPTION_AT },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "dump", required_argument, NULL, OPTION_DUMP },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "even-if-two", no_argument, NULL, OPTION_EVEN_IF_TWO },
	{ "exec", no_argument, NULL, OPTION_EXEC },
	{ "stop-time", required_argument, NULL, OPTION_STOP_TIME },
	{ "margin", required_argument, NULL, OPTION_MARGIN },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const struct {
	const char *name;
	nsec_t duration;
} units[] = {
	{ "", SEC },
	{ "us", USEC },
	{ "ms", MSEC },
	{ "s", SEC },
	{ "m", 60 * SEC },
	{ "h", 3600 * SEC },
};

/* 0: there is no such unit. */
static nsec_t
unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, name) == 0)
			return units[i].duration;
	}
	return 0;
}

/* The value of the digits after the point at `at`; 0 without a point. */
static nsec_t
parse_fraction(const char *at, nsec_t unit)
{
	nsec_t sum = 0;

	if (*at != '.')
		return 0;
	for (at++; *at >= '0' && *at <= '9'; at++) {
		unit /= 10;
		sum += (nsec_t)(*at - '0') * unit;
	}
	return sum;
}

/*
 * Reads "500ms", "1.5s" or "5": a number and a unit, by default seconds. NULL,
 * or what it should be.
 */
static const char *
parse_timeout(const char *text, nsec_t *timeout)
{
	size_t whole = strspn(text, DIGITS);
	size_t size =
	    whole +
	    (text[whole] == '.' ? 1 + strspn(text + whole + 1, DIGITS) : 0);
	nsec_t unit = unit_find(text + size);
	unsigned long number;

	if (whole == 0 || unit == 0)
		return "timeout is a number and us, ms, s, m or h";
	errno = 0;
	number = strtoul(text, NULL, 10);
	if (errno != 0 || number > TIMEOUT_MAX / unit)
		return "timeout must be at most a year";
	*timeout = number * unit + parse_fraction(text + whole, unit);
	return *timeout > 0 ? NULL : "timeout must be more than 0";
}

static bool
parse_limit(const char *text, long *limit)
{
	char *end;

	errno = 0;
	*limit = strtol(text, &end, 10);
	return end != text && *end == '\0' && errno == 0 && *limit > 0;
}

static bool
parse_output(const char *text, enum output *output)
{
	static const char *const names[] = {
		[OUTPUT_TEXT] = "text",
		[OUTPUT_JSON] = "json",
		[OUTPUT_KV] = "kv",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], text) == 0) {
			*output = (enum output)i;
			return true;
		}
	}
	return false;
}

static bool
parse_number(const char *text, uint64_t *number)
{
	long whole;

	if (!parse_limit(text, &whole))
		return false;
	*number = (uint64_t)whole;
	return true;
}

/* Stores an option of `run` or `follow` with its value, as take_option(). */
static const char *
take_run_option(struct options *options, int option)
{
	switch (option) {
	case OPTION_ONCE:
		options->is_once = true;
		return NULL;
	case OPTION_EVEN_IF_TWO:
		options->is_even_if_two = true;
		return NULL;
	case OPTION_EXEC:
		options->is_exec = true;
		return NULL;
	case OPTION_STOP_TIME:
		return parse_timeout(optarg, &options->stop_time);
	case OPTION_MARGIN:
		options->is_once = true;
		return parse_timeout(optarg, &options->margin);
	default:
		assert(false);
		return NULL;
	}
}

/* Stores an option of histories with its value, as take_option(). */
static const char *
take_history_option(struct options *options, int option)
{
	switch (option) {
	case OPTION_FROM:
		return parse_number(optarg, &options->from)
			   ? NULL
			   : "from is a number from 1";
	case OPTION_TERM:
		return parse_number(optarg, &options->term)
			   ? NULL
			   : "term is a number from 1";
	case OPTION_FILE:
		if (options->files_count == FILES_MAX)
			return "file may be given 64 times";
		options->files[options->files_count++] = optarg;
		return NULL;
	case OPTION_FORMAT:
		options->format = optarg;
		return NULL;
	case OPTION_SVG:
		options->svg = optarg;
		return NULL;
	case OPTION_AT:
		options->at = optarg;
		return NULL;
	case OPTION_ALL:
		options->wants_all = true;
		return NULL;
	default:
		return take_run_option(options, option);
	}
}

/* Stores an option without a value. False: it is none. */
static bool
take_flag(struct options *options, int option)
{
	switch (option) {
	case 'j':
		options->output = OUTPUT_JSON;
		return true;
	case 'q':
		options->is_quiet = true;
		return true;
	case 'h':
		options->wants_help = true;
		return true;
	case OPTION_DEADLINE:
		options->wants_deadline = true;
		return true;
	case OPTION_DEADLINES:
		options->wants_deadlines = true;
		return true;
	case OPTION_NO_WAIT:
		options->wants_no_wait = true;
		return true;
	case OPTION_FORCE:
		options->wants_force = true;
		return true;
	case OPTION_CHECK:
		options->wants_check = true;
		return true;
	case OPTION_TREE:
		options->wants_tree = true;
		return true;
	case OPTION_WAIT:
		options->wants_wait = true;
		return true;
	default:
		return false;
	}
}

/* Stores an option with its value. NULL, or what the value should be. */
static const char *
take_option(struct options *options, int option)
{
	if (take_flag(options, option))
		return NULL;
	switch (option) {
	case 's':
		options->place.socket = optarg;
		return NULL;
	case OPTION_CLUSTER:
		options->place.cluster = optarg;
		return NULL;
	case 'o':
		return parse_output(optarg, &options->output)
			   ? NULL
			   : "output is text, json or kv";
	case 't':
		return parse_timeout(optarg, &options->timeout);
	case OPTION_LIMIT:
		return parse_limit(optarg, &options->limit)
			   ? NULL
			   : "limit is a number from 1";
	case OPTION_TO:
		options->to = optarg;
		return NULL;
	case OPTION_FOR:
		return parse_timeout(optarg, &options->lasts) == NULL &&
			       options->lasts >= MSEC
			   ? NULL
			   : "for is a number and ms, s, m or h, from 1ms to a year";
	case OPTION_DUMP:
		options->dump = optarg;
		return NULL;
	case OPTION_REASON:
		options->reason = optarg;
		return NULL;
	default:
		return take_history_option(options, option);
	}
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
explain_option(int option, const char *word)
{
	if (option == ':')
		complain("%s: needs an argument", word);
	else if (optopt == 0)
		complain("unknown option %s; --help lists them", word);
	else if (optopt > CHAR_MAX || strchr(letters, optopt) != NULL)
		complain("%s: takes no argument", word);
	else
		complain("unknown option -%c; --help lists them", optopt);
}

/* Reads the options; *code as in options_parse(). */
static bool
take_options(
    struct options *options, int argc, char **argv, enum control_code *code)
{
	const char *wrong;

	opterr = 0; /* getopt() would begin each message with our path */
	for (;;) {
		int before = optind;
		int option = getopt_long(argc, argv, letters, longs, NULL);

		if (option == -1) {
			bool is_last =
			    has_no_more_options(options, argv, before);

			do
				if (!take_word(options, argc, argv))
					return true;
			while (is_last);
			continue;
		}
		if (option == 'V') {
			puts("electctl " ELECTD_VERSION);
			*code = CODE_YES;
			return false;
		}
		if (option == '?' || option == ':') {
			explain_option(option, argv[optind - 1]);
			return false;
		}
		wrong = take_option(options, option);
		if (wrong == NULL)
			continue;
		complain("%s: not \"%s\"", wrong, optarg);
		return false;
	}
}

bool
options_parse(
    struct options *options, int argc, char **argv, enum control_code *code)
{
	*options = (struct options){ .verb = NULL };
	*code = CODE_USAGE;
	if (!take_options(options, argc, argv, code))
		return false;
	return find_default(&options->place);
}
