/* SPDX-License-Identifier: ISC */
/* electsim swarm: whole nodes under random faults, seed after seed. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/model/sim/arguments.h"
#include "tests/model/sim/command.h"
#include "tests/model/sim/swarm/swarm.h"

#define SEEDS_DEFAULT 1000
#define SEEDS_MAX     1000000000000
#define JOBS_MAX      256
#define SHOWN_MAX     10 /* violations printed in full */

enum option_id {
	OPTION_SEEDS = 256,
	OPTION_SEED,
	OPTION_ALGORITHM,
	OPTION_GUARANTEE,
	OPTION_NODES,
	OPTION_BUDGET,
	OPTION_JOBS,
	OPTION_TAPES,
	OPTION_DUMP,
	OPTION_TRACE,
	OPTION_SHORTEST,
	OPTION_STOP,
	OPTION_CLASSES,
};

static const struct option longs[] = {
	{ "seeds", required_argument, NULL, OPTION_SEEDS },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "algorithm", required_argument, NULL, OPTION_ALGORITHM },
	{ "guarantee", required_argument, NULL, OPTION_GUARANTEE },
	{ "nodes", required_argument, NULL, OPTION_NODES },
	{ "budget", required_argument, NULL, OPTION_BUDGET },
	{ "jobs", required_argument, NULL, OPTION_JOBS },
	{ "tapes", no_argument, NULL, OPTION_TAPES },
	{ "dump", required_argument, NULL, OPTION_DUMP },
	{ "trace", no_argument, NULL, OPTION_TRACE },
	{ "shortest", no_argument, NULL, OPTION_SHORTEST },
	{ "stop", no_argument, NULL, OPTION_STOP },
	{ "classes", no_argument, NULL, OPTION_CLASSES },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
    "usage: electsim swarm [--seeds N] [--seed FIRST] [OPTION...]\n"
    "Runs worlds of whole nodes, drawn one from each seed, under random faults,\n"
    "and checks every promise after every step. It prints a seed that breaks one\n"
    "with the command that replays it.\n"
    "  --seeds N                how many (1000; with --seed alone, 1)\n"
    "  --seed FIRST             the first of them (1)\n"
    "  --algorithm A|all        run this one (all)\n"
    "  --guarantee component|quorum|both\n"
    "                           what is promised (both: each seed draws one)\n"
    "  --nodes N                in all worlds (drawn, mostly five)\n"
    "  --budget N               handshakes and the like, at most, that a node\n"
    "                           begins each heartbeat (64)\n"
    "  --jobs J                 so many processes at once (1)\n"
    "  --tapes                  record each node, and play what it did when it\n"
    "                           ends: it must do the same again\n"
    "  --dump DIR               write the tapes of the nodes that run at the end of\n"
    "                           a seed to DIR/ID.tape, for electsim replay\n"
    "  --stop                   end with the first violation\n"
    "  --trace                  print all that happened in these seeds\n"
    "  --shortest               for a violation, look for a short list of\n"
    "                           faults that leads to it, and print its trace\n"
    "  --classes                report more: seeds and faults of each kind\n"
    "  -o, --output text|json\n"
    "It exits 0 if every promise was kept, 1 if not.\n"
    "\n"
    "Example, two thousand worlds of the bully on two cores:\n"
    "  electsim swarm --seeds 2000 --algorithm bully --jobs 2\n";

struct request {
	struct swarm_setup setup;
	const char *guarantee; /* as on the command line; NULL: both */
	uint64_t first;
	uint64_t count; /* 0: not given */
	bool has_first;
	unsigned jobs;
	bool trace;
	bool shortest;
	bool stop;
	bool classes;
	bool is_json;
	bool wants_help;
};

struct totals {
	const struct request *request;
	uint64_t seeds;
	uint64_t elections;
	uint64_t violations;
	nsec_t simulated;
	uint64_t messages;
	uint64_t snapshots;
	uint64_t replayed;
	uint64_t deadlines;
	uint64_t worlds[SWARM_CLASSES]; /* in which this class is on */
	uint64_t faults[SWARM_CLASSES];
	uint64_t verdicts[SWARM_VERDICTS];
	unsigned slowest;
	uint64_t slowest_seed;
	bool shows_progress;
	time_t told; /* when progress was last shown */
};

static const char *
take_guarantee(struct request *r, const char *text)
{
	static const char *const words[] = { "component", "quorum", "both",
		NULL };
	unsigned i;

	if (!argument_word(text, words, &i))
		return "--guarantee is component, quorum or both";
	r->guarantee = i < 2 ? text : NULL;
	r->setup.may_be[GUARANTEE_COMPONENT] = i != 1;
	r->setup.may_be[GUARANTEE_QUORUM] = i != 0;
	return NULL;
}

static const char *
take_algorithm(struct request *r, const char *text)
{
	r->setup.algorithm = NULL;
	if (strcmp(text, "all") == 0)
		return NULL;
	r->setup.algorithm = argument_algorithm(text);
	return r->setup.algorithm != NULL ? NULL : "";
}

/* Gives NULL if the option's text is valid, else what it should be. */
static const char *
take_option(struct request *r, int option, const char *text)
{
	uint64_t number;

	switch (option) {
	case OPTION_SEEDS:
		return argument_number(text, 1, SEEDS_MAX, &r->count)
			   ? NULL
			   : "--seeds is a number from 1 to 10^12";
	case OPTION_SEED:
		r->has_first = true;
		return argument_number(text, 0, SEEDS_MAX, &r->first)
			   ? NULL
			   : "--seed is a number from 0 to 10^12";
	case OPTION_NODES:
		if (!argument_number(text, 1, WORLD_NODES_MAX, &number))
			return "--nodes is a number from 1 to 20";
		r->setup.nodes = (unsigned)number;
		return NULL;
	case OPTION_BUDGET:
		if (!argument_number(text, 1, NODE_BUDGET_MAX, &number))
			return "--budget is a number from 1 to 64";
		r->setup.budget = (unsigned)number;
		return NULL;
	case OPTION_JOBS:
		if (!argument_number(text, 1, JOBS_MAX, &number))
			return "--jobs is a number from 1 to 256";
		r->jobs = (unsigned)number;
		return NULL;
	case OPTION_DUMP:
		r->setup.dump = text;
		return NULL;
	case OPTION_ALGORITHM:
		return take_algorithm(r, text);
	case OPTION_GUARANTEE:
		return take_guarantee(r, text);
	default:
		return argument_output(text, &r->is_json)
			   ? NULL
			   : "--output is text or json";
	}
}

static bool
take_flag(struct request *r, int option)
{
	r->trace |= option == OPTION_TRACE;
	r->shortest |= option == OPTION_SHORTEST;
	r->stop |= option == OPTION_STOP;
	r->classes |= option == OPTION_CLASSES;
	r->setup.tapes |= option == OPTION_TAPES;
	r->wants_help |= option == 'h';
	return option == OPTION_TRACE || option == OPTION_SHORTEST ||
	       option == OPTION_STOP || option == OPTION_CLASSES ||
	       option == OPTION_TAPES || option == 'h';
}

static bool
request_parse(struct request *r, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "o:h", longs, NULL)) != -1) {
		const char *wrong = NULL;

		if (option == '?')
			return false;
		if (!take_flag(r, option))
			wrong = take_option(r, option, optarg);
		if (wrong == NULL)
			continue;
		if (wrong[0] != '\0')
			argument_complain("%s, not \"%s\"", wrong, optarg);
		return false;
	}
	if (optind < argc)
		argument_complain("what is \"%s\"?", argv[optind]);
	if (r->count == 0)
		r->count = r->has_first ? 1 : SEEDS_DEFAULT;
	return optind == argc;
}

/* Prints the command that runs this seed again with a trace. */
static void
print_replay(FILE *to, const struct request *r, uint64_t seed)
{
	fprintf(to, "replay: electsim swarm --seed %" PRIu64, seed);
	if (r->setup.algorithm != NULL)
		fprintf(to, " --algorithm %s", r->setup.algorithm->name);
	if (r->guarantee != NULL)
		fprintf(to, " --guarantee %s", r->guarantee);
	if (r->setup.nodes > 0)
		fprintf(to, " --nodes %u", r->setup.nodes);
	if (r->setup.budget > 0)
		fprintf(to, " --budget %u", r->setup.budget);
	if (r->setup.tapes)
		fputs(" --tapes", to);
	fputs(" --trace\n", to);
}

static void
print_violation(
    FILE *to, const struct request *r, const struct swarm_result *result)
{
	fprintf(to, "seed %" PRIu64 ", %s: %s\n", result->seed, result->what,
	    result->why);
	print_replay(to, r, result->seed);
}

static void
shorten(const struct request *r, const struct swarm_result *broken)
{
	static struct swarm_plan plan;
	struct swarm_result result = *broken;
	FILE *to = r->is_json ? stderr : stdout;
	unsigned runs;

	swarm_plan(&plan, &r->setup, broken->seed);
	runs = swarm_shrink(&plan, &result);
	fprintf(to, "%zu faults are left, after %u runs:\n",
	    plan.faults_count + plan.last_count, runs);
	swarm_print_plan(to, &plan);
	swarm_run_apart(&plan, &result, to);
	fprintf(
	    to, "seed %" PRIu64 ", shortened: %s\n", result.seed, result.why);
}

static void
show_progress(struct totals *t)
{
	time_t now = time(NULL);

	if (!t->shows_progress || now == t->told)
		return;
	t->told = now;
	fprintf(stderr,
	    "\r%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64
	    " elections, %" PRIu64 " violations\033[K",
	    t->seeds, t->request->count, t->elections, t->violations);
}

static void
clear_progress(const struct totals *t)
{
	if (t->shows_progress)
		fputs("\r\033[K", stderr);
}

static void
add_up(struct totals *t, const struct swarm_result *r)
{
	t->seeds++;
	t->elections += r->elections;
	t->simulated += r->simulated;
	t->messages += r->messages;
	t->snapshots += r->snapshots;
	t->replayed += r->replayed;
	t->deadlines += r->deadlines;
	for (unsigned i = 0; i < SWARM_CLASSES; i++) {
		t->worlds[i] += r->has[i];
		t->faults[i] += r->faults[i];
	}
	for (unsigned i = 0; i < SWARM_VERDICTS; i++)
		t->verdicts[i] += r->verdicts[i];
	if (!r->is_broken && r->slowest > t->slowest) {
		t->slowest = r->slowest;
		t->slowest_seed = r->seed;
	}
}

/* Takes one result; see swarm_take. */
static bool
take_result(void *context, const struct swarm_result *result)
{
	struct totals *t = context;

	add_up(t, result);
	show_progress(t);
	if (!result->is_broken)
		return true;
	t->violations++;
	if (t->violations <= SHOWN_MAX) {
		clear_progress(t);
		print_violation(stderr, t->request, result);
	}
	if (t->violations == 1 && t->request->shortest)
		shorten(t->request, result);
	return !t->request->stop;
}

static double
cpu_seconds(void)
{
	double seconds = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage usage;

		getrusage(i == 0 ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage);
		seconds +=
		    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) /
			1e6;
	}
	return seconds;
}

static void
print_classes_json(const struct totals *t)
{
	printf(",\"messages\":%" PRIu64 ",\"snapshots\":%" PRIu64
	       ",\"deadlines\":%" PRIu64
	       ",\"slowest_permille\":%u,\"slowest_seed\":%" PRIu64
	       ",\"classes\":{",
	    t->messages, t->snapshots, t->deadlines, t->slowest,
	    t->slowest_seed);
	for (unsigned i = 0; i < SWARM_CLASSES; i++)
		printf("%s\"%s\":{\"seeds\":%" PRIu64 ",\"faults\":%" PRIu64
		       "}",
		    i > 0 ? "," : "", swarm_classes[i], t->worlds[i],
		    t->faults[i]);
	fputs("},\"verdicts\":{", stdout);
	for (unsigned i = 0; i < SWARM_VERDICTS; i++)
		printf("%s\"%s\":%" PRIu64, i > 0 ? "," : "", swarm_verdicts[i],
		    t->verdicts[i]);
	putchar('}');
}

static void
print_classes(const struct totals *t)
{
	printf("messages    %" PRIu64 ", each taken in its order\n"
	       "snapshots   %" PRIu64 " complete and consistent\n"
	       "deadlines   %" PRIu64 " handed out\n",
	    t->messages, t->snapshots, t->deadlines);
	if (t->slowest > 0)
		printf("slowest     %u permille of the bound, to settle "
		       "(seed %" PRIu64 ")\n",
		    t->slowest, t->slowest_seed);
	fputs("at the end ", stdout);
	for (unsigned i = 0; i < SWARM_VERDICTS; i++)
		printf("%s %s %" PRIu64, i > 0 ? "," : "", swarm_verdicts[i],
		    t->verdicts[i]);
	printf("\n\n%-14s %10s %10s\n", "class", "seeds", "faults");
	for (unsigned i = 0; i < SWARM_CLASSES; i++)
		printf("%-14s %10" PRIu64 " %10" PRIu64 "\n", swarm_classes[i],
		    t->worlds[i], t->faults[i]);
}

static void
print_totals(const struct totals *t)
{
	const struct request *r = t->request;
	uint64_t tenths = t->simulated / (SEC / 10);

	if (r->is_json) {
		printf("{\"seeds\":%" PRIu64 ",\"elections\":%" PRIu64
		       ",\"violations\":%" PRIu64 ",\"simulated_s\":%" PRIu64
		       ".%" PRIu64 ",\"cpu_s\":%.1f",
		    t->seeds, t->elections, t->violations, tenths / 10,
		    tenths % 10, cpu_seconds());
		if (r->setup.tapes)
			printf(",\"replayed\":%" PRIu64, t->replayed);
		if (r->classes)
			print_classes_json(t);
		puts("}");
		return;
	}
	printf("seeds       %" PRIu64 "\nelections   %" PRIu64
	       "\nviolations  %" PRIu64 "\nsimulated   %" PRIu64 ".%" PRIu64
	       " s\ncpu         %.1f s\n",
	    t->seeds, t->elections, t->violations, tenths / 10, tenths % 10,
	    cpu_seconds());
	if (r->setup.tapes)
		printf("replayed    %" PRIu64 " inputs\n", t->replayed);
	if (r->classes)
		print_classes(t);
}

/* Runs the seeds one after another, and prints all that happens. */
static bool
run_traced(struct totals *t)
{
	static struct swarm_plan plan;
	const struct request *r = t->request;

	for (uint64_t i = 0; i < r->count; i++) {
		struct swarm_result result;

		swarm_plan(&plan, &r->setup, r->first + i);
		if (!swarm_run_apart(
			&plan, &result, r->is_json ? stderr : stdout))
			return false;
		if (!take_result(t, &result))
			break;
	}
	return true;
}

int
command_swarm(int argc, char **argv)
{
	struct request r = {
		.first = 1, .jobs = 1, .setup = { .may_be = { true, true } }
	};
	struct totals totals = { .request = &r };
	struct swarm_jobs jobs;
	bool ok;

	if (!request_parse(&r, argc, argv)) {
		fputs("electsim swarm --help lists the options\n", stderr);
		return COMMAND_USAGE;
	}
	if (r.wants_help) {
		fputs(help, stdout);
		return COMMAND_YES;
	}
	totals.shows_progress = isatty(STDERR_FILENO) && !r.trace;
	totals.told = time(NULL);
	jobs = (struct swarm_jobs){ .setup = &r.setup,
		.first = r.first,
		.count = r.count,
		.jobs = r.jobs,
		.take = take_result,
		.context = &totals };
	ok = r.trace ? run_traced(&totals) : swarm_jobs(&jobs);
	clear_progress(&totals);
	if (!ok) {
		argument_complain("no process or no memory");
		return COMMAND_FAILED;
	}
	print_totals(&totals);
	return totals.violations > 0 ? COMMAND_NO : COMMAND_YES;
}
