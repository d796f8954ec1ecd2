/* SPDX-License-Identifier: ISC */
/* electd(8): the command line, and nothing else. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/discovery.h"
#include "daemon/electd/change/document.h"
#include "daemon/electd/electd.h"
#include "daemon/electd/start/host_check.h"
#include "daemon/electd/start/identify.h"
#include "daemon/state/store_start.h"
#include "daemon/system/log.h"

#define DEFAULT_FILE "/etc/electd/electd.conf"
#define EXIT_USAGE   2 /* as electctl's */

enum purpose {
	PURPOSE_RUN,
	PURPOSE_CHECK,
	PURPOSE_PRINT,
	PURPOSE_SOCKET,
	PURPOSE_INIT_STATE,
	PURPOSE_ALGORITHMS,
	PURPOSE_VERSION,
	PURPOSE_HELP,
	PURPOSE_NONE, /* the command line is wrong */
};

struct options {
	const char *file;
	node_id id;
	enum log_level level;
	enum purpose purpose;
	bool is_file_only; /* PURPOSE_CHECK leaves out this host */
};

static const char usage[] =
    "usage: electd [-c FILE] [-i ID] [-v...]   run, in the foreground\n"
    "       electd -t [--file-only] [-c FILE] [-i ID]\n"
    "                                          check the configuration, and\n"
    "                                          whether this host suits it\n"
    "       electd -T [-c FILE] [-i ID]        print it with all defaults\n"
    "       electd --socket [-c FILE] [-i ID]  print the path of the socket\n"
    "                                          that electctl connects to\n"
    "       electd --init-cluster [-c FILE] [-i ID]\n"
    "                                          create the state file that\n"
    "                                          quorum needs, once per host\n"
    "       electd -A                          list the algorithms\n"
    "       electd -V                          print the version\n"
    "       electd -h                          print this\n";

/* Prints an error and returns false if the text is no id. */
static bool
parse_id(const char *text, node_id *id)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0' || value == 0 ||
	    value > NODE_ID_MAX) {
		fprintf(stderr, "electd: -i %s: an id is 1 to %" PRIu32 "\n",
		    text, NODE_ID_MAX);
		return false;
	}
	*id = (node_id)value;
	return true;
}

/* Options without a letter: numbers that no letter has. */
#define LETTER_INIT_CLUSTER 256
#define LETTER_FILE_ONLY    257
#define LETTER_SOCKET       258

static const struct option long_options[] = {
	{ .name = "init-cluster", .val = LETTER_INIT_CLUSTER },
	{ .name = "file-only", .val = LETTER_FILE_ONLY },
	{ .name = "socket", .val = LETTER_SOCKET },
	{ .name = "help", .val = 'h' },
	{ .name = "version", .val = 'V' },
	{ .name = NULL },
};

/* Returns PURPOSE_NONE if there is no such option. */
static enum purpose
purpose_of(int letter)
{
	switch (letter) {
	case 't':
	case LETTER_FILE_ONLY:
		return PURPOSE_CHECK;
	case 'T':
		return PURPOSE_PRINT;
	case LETTER_SOCKET:
		return PURPOSE_SOCKET;
	case LETTER_INIT_CLUSTER:
		return PURPOSE_INIT_STATE;
	case 'A':
		return PURPOSE_ALGORITHMS;
	case 'V':
		return PURPOSE_VERSION;
	case 'h':
		return PURPOSE_HELP;
	default:
		return PURPOSE_NONE;
	}
}

/* Returns PURPOSE_NONE after an error, which it has printed. */
static struct options
parse_options(int argc, char **argv)
{
	struct options o = { .file = DEFAULT_FILE, .level = LOG_LEVEL_INFO };
	int letter;

	while ((letter = getopt_long(
		    argc, argv, "c:i:vtTAVh", long_options, NULL)) != -1) {
		switch (letter) {
		case 'c':
			o.file = optarg;
			break;
		case 'i':
			if (parse_id(optarg, &o.id))
				break;
			o.purpose = PURPOSE_NONE;
			return o;
		case 'v':
			if (o.level < LOG_LEVEL_TRACE)
				o.level++;
			break;
		default:
			o.purpose = purpose_of(letter);
			o.is_file_only |= letter == LETTER_FILE_ONLY;
			if (o.purpose != PURPOSE_NONE)
				break;
			fputs(usage, stderr);
			return o;
		}
	}
	if (optind < argc) {
		fprintf(stderr,
		    "electd: unexpected argument \"%s\"; use -c FILE to name a configuration file\n",
		    argv[optind]);
		o.purpose = PURPOSE_NONE;
	}
	return o;
}

static void
list_algorithms(void)
{
	for (size_t i = 0; algorithms[i] != NULL; i++)
		printf("%-20s %-6s %s\n", algorithms[i]->name,
		    topology_words[algorithms[i]->topology],
		    algorithms[i]->summary);
}

/* The settings that are kept on this host outrank its file, unless that has a
 * higher config version. */
static int
init_cluster(struct settings *settings, const char *path)
{
	struct settings *kept = NULL;
	int status = identify_find(settings);

	if (status != EXIT_SUCCESS)
		return status;
	if (settings->shared.guarantee == GUARANTEE_QUORUM &&
	    config_has_document(&settings->shared))
		kept = document_kept(settings, path);
	if (kept != NULL &&
	    kept->shared.config_version >= settings->shared.config_version)
		status = store_init(kept);
	else
		status = store_init(settings);
	settings_free(kept);
	return status;
}

/* Identifies this host only if the path depends on the id. */
static int
print_socket(struct settings *settings)
{
	int status = strstr(settings->socket, "%i") == NULL
			 ? EXIT_SUCCESS
			 : identify_find(settings);

	if (status == EXIT_SUCCESS)
		puts(settings->socket);
	return status;
}

static int
run_with_settings(const struct options *o)
{
	struct settings *settings = settings_read(o->file, o->id, stderr);
	int status = EXIT_SUCCESS;

	if (settings == NULL)
		return EXIT_CONFIGURATION;
	if (o->purpose == PURPOSE_RUN)
		status = electd_run(settings, o->file, o->id);
	else if (o->purpose == PURPOSE_INIT_STATE)
		status = init_cluster(settings, o->file);
	else if (o->purpose == PURPOSE_SOCKET)
		status = print_socket(settings);
	else if (o->purpose == PURPOSE_PRINT)
		settings_print(settings, stdout);
	else
		status = host_check(o->file, settings, o->is_file_only);
	settings_free(settings);
	return status;
}

int
main(int argc, char **argv)
{
	char name[] = "electd"; /* getopt's messages begin with this */
	struct options o;
	int status;

	if (argc > 0)
		argv[0] = name;
	o = parse_options(argc, argv);
	log_set_level(o.level);
	switch (o.purpose) {
	case PURPOSE_RUN:
	case PURPOSE_CHECK:
	case PURPOSE_PRINT:
	case PURPOSE_SOCKET:
	case PURPOSE_INIT_STATE:
		do
			status = run_with_settings(&o);
		while (status == ELECTD_AGAIN);
		return status;
	case PURPOSE_ALGORITHMS:
		list_algorithms();
		return EXIT_SUCCESS;
	case PURPOSE_VERSION:
		puts("electd " ELECTD_VERSION);
		return EXIT_SUCCESS;
	case PURPOSE_HELP:
		fputs(usage, stdout);
		return EXIT_SUCCESS;
	case PURPOSE_NONE:
		break;
	}
	return EXIT_USAGE;
}
