/* SPDX-License-Identifier: ISC */
/*
 * lan: a LAN of hosts in network namespaces on one machine, joined by a
 * switch with faults, for tests; as root or as an ordinary user.
 *
 *	lan -d DIR --hosts 5 --seed 7 &
 *	lan -d DIR wait
 *	lan -d DIR set all loss=30% dup=10% reorder=25% jitter=20ms
 *	lan -d DIR exec 3 -- electd -f electd.conf &
 *	lan -d DIR partition 1,2 3,4,5
 *	lan -d DIR stop
 *
 * DIR names the LAN, and nothing is written there. Host N is 198.18.0.N. The
 * LAN ends with the process that started it, and with it all that runs there.
 *
 *	wait, gone	wait until the LAN is up, or is gone
 *	exec		runs a program; passes on standard input and output,
 *			exit status and signals: TERM, TSTP as STOP, CONT.
 *			Files are the system's, and so is /proc: processes have
 *			other numbers there than inside
 *	probe		sends numbered datagrams one way, and prints their fates
 *	link		prints up or down, as the host itself sees its carrier
 *	cut, heal	lets no frame pass; heal alone ends cuts and partitions
 *	partition	lets no frame pass between groups, and all within; the
 *			other hosts are one more group
 *	carrier		takes the carrier of the host's interface, as if its
 *			cable were pulled, or gives it back
 *	clear		ends all faults but cuts
 *	stats		prints the counters of the switch and its wires
 *
 * PLACE is one of these, each of which has faults and may be cut
 *	all	every link, both ways: a frame passes exactly one of these
 *	1>2	the link from host 1 to host 2 (or 1:2, which needs no quotes)
 *	1-2	the link between them, both ways
 *	3.in	the port of host 3, from host to switch
 *	3.out	the same, from switch to host
 *	3	both
 *
 * FAULT=VALUE; those not named stay as they are, `none` ends all of them
 *	loss=30%	of the frames do not arrive
 *	dup=10%		arrive twice
 *	reorder=25%	are held back, by up to the jitter and at least up to
 *			10ms, so that later ones overtake them
 *	corrupt=1%	have a bit flipped behind the Ethernet header; frames
 *			other than IPv4 are dropped instead
 *	delay=5ms	us, ms or s; on every frame
 *	jitter=20ms	up to so much more; keeps the order
 *	rate=1mbit	kbit, mbit or gbit; more than 1s of backlog is dropped
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/system/lan/client.h"
#include "tests/system/lan/command.h"
#include "tests/system/lan/faults.h"
#include "tests/system/lan/keeper.h"
#include "tests/system/lan/probe.h"

#define EXIT_USAGE     2
#define LIFETIME_S_MAX 86400
#define WAIT_S_MAX     600
#define WAIT_S         10
#define PROBE_GAP_NS   MSEC
#define PROBE_WAIT_NS  (300 * MSEC)
#define PROBE_SIZE     64

static const char usage[] =
    "usage: lan -d DIR [--hosts N] [--seed N] [--for SECONDS] [--bridge]\n"
    "       lan --check\n"
    "       lan -d DIR wait|gone [SECONDS]\n"
    "       lan -d DIR exec HOST [--] PROGRAM [ARGUMENT...]\n"
    "       lan -d DIR probe FROM TO COUNT [size=BYTES] [gap=TIME] "
    "[wait=TIME]\n"
    "       lan -d DIR link HOST\n";

static const char places[] =
    "PLACE: all, 1>2 or 1:2 (one way), 1-2, 3.in, 3.out, 3\n"
    "FAULT: loss dup reorder corrupt (%) delay jitter (us ms s) "
    "rate (kbit mbit gbit)\n";

static _Noreturn void
main_usage(FILE *out, int status)
{
	fputs(usage, out);
	command_usage(out);
	fputs(places, out);
	exit(status);
}

/* Reads a whole number from min to max, or prints the usage. */
static uint64_t
main_parse_number(const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 &&
	    value >= min && value <= max)
		return value;
	fprintf(stderr, "lan: %s: not a number from %ju to %ju\n", text,
	    (uintmax_t)min, (uintmax_t)max);
	exit(EXIT_USAGE);
}

static unsigned
main_parse_seconds(const char *text)
{
	if (text == NULL)
		return WAIT_S;
	return (unsigned)main_parse_number(text, 0, WAIT_S_MAX);
}

static void
main_parse_probe(struct probe_options *options, const char *word)
{
	bool is_right = true;

	if (strncmp(word, "size=", 5) == 0)
		options->size_bytes = (unsigned)main_parse_number(
		    word + 5, PROBE_SIZE_MIN, PROBE_SIZE_MAX);
	else if (strncmp(word, "gap=", 4) == 0)
		is_right = faults_parse_time(word + 4, &options->gap_ns);
	else if (strncmp(word, "wait=", 5) == 0)
		is_right = faults_parse_time(word + 5, &options->wait_ns);
	else
		is_right = false;
	if (!is_right)
		main_usage(stderr, EXIT_USAGE);
}

static int
main_probe(const char *directory, char **words)
{
	struct probe_options options = {
		.size_bytes = PROBE_SIZE,
		.gap_ns = PROBE_GAP_NS,
		.wait_ns = PROBE_WAIT_NS,
	};

	options.count =
	    (unsigned)main_parse_number(words[3], 1, PROBE_COUNT_MAX);
	for (char **word = words + 4; *word != NULL; word++)
		main_parse_probe(&options, *word);
	return probe_run(directory, words[1], words[2], &options);
}

static int
main_exec(const char *directory, char **words)
{
	char **argv = words + 2;

	if (strcmp(*argv, "--") == 0)
		argv++;
	if (*argv == NULL)
		main_usage(stderr, EXIT_USAGE);
	return client_exec(directory, words[1], argv);
}

/* Does what a client can do by itself, or leaves it to the LAN's keeper. */
static int
main_client(const char *directory, int count, char **words)
{
	const char *name = words[0];

	if (strcmp(name, "wait") == 0 && count <= 2)
		return client_wait(directory, main_parse_seconds(words[1]));
	if (strcmp(name, "gone") == 0 && count <= 2)
		return client_gone(directory, main_parse_seconds(words[1]));
	if (strcmp(name, "exec") == 0 && count >= 3)
		return main_exec(directory, words);
	if (strcmp(name, "probe") == 0 && count >= 4)
		return main_probe(directory, words);
	if (strcmp(name, "link") == 0 && count == 2)
		return client_link(directory, words[1]);
	return client_command(directory, words);
}

enum {
	OPTION_DIRECTORY = 'd',
	OPTION_HELP = 'h',
	OPTION_HOSTS = 256,
	OPTION_SEED,
	OPTION_FOR,
	OPTION_BRIDGE,
	OPTION_CHECK,
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "hosts", required_argument, NULL, OPTION_HOSTS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "bridge", no_argument, NULL, OPTION_BRIDGE },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ 0 },
};

/* Takes one option; true when it was --check. */
static bool
main_option(struct keeper_options *options, int option)
{
	switch (option) {
	case OPTION_DIRECTORY:
		options->directory = optarg;
		break;
	case OPTION_HOSTS:
		options->hosts =
		    (unsigned)main_parse_number(optarg, 1, HOSTS_MAX);
		break;
	case OPTION_SEED:
		options->seed = main_parse_number(optarg, 0, UINT64_MAX);
		break;
	case OPTION_FOR:
		options->lifetime_s =
		    (unsigned)main_parse_number(optarg, 1, LIFETIME_S_MAX);
		break;
	case OPTION_BRIDGE:
		options->is_bridge = true;
		break;
	case OPTION_CHECK:
		return true;
	case OPTION_HELP:
		main_usage(stdout, EXIT_SUCCESS);
	default:
		main_usage(stderr, EXIT_USAGE);
	}
	return false;
}

int
main(int argc, char **argv)
{
	struct keeper_options options = {
		.hosts = 3, .lifetime_s = 1200, .seed = 1
	};
	bool is_check = false;
	int option;

	while ((option = getopt_long(argc, argv, "+d:h", long_options, NULL)) !=
	       -1)
		is_check |= main_option(&options, option);
	argv += optind;
	if (is_check == (options.directory != NULL) ||
	    (is_check && *argv != NULL))
		main_usage(stderr, EXIT_USAGE);
	if (*argv != NULL)
		return main_client(options.directory, argc - optind, argv);
	return keeper_run(&options);
}
