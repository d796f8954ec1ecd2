/* SPDX-License-Identifier: ISC */
/* The command line of electctl. */
#include "daemon/electctl.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#define TIMEOUT_MAX (366 * 24 * 3600 * SEC) /* a year: longer is a mistake */

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

/*
 * "500ms", "5s", "5": a whole number and its unit, seconds if none. NULL, or
 * what it should be.
 */
static const char *
parse_timeout(const char *text, nsec_t *timeout)
{
	static const char *const wanted =
	    "timeout is a number and us, ms, s, m or h";
	unsigned long number;
	char *unit;

	errno = 0;
	number = strtoul(text, &unit, 10);
	if (text[0] < '0' || text[0] > '9')
		return wanted;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, unit) != 0)
			continue;
		if (number == 0)
			return "timeout must be more than 0";
		if (errno != 0 || number > TIMEOUT_MAX / units[i].duration)
			return "timeout must be a year at most";
		*timeout = number * units[i].duration;
		return NULL;
	}
	return wanted;
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

/* One option of getopt's. NULL if all is well, else what it should be. */
static const char *
take_option(struct options *options, int option)
{
	switch (option) {
	case 's':
		options->socket = optarg;
		return NULL;
	case 'o':
		return parse_output(optarg, &options->output)
			   ? NULL
			   : "output is text, json or kv";
	case 'q':
		options->is_quiet = true;
		return NULL;
	case 't':
		return parse_timeout(optarg, &options->timeout);
	case 'l':
		return parse_limit(optarg, &options->limit)
			   ? NULL
			   : "limit is a number from 1";
	case 'T':
		options->to = optarg;
		return NULL;
	case 'h':
		options->wants_help = true;
		return NULL;
	default:
		return "";
	}
}

static bool
take_words(struct options *options, char **words, int count)
{
	if (count > 0)
		options->verb = words[0];
	if (count > 1)
		options->argument = words[1];
	if (count > 2)
		complain("%s: one argument at most", words[0]);
	return count <= 2;
}

bool
options_parse(
    struct options *options, int argc, char **argv, enum control_code *code)
{
	static const struct option longs[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "timeout", required_argument, NULL, 't' },
		{ "limit", required_argument, NULL, 'l' },
		{ "to", required_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	*options = (struct options){ .socket = getenv("ELECTD_SOCKET") };
	*code = CODE_USAGE;
	while ((option = getopt_long(argc, argv, "s:o:qt:hV", longs, NULL)) !=
	       -1) {
		const char *wrong;

		if (option == 'V') {
			puts("electctl " ELECTD_VERSION);
			*code = CODE_YES;
			return false;
		}
		wrong = take_option(options, option);
		if (wrong != NULL && wrong[0] != '\0')
			complain("%s: not \"%s\"", wrong, optarg);
		if (wrong != NULL)
			return false;
	}
	if (options->socket != NULL && options->socket[0] == '\0')
		options->socket = NULL;
	return take_words(options, argv + optind, argc - optind);
}
