/* SPDX-License-Identifier: ISC */
/*
 * electsim table: the costs of the algorithms, measured beside the formulas. It
 * prints a block for each row of the table of properties and each graph of the
 * row: a column for each number of nodes, a line for each claim, and beneath a
 * line the value of the formula where the measurement does not equal it.
 */
#include "tests/model/sim/command.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/arguments.h"
#include "tests/model/sim/table/markdown.h"
#include "tests/model/sim/table/property.h"

#define COLUMNS_MAX 16
#define NODES_LIMIT 1000 /* bully sends n² messages, floodmax n³ */
#define LABEL_WIDTH 40   /* of the claims at the left */

struct table {
	uint32_t nodes[COLUMNS_MAX]; /* the columns */
	size_t columns;
	bool is_json;
	bool is_markdown;
	bool wants_help;
	const char *algorithm; /* NULL: all */
	unsigned checked;      /* claims so far */
	unsigned broken;       /* claims that do not hold */
};

/* One row of the table of properties, on one graph: the results of all columns.
 */
struct block {
	const struct property *property;
	enum shape shape;
	size_t columns;
	struct finding findings[COLUMNS_MAX];
	size_t width; /* of a column */
};

static const char usage[] =
    "usage: electsim table [OPTION ...] [ALGORITHM]\n"
    "\n"
    "Runs the algorithm, or all, on graphs of each number of nodes, and prints\n"
    "the measured messages and time beside the formulas.\n"
    "\n"
    "  -n, --nodes N,...  up to 16 numbers of nodes, each up to 1000:\n"
    "                     1,2,3,5,8,16,64,100\n"
    "  -o, --output O     text or json (a line for each statement)\n"
    "  --markdown         print the formulas alone, as a table in Markdown\n"
    "\n"
    "It exits 0 if all statements hold, 1 if one does not or there are none, 2 if\n"
    "options are wrong.\n"
    "\n"
    "Example, the ring of Chang and Roberts with 8 and with 64 nodes:\n"
    "  electsim table -n 8,64 chang-roberts\n";

/* Formats a count without decimals, a mean or a logarithm with one. */
static int
format_value(char *text, size_t size, double value)
{
	bool is_whole = fabs(value - round(value)) < 1e-9;

	return snprintf(text, size, "%.*f", is_whole ? 0 : 1, value);
}

static void
print_cell(const struct block *b, double value)
{
	char text[32];

	format_value(text, sizeof(text), value);
	printf("  %*s", (int)b->width, text);
}

static void
block_measure_width(struct block *b)
{
	b->width = 3;
	for (size_t i = 0; i < b->columns; i++) {
		const struct finding *f = &b->findings[i];

		for (size_t c = 0; c < CLAIMS_MAX; c++) {
			char text[32];
			double most = fmax(f->measured[c], f->limit[c]);
			double least = fmin(f->measured[c], f->limit[c]);
			size_t width =
			    (size_t)fmax(format_value(text, sizeof(text), most),
				format_value(text, sizeof(text), least));

			b->width = width > b->width ? width : b->width;
		}
	}
}

/* Gives the quantity that stands behind a letter of a formula. */
static double
fact_value(const struct facts *facts, const char *letter)
{
	double value = 0;
	bool is_known = formula_value(letter, facts, &value);

	assert(is_known);
	return value;
}

static bool
block_speaks_of(const struct block *b, const char *letter)
{
	for (size_t i = 0; i < CLAIMS_MAX; i++) {
		struct claim c;

		if (b->property->claims[i] != NULL &&
		    claim_read(&c, b->property->claims[i]) &&
		    strpbrk(c.formula, letter) != NULL)
			return true;
	}
	return false;
}

static void
print_facts(const struct block *b)
{
	static const char *const letters[] = { "n", "m", "b", "E", "D" };

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++) {
		if (i > 0 && !block_speaks_of(b, letters[i]))
			continue;
		printf("  %-*s", LABEL_WIDTH, letters[i]);
		for (size_t c = 0; c < b->columns; c++)
			print_cell(
			    b, fact_value(&b->findings[c].facts, letters[i]));
		putchar('\n');
	}
}

/* Prints the values of the formula, unless all equal what was measured. */
static void
print_limits(const struct block *b, size_t claim)
{
	bool differs = false;

	for (size_t i = 0; i < b->columns; i++) {
		const struct finding *f = &b->findings[i];

		differs |= fabs(f->limit[claim] - f->measured[claim]) > 1e-9;
	}
	if (!differs)
		return;
	printf("    %-*s", LABEL_WIDTH - 2, "by the formula");
	for (size_t i = 0; i < b->columns; i++)
		print_cell(b, b->findings[i].limit[claim]);
	putchar('\n');
}

static void
print_claim(const struct block *b, size_t claim)
{
	bool holds = true;

	printf("  %-*s", LABEL_WIDTH, b->property->claims[claim]);
	for (size_t i = 0; i < b->columns; i++) {
		print_cell(b, b->findings[i].measured[claim]);
		holds &= b->findings[i].holds[claim];
	}
	puts(holds ? "  holds" : "  DOES NOT HOLD");
	print_limits(b, claim);
}

static void
print_block(struct block *b)
{
	block_measure_width(b);
	printf("%s, %s: %s\n", b->property->algorithm, shape_names[b->shape],
	    b->property->when);
	print_facts(b);
	for (size_t c = 0; c < CLAIMS_MAX && b->property->claims[c]; c++)
		print_claim(b, c);
	for (size_t i = 0; i < b->columns; i++) {
		if (!b->findings[i].has_elected)
			printf("  n = %.0f: THE BEST WAS NOT ELECTED BY ALL\n",
			    b->findings[i].facts.nodes);
	}
	putchar('\n');
}

static void
print_json(const struct block *b)
{
	for (size_t i = 0; i < b->columns; i++) {
		const struct finding *f = &b->findings[i];

		for (size_t c = 0; c < CLAIMS_MAX && b->property->claims[c];
		     c++)
			printf("{\"algorithm\":\"%s\",\"graph\":\"%s\","
			       "\"when\":\"%s\",\"nodes\":%.0f,"
			       "\"starters\":%.0f,\"edges\":%.0f,"
			       "\"diameter\":%.0f,\"claim\":\"%s\","
			       "\"measured\":%.10g,\"formula\":%.10g,"
			       "\"elected\":%s,\"holds\":%s}\n",
			    b->property->algorithm, shape_names[b->shape],
			    b->property->when, f->facts.nodes,
			    f->facts.starters, f->facts.edges,
			    f->facts.diameter, b->property->claims[c],
			    f->measured[c], f->limit[c],
			    f->has_elected ? "true" : "false",
			    f->holds[c] ? "true" : "false");
	}
}

static void
count_claims(struct table *t, const struct block *b)
{
	for (size_t c = 0; c < CLAIMS_MAX && b->property->claims[c]; c++) {
		bool holds = true;

		for (size_t i = 0; i < b->columns; i++)
			holds &= b->findings[i].holds[c] &&
				 b->findings[i].has_elected;
		t->checked++;
		t->broken += !holds;
	}
}

static enum command_exit
table_block(struct table *t, const struct property *p, enum shape shape)
{
	struct block b = { .property = p, .shape = shape };

	b.columns = t->columns;
	for (size_t i = 0; i < t->columns; i++) {
		struct trial trial = { .property = p,
			.shape = shape,
			.nodes = t->nodes[i],
			.schedule = SCHEDULE_UNIT,
			.seed = t->nodes[i] };
		enum trial_result result = property_try(&trial, &b.findings[i]);

		if (result == TRIAL_DONE)
			continue;
		fprintf(stderr, "electsim: %s, %s: %s\n", p->algorithm, p->when,
		    result == TRIAL_NO_MEMORY ? "no memory"
					      : "a row that cannot be read");
		return COMMAND_FAILED;
	}
	count_claims(t, &b);
	if (t->is_json)
		print_json(&b);
	else
		print_block(&b);
	fflush(stdout);
	return COMMAND_YES;
}

static enum command_exit
table_algorithm(struct table *t, const struct algorithm *a)
{
	for (const struct property *p = properties; p->algorithm; p++) {
		if (strcmp(p->algorithm, a->name) != 0)
			continue;
		for (unsigned shape = 0; shape < SHAPES; shape++) {
			enum command_exit result = COMMAND_YES;

			if ((p->shapes & 1U << shape) != 0)
				result = table_block(t, p, (enum shape)shape);
			if (result != COMMAND_YES)
				return result;
		}
	}
	return COMMAND_YES;
}

static const char preamble[] =
    "Each message takes one unit of time. n nodes, m starters, b nodes better"
    " than\nthe best starter, E edges, D diameter; H(n) = 1 + 1/2 + ... + 1/n;"
    " S what the\nstandard variant takes; ~ the mean of random rings; \"won\""
    " when the winner knew.\nA node that is alone needs nothing.\n\n";

static enum command_exit
table_print(struct table *t)
{
	enum command_exit result = COMMAND_YES;

	if (!t->is_json)
		fputs(preamble, stdout);
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (t->algorithm != NULL &&
		    strcmp(t->algorithm, algorithms[i]->name) != 0)
			continue;
		result = table_algorithm(t, algorithms[i]);
		if (result != COMMAND_YES)
			return result;
	}
	if (!t->is_json)
		printf("%u statements, %u of them do not hold.\n", t->checked,
		    t->broken);
	return t->checked > 0 && t->broken == 0 ? COMMAND_YES : COMMAND_NO;
}

/* Reads "3,8,100" into the columns. */
static bool
parse_nodes(struct table *t, const char *text)
{
	uint32_t *list = NULL;
	uint64_t count = 0;

	if (!argument_list(text, 1, NODES_LIMIT, COLUMNS_MAX, &list, &count)) {
		argument_complain("--nodes are up to %d numbers from 1 to %d, "
				  "as 3,8,100, not \"%s\"",
		    COLUMNS_MAX, NODES_LIMIT, text);
		return false;
	}
	memcpy(t->nodes, list, count * sizeof(*list));
	t->columns = count;
	free(list);
	return true;
}

static bool
parse_option(struct table *t, int option)
{
	switch (option) {
	case 'n':
		return parse_nodes(t, optarg);
	case 'o':
		if (argument_output(optarg, &t->is_json))
			return true;
		argument_complain(
		    "--output is text or json, not \"%s\"", optarg);
		return false;
	case 'm':
		t->is_markdown = true;
		return true;
	case 'h':
		t->wants_help = true;
		return true;
	}
	return false; /* getopt has complained */
}

static bool
parse_options(struct table *t, int argc, char **argv)
{
	static const struct option options[] = {
		{ "nodes", required_argument, NULL, 'n' },
		{ "output", required_argument, NULL, 'o' },
		{ "markdown", no_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	optind = 0;
	while (
	    (option = getopt_long(argc, argv, "n:o:h", options, NULL)) != -1) {
		if (!parse_option(t, option))
			return false;
	}
	if (argc - optind > 1) {
		argument_complain("what is \"%s\"?", argv[optind + 1]);
		return false;
	}
	t->algorithm = argv[optind]; /* NULL at the end */
	return t->algorithm == NULL || argument_algorithm(t->algorithm) != NULL;
}

int
command_table(int argc, char **argv)
{
	struct table t = { .nodes = { 1, 2, 3, 5, 8, 16, 64, 100 },
		.columns = 8 };
	enum command_exit result = COMMAND_YES;

	if (!parse_options(&t, argc, argv)) {
		fputs("electsim table --help lists the options\n", stderr);
		return COMMAND_USAGE;
	}
	if (t.wants_help)
		fputs(usage, stdout);
	else if (t.is_markdown)
		table_markdown(stdout, t.algorithm);
	else
		result = table_print(&t);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		argument_complain("cannot write the output");
		result = COMMAND_FAILED;
	}
	return (int)result;
}
