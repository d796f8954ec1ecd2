/* SPDX-License-Identifier: ISC */
/* electsim explore: every order in which messages can arrive. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "algorithms/registry.h"
#include "tests/model/sim/arguments.h"
#include "tests/model/sim/command.h"
#include "tests/model/sim/explore/print.h"

#define MIB            ((size_t)1 << 20)
#define MEMORY_MIB_MAX 1048576 /* a tebibyte */

enum option_id {
	OPTION_ALGORITHM = 256,
	OPTION_NODES,
	OPTION_FROM,
	OPTION_EACH_CHOICE,
	OPTION_JOIN,
	OPTION_WAKEUP,
	OPTION_ANNOUNCE,
	OPTION_VARIANT,
	OPTION_PREFER,
	OPTION_DIAMETER,
	OPTION_UNORDERED,
	OPTION_LINK_ORDERS,
	OPTION_ABSTAIN,
	OPTION_MEMORY,
};

static const struct option longs[] = {
	{ "algorithm", required_argument, NULL, OPTION_ALGORITHM },
	{ "nodes", required_argument, NULL, OPTION_NODES },
	{ "from", required_argument, NULL, OPTION_FROM },
	{ "each-choice", no_argument, NULL, OPTION_EACH_CHOICE },
	{ "join", required_argument, NULL, OPTION_JOIN },
	{ "wakeup", required_argument, NULL, OPTION_WAKEUP },
	{ "announce", required_argument, NULL, OPTION_ANNOUNCE },
	{ "variant", required_argument, NULL, OPTION_VARIANT },
	{ "prefer", required_argument, NULL, OPTION_PREFER },
	{ "diameter", required_argument, NULL, OPTION_DIAMETER },
	{ "unordered", no_argument, NULL, OPTION_UNORDERED },
	{ "link-orders", no_argument, NULL, OPTION_LINK_ORDERS },
	{ "abstain", required_argument, NULL, OPTION_ABSTAIN },
	{ "memory", required_argument, NULL, OPTION_MEMORY },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
    "usage: electsim explore --algorithm A|all [--nodes N] [OPTION...]\n"
    "Tries every order in which the messages of an election can arrive, with\n"
    "every set of starters, on every graph of 1 to N nodes (4) that suits the\n"
    "algorithm, and proves agreement and termination, or prints the shortest\n"
    "run that breaks them.\n"
    "  --from N                 skip smaller graphs than this\n"
    "  --join yes|no  --wakeup yes|no  --announce best|any  --variant V\n"
    "  --each-choice            try all combinations of these, one by one\n"
    "  --prefer highest|lowest\n"
    "  --diameter D|exact       rounds of floodmax (the nodes minus one)\n"
    "  --unordered              links need not keep order\n"
    "  --link-orders            try each numbering of the nodes' links, too\n"
    "  --abstain ID,...         nodes that are not eligible\n"
    "  --memory MIB             give up beyond this (1024)\n"
    "  -o, --output text|json\n"
    "\n"
    "How long that takes, on one core:\n"
    "  --nodes 4                seconds for all algorithms together, with\n"
    "                           --unordered as well\n"
    "  --nodes 5                seconds on rings and trees, a minute on complete\n"
    "                           graphs; hours for floodmax and extinction\n"
    "  --nodes 5 --unordered    seconds to hours, and more --memory\n"
    "  --nodes 6                seconds (chang-roberts) to days\n"
    "\n"
    "It exits 0 if all is proved, 1 if one is refuted, 2 if options are wrong,\n"
    "7 if it gave up.\n"
    "\n"
    "Example, all rings of up to five nodes:\n"
    "  electsim explore --algorithm chang-roberts --nodes 5\n";

struct request {
	const char *algorithm;
	const char *variant;
	unsigned choices_given; /* enum choice */
	bool each_choice;
	bool is_json;
	bool wants_help;
	struct explore_setup setup;
};

/* Gives NULL if the choice is valid, else what it should be. */
static const char *
take_choice(struct request *r, int option, const char *text)
{
	enum choice which = CHOICE_JOIN;

	switch (option) {
	case OPTION_JOIN:
		break;
	case OPTION_WAKEUP:
		which = CHOICE_WAKEUP;
		break;
	case OPTION_ANNOUNCE:
		which = CHOICE_ANNOUNCE;
		break;
	default:
		r->choices_given |= CHOICE_VARIANT;
		r->variant = text;
		return NULL;
	}
	r->choices_given |= which;
	return argument_choice(which, text, &r->setup.choices);
}

static const char *
take_diameter(struct request *r, const char *text)
{
	static const char *const words[] = { "exact", NULL };
	uint64_t number;
	unsigned i;

	r->choices_given |= CHOICE_DIAMETER;
	if (argument_word(text, words, &i)) {
		r->setup.exact_diameter = true;
		return NULL;
	}
	if (!argument_number(text, 1, EXPLORE_NODES_MAX, &number))
		return "--diameter is \"exact\" or a number from 1 to 7";
	r->setup.choices.diameter = (uint32_t)number;
	return NULL;
}

static const char *
take_abstaining(struct request *r, const char *text)
{
	uint32_t *ids;
	uint64_t count;

	if (!argument_list(
		text, 1, EXPLORE_NODES_MAX, EXPLORE_NODES_MAX, &ids, &count))
		return "--abstain is a list of ids from 1 to 7";
	for (uint64_t i = 0; i < count; i++)
		r->setup.abstaining |= (uint32_t)1 << (ids[i] - 1);
	free(ids);
	return NULL;
}

static const char *
take_number(struct request *r, int option, const char *text)
{
	uint64_t number;

	if (option == OPTION_MEMORY) {
		if (!argument_number(text, 1, MEMORY_MIB_MAX, &number))
			return "--memory is a number of mebibytes";
		r->setup.memory_bytes = (size_t)number * MIB;
		return NULL;
	}
	if (!argument_number(text, 1, EXPLORE_NODES_MAX, &number))
		return option == OPTION_NODES
			   ? "--nodes is a number from 1 to 7"
			   : "--from is a number from 1 to 7";
	if (option == OPTION_NODES)
		r->setup.nodes_max = (uint32_t)number;
	else
		r->setup.nodes_min = (uint32_t)number;
	return NULL;
}

static const char *
take_option(struct request *r, int option, const char *text)
{
	static const char *const prefers[] = { "highest", "lowest", NULL };
	unsigned i;

	switch (option) {
	case OPTION_ALGORITHM:
		r->algorithm = text;
		return NULL;
	case OPTION_NODES:
	case OPTION_FROM:
	case OPTION_MEMORY:
		return take_number(r, option, text);
	case OPTION_ABSTAIN:
		return take_abstaining(r, text);
	case OPTION_DIAMETER:
		return take_diameter(r, text);
	case OPTION_PREFER:
		if (!argument_word(text, prefers, &i))
			return "--prefer is highest or lowest";
		r->setup.prefer = i == 0 ? PREFER_HIGHEST : PREFER_LOWEST;
		return NULL;
	case 'o':
		return argument_output(text, &r->is_json)
			   ? NULL
			   : "--output is text or json";
	default:
		return take_choice(r, option, text);
	}
}

static bool
take_flag(struct request *r, int option)
{
	switch (option) {
	case OPTION_EACH_CHOICE:
		r->each_choice = true;
		return true;
	case OPTION_UNORDERED:
		r->setup.unordered = true;
		return true;
	case OPTION_LINK_ORDERS:
		r->setup.link_orders = true;
		return true;
	case 'h':
		r->wants_help = true;
		return true;
	default:
		return false;
	}
}

static bool
request_parse(struct request *r, int argc, char **argv)
{
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		const char *wrong = NULL;

		if (option == '?')
			return false;
		if (!take_flag(r, option))
			wrong = take_option(r, option, optarg);
		if (wrong != NULL) {
			argument_complain("%s, not \"%s\"", wrong, optarg);
			return false;
		}
	}
	if (optind < argc)
		argument_complain("what is \"%s\"?", argv[optind]);
	if (r->setup.nodes_min > r->setup.nodes_max)
		argument_complain("--from is more than --nodes");
	return optind == argc && r->setup.nodes_min <= r->setup.nodes_max;
}

/* Takes the variant from the options; false if the algorithm does not have it,
 * or lacks one of the choices. */
static bool
suits(struct request *r, const struct algorithm *algorithm)
{
	r->setup.choices.variant = 0;
	if ((r->choices_given & ~algorithm->choices) != 0)
		return false;
	if (r->variant == NULL)
		return true;
	for (unsigned i = 0; algorithm->variants[i] != NULL; i++) {
		unsigned same;
		const char *word[] = { algorithm->variants[i], NULL };

		r->setup.choices.variant = (uint8_t)i;
		if (argument_word(r->variant, word, &same))
			return true;
	}
	return false;
}

/* Progress is shown once a second. */
struct watch {
	const struct explore_setup *setup;
	time_t told; /* when progress was last shown; at first the start */
	bool has_told;
};

static time_t
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void
show_progress(void *context, const struct explore_result *so_far)
{
	struct watch *w = context;
	const struct explore_setup *setup = w->setup;
	time_t now = seconds_now();
	char name[EXPLORE_NAME_MAX], states[EXPLORE_COUNT_MAX];

	if (now == w->told)
		return;
	w->told = now;
	w->has_told = true;
	fprintf(stderr, "\r%s, %u nodes: %ju graphs, %s states\033[K",
	    explore_name(setup, name), so_far->nodes, (uintmax_t)so_far->graphs,
	    explore_count(so_far->states, states));
}

/* Walks, and prints the result. COMMAND_NO goes before COMMAND_FAILED. */
static int
walk(const struct request *r, struct explore_setup *setup, int worst)
{
	struct watch watch = { .setup = setup, .told = seconds_now() };
	struct explore_result result;
	clock_t begin = clock();
	double seconds;

	setup->context = &watch;
	explore(setup, &result);
	seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	if (watch.has_told)
		fprintf(stderr, "\r\033[K");
	if (r->is_json)
		explore_print_json(stdout, setup, &result, seconds);
	else
		explore_print(stdout, setup, &result, seconds);
	fflush(stdout);
	if (result.verdict == EXPLORE_REFUTED)
		worst = COMMAND_NO;
	else if (result.verdict == EXPLORE_GAVE_UP && worst == COMMAND_YES)
		worst = COMMAND_FAILED;
	explore_done(&result);
	return worst;
}

static int
walk_choices(struct request *r, const struct algorithm *algorithm, int worst)
{
	struct explore_setup setup;

	r->setup.algorithm = algorithm;
	setup = r->setup;
	if (isatty(STDERR_FILENO))
		setup.progress = show_progress;
	if (!r->each_choice)
		return walk(r, &setup, worst);
	for (unsigned i = 0; i < explore_choices_count(algorithm); i++) {
		setup.choices = explore_choices(algorithm, i);
		setup.choices.diameter = r->setup.choices.diameter;
		worst = walk(r, &setup, worst);
	}
	return worst;
}

int
command_explore(int argc, char **argv)
{
	static const char *const all[] = { "all", NULL };
	struct request r = { .setup = { .nodes_min = 1,
				 .nodes_max = 4,
				 .memory_bytes = EXPLORE_MEMORY_BYTES } };
	const struct algorithm *one = NULL;
	int worst = COMMAND_YES;
	unsigned i, count = 0;

	if (!request_parse(&r, argc, argv)) {
		fputs("electsim explore --help lists the options\n", stderr);
		return COMMAND_USAGE;
	}
	if (r.wants_help) {
		fputs(help, stdout);
		return COMMAND_YES;
	}
	if (r.algorithm == NULL || !argument_word(r.algorithm, all, &i)) {
		one = argument_algorithm(r.algorithm);
		if (one == NULL)
			return COMMAND_USAGE;
	}
	for (i = 0; algorithms[i] != NULL; i++) {
		if ((one != NULL && algorithms[i] != one) ||
		    !suits(&r, algorithms[i]))
			continue;
		count++;
		worst = walk_choices(&r, algorithms[i], worst);
	}
	if (count == 0) {
		argument_complain("no such choice is left to the algorithm");
		return COMMAND_USAGE;
	}
	return worst;
}
