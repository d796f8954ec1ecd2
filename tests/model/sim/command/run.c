/* SPDX-License-Identifier: ISC */
/* electsim run: one election, and how it ended. */
#include "tests/model/sim/command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/history/diagram.h"
#include "tests/model/sim/arguments.h"
#include "tests/model/sim/run/record.h"
#include "tests/model/sim/run/scenario.h"
#include "tests/model/sim/run/trace.h"

#define MESSAGES_MAX     UINT64_C(1000000000)  /* more need --force */
#define MESSAGES_AN_HOUR UINT64_C(36000000000) /* about ten million a second */
#define LINKS_MAX        32 /* of a random graph that is printed */

/* The observers of a run: a trace, a record, and progress on the terminal. */
struct watch {
	struct trace *trace;   /* NULL: none */
	struct record *record; /* for a diagram or histories; NULL: none */
	uint64_t messages_max; /* 0: unknown */
	time_t begun;
	bool has_told;
};

static const char usage[] =
    "usage: electsim run --algorithm A [OPTION ...]\n"
    "\n"
    "  --topology T       ring, full, path, star, tree, graph, grid:WxH or\n"
    "                     random:E (edges); default: what A needs\n"
    "  --nodes N          8 unless other options determine it\n"
    "  --ids I            asc, desc, random, or a list as 5,3,8; in a ring,\n"
    "                     the next id is that to the right\n"
    "  --links L          the edges of a tree or graph, by ids, as 1-2,2-3\n"
    "  --starters S       all, or a list of ids as 1,3\n"
    "  --priorities P     a list, one for each node; larger is better\n"
    "  --abstain L        nodes that are not eligible: a list of ids\n"
    "  --prefer P         which id is better: highest or lowest\n"
    "  --join yes|no      whether nodes that did not start can win\n"
    "  --wakeup yes|no    no: the leaves start, and wake no other node\n"
    "  --announce best|any, --variant V, --diameter D\n"
    "                     for algorithms that have them\n"
    "  --schedule S       unit: each message takes one unit of time;\n"
    "                     random: any link with a message may be next\n"
    "  --seed S           of all random choices (1)\n"
    "  --trace            print every step, a line for each\n"
    "  --svg FILE         draw a space-time diagram\n"
    "  --history FILE     write the histories of all nodes, for electctl history\n"
    "  --force            run even if it may take more than 10^9 messages\n"
    "  -o, --output O     text or json\n"
    "\n"
    "It prints the edges of a random tree or graph, up to 32, as --links takes\n"
    "them.\n"
    "It exits 0 if the nodes agreed, 1 if not, 2 if options are wrong,\n"
    "6 if it needs too many messages or links, or too large a diagram.\n"
    "\n"
    "Example, eight nodes in a ring whose ids rise to the right:\n"
    "  electsim run --algorithm chang-roberts --nodes 8 --ids asc --trace\n";

static void
watch_observe(void *context, const struct moment *moment)
{
	const struct watch *w = context;

	if (w->trace != NULL)
		trace_observe(w->trace, moment);
	if (w->record != NULL)
		record_observe(w->record, moment);
}

static time_t
seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Prints how far the run is, and how long the rest will take at this rate. */
static void
watch_progress(void *context, uint64_t delivered)
{
	struct watch *w = context;
	uint64_t spent = (uint64_t)(seconds_now() - w->begun);

	if (spent == 0)
		return;
	fprintf(stderr, "\r%" PRIu64 " million messages", delivered / 1000000);
	if (w->messages_max > delivered)
		fprintf(stderr, " of %" PRIu64 " at most, %" PRIu64 " s left  ",
		    w->messages_max / 1000000,
		    (w->messages_max - delivered) / (delivered / spent + 1));
	w->has_told = true;
}

static void
watch_end(struct watch *w)
{
	if (w->trace != NULL)
		trace_end(w->trace);
	if (w->has_told)
		fprintf(stderr, "\r%*s\r", 64, "");
}

static void
report_json(const struct scenario *s, const struct run_result *result)
{
	const struct algorithm *algorithm = s->setup.algorithm;

	printf("{\"algorithm\":\"%s\",\"nodes\":%" PRIu32 ",\"edges\":%" PRIu64
	       ",\"diameter\":",
	    algorithm->name, s->graph.nodes, s->graph.edges);
	if (s->is_diameter_exact)
		printf("%" PRIu32, s->diameter);
	else
		printf("null");
	printf(",\"leader\":");
	if (result->has_leader)
		printf("%" PRIu32, result->winner);
	else
		printf("null");
	printf(
	    ",\"agreed\":%s,\"messages\":{", result->agreed ? "true" : "false");
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++) {
		if (algorithm->kinds[i] != NULL)
			printf("%s\"%s\":%" PRIu64, i == 0 ? "" : ",",
			    algorithm->kinds[i], result->messages[i]);
	}
	printf("},\"total\":%" PRIu64 ",\"time\":%" PRIu64 "}\n", result->total,
	    result->time);
}

/* Prints the links of a small random graph as --links takes them. */
static void
report_links(const struct scenario *s)
{
	struct graph_edge edges[LINKS_MAX];
	const struct graph *g = &s->graph;

	if (!s->is_random || g->edges == 0 || g->edges > LINKS_MAX ||
	    !graph_list_edges(g, edges))
		return;
	printf("links      ");
	for (uint64_t i = 0; i < g->edges; i++)
		printf("%s%" PRIu32 "-%" PRIu32, i == 0 ? "" : ",",
		    s->ranks[edges[i].a].id, s->ranks[edges[i].b].id);
	putchar('\n');
}

static void
report_graph(const struct scenario *s)
{
	const struct graph *g = &s->graph;

	printf("graph      %" PRIu32 " node%s, %" PRIu64
	       " edge%s, diameter %s%" PRIu32 "\n",
	    g->nodes, g->nodes == 1 ? "" : "s", g->edges,
	    g->edges == 1 ? "" : "s", s->is_diameter_exact ? "" : "at most ",
	    s->diameter);
	report_links(s);
}

static void
report_text(const struct scenario *s, const struct run_result *result)
{
	const struct algorithm *algorithm = s->setup.algorithm;

	printf("algorithm  %s\n", algorithm->name);
	report_graph(s);
	if (result->has_leader)
		printf("leader     %" PRIu32 "\n", result->winner);
	else if (result->agreed)
		printf("leader     none: no node is eligible\n");
	else if (result->decided < s->graph.nodes)
		printf("leader     none: %" PRIu32 " of %" PRIu32
		       " nodes decided\n",
		    result->decided, s->graph.nodes);
	else
		printf("leader     none: the nodes do not agree\n");
	printf("messages   %" PRIu64, result->total);
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++) {
		if (algorithm->kinds[i] != NULL)
			printf("%s%s %" PRIu64, i == 0 ? ": " : ", ",
			    algorithm->kinds[i], result->messages[i]);
	}
	printf("\ntime       %" PRIu64 "\n", result->time);
}

static int
draw(const struct histories *h, const char *path)
{
	char error[HISTORY_ERROR_MAX];
	struct causes c;
	int code = COMMAND_FAILED, result;

	if (!causes_find(&c, h, error)) {
		argument_complain("%s", error);
	} else {
		result = diagram_write_file(path, &c, NULL);
		if (result == 0)
			code = COMMAND_YES;
		else
			argument_complain("%s: %s", path, strerror(-result));
	}
	causes_free(&c);
	return code;
}

static int
write_histories(const struct histories *h, const char *path)
{
	FILE *out = fopen(path, "w");
	bool is_written = out != NULL;

	for (unsigned i = 0; is_written && i < h->count; i++) {
		json_t *o = history_json(&h->nodes[i]);

		is_written = o != NULL &&
			     json_dumpf(o, out, JSON_COMPACT) == 0 &&
			     fputc('\n', out) != EOF;
		json_decref(o);
	}
	if (out != NULL && fclose(out) != 0)
		is_written = false;
	if (is_written)
		return COMMAND_YES;
	argument_complain("%s: %s", path, strerror(errno));
	return COMMAND_FAILED;
}

/* Writes the diagram and the histories, if the options ask for them. */
static int
write_record(const struct watch *watch, const struct scenario_options *options)
{
	const struct histories *h;
	int code = COMMAND_YES;

	if (watch->record == NULL)
		return COMMAND_YES;
	h = record_histories(watch->record);
	if (h == NULL) {
		argument_complain(
		    "--history holds up to %d nodes and %d events",
		    HISTORY_NODES_MAX, HISTORY_EVENTS_MAX);
		return COMMAND_REFUSED;
	}
	if (options->svg != NULL)
		code = draw(h, options->svg);
	if (code == COMMAND_YES && options->history != NULL)
		code = write_histories(h, options->history);
	return code;
}

static int
run_watched(const struct scenario *s, const struct scenario_options *options,
    struct watch *watch)
{
	struct run_setup setup = s->setup;
	struct run_result result;
	int code;

	setup.context = watch;
	if (watch->trace != NULL || watch->record != NULL)
		setup.observe = watch_observe;
	if (isatty(STDERR_FILENO))
		setup.progress = watch_progress;
	watch->begun = seconds_now();
	if (!run_election(&setup, &result)) {
		argument_complain("no memory for all messages under way");
		return COMMAND_FAILED;
	}
	watch_end(watch);
	if (options->is_json)
		report_json(s, &result);
	else
		report_text(s, &result);
	code = write_record(watch, options);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		argument_complain("cannot write the output");
		return COMMAND_FAILED;
	}
	if (code != COMMAND_YES)
		return code;
	return result.agreed ? COMMAND_YES : COMMAND_NO;
}

/*
 * True if a diagram of the run would be too large. Runs it once without an
 * observer, so that a refused run prints nothing.
 */
static int
refuse_diagram(const struct scenario *s)
{
	struct run_result result;

	if (s->graph.nodes > DIAGRAM_NODES_MAX) {
		argument_complain("--svg shows up to %d nodes, not %" PRIu32,
		    DIAGRAM_NODES_MAX, s->graph.nodes);
		return COMMAND_REFUSED;
	}
	if (!run_election(&s->setup, &result)) {
		argument_complain("no memory for all messages under way");
		return COMMAND_FAILED;
	}
	if (result.total <= DIAGRAM_MESSAGES_MAX)
		return COMMAND_YES;
	argument_complain("--svg shows up to %d messages, not %" PRIu64,
	    DIAGRAM_MESSAGES_MAX, result.total);
	return COMMAND_REFUSED;
}

static void
refuse_messages(uint64_t messages)
{
	uint64_t hours = messages / MESSAGES_AN_HOUR;

	argument_complain("it would take up to %" PRIu64
			  " messages; --force runs it, for %s",
	    messages,
	    hours < 2    ? "minutes"
	    : hours < 24 ? "hours"
			 : "days");
}

static int
run_scenario(const struct scenario *s, const struct scenario_options *options)
{
	struct watch watch = { .messages_max = scenario_messages_max(s) };
	struct trace trace;
	int code;

	if (watch.messages_max > MESSAGES_MAX && !options->is_forced) {
		refuse_messages(watch.messages_max);
		return COMMAND_REFUSED;
	}
	if (options->svg != NULL) {
		code = refuse_diagram(s);
		if (code != COMMAND_YES)
			return code;
	}
	/* Only output for programs goes to stdout. */
	trace_init(&trace, &s->setup, options->is_json ? stderr : stdout);
	if (options->wants_trace)
		watch.trace = &trace;
	if (options->svg != NULL || options->history != NULL) {
		watch.record = record_new(&s->setup);
		if (watch.record == NULL) {
			argument_complain("no memory for what happens");
			return COMMAND_FAILED;
		}
	}
	code = run_watched(s, options, &watch);
	record_free(watch.record);
	return code;
}

int
command_run(int argc, char **argv)
{
	struct scenario_options options;
	struct scenario scenario;
	int code;

	if (!scenario_parse(&options, argc, argv)) {
		fputs("electsim run --help lists the options\n", stderr);
		return COMMAND_USAGE;
	}
	if (options.wants_help) {
		fputs(usage, stdout);
		return COMMAND_YES;
	}
	code = scenario_make(&scenario, &options);
	if (code == COMMAND_YES)
		code = run_scenario(&scenario, &options);
	scenario_free(&scenario);
	return code;
}
