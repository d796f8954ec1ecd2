/* SPDX-License-Identifier: ISC */
/*
 * The costs come from the claims on "total" and "time" of the rows that have a
 * brief. This file has only what no formula says.
 */
#include "tests/model/sim/table/markdown.h"

#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/table/property.h"

/* By enum topology. */
static const struct {
	const char *name;
	const char *model;
	const char *failure;
} topologies[] = {
	[TOPOLOGY_FULL] = { "full", "every pair is linked",
	    "new election without it" },
	[TOPOLOGY_RING] = { "ring", "two links a node",
	    "the ring closes over the gap, new election" },
	[TOPOLOGY_TREE] = { "tree", "no cycles",
	    "the links that are left have another tree, new election" },
	[TOPOLOGY_GRAPH] = { "graph", "any connected graph",
	    "new election on the links that are left" },
};

/* Where an algorithm differs from the rule of its topology. */
static const struct {
	const char *algorithm;
	const char *model;   /* NULL: that of the topology */
	const char *failure; /* NULL: that of the topology */
} exceptions[] = {
	{ "bully-broadcast", "every pair is linked; bounded delays", NULL },
	{ "floodmax", "any connected graph; D is known",
	    "new election on the links that are left; D must hold for them" },
};

/* How to print what formulas contain; the longest first. */
static const struct {
	const char *text;
	const char *print;
} signs[] = {
	{ "ceil(log2(n))", "⌈log₂ n⌉" },
	{ "log2(n)", "log₂ n" },
	{ "H(n)", "Hₙ" },
	{ "^2", "²" },
	{ "<=", "≤" },
	{ ">=", "≥" },
	{ "-", "−" },
	{ "*", "·" },
};

static void
print_formula(FILE *out, const char *formula)
{
	while (*formula != '\0') {
		size_t i;

		for (i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
			size_t length = strlen(signs[i].text);

			if (strncmp(formula, signs[i].text, length) != 0)
				continue;
			fputs(signs[i].print, out);
			formula += length;
			break;
		}
		if (i == sizeof(signs) / sizeof(*signs))
			fputc(*formula++, out);
	}
}

static void
print_cost(
    FILE *out, const struct property *p, const struct claim *c, bool is_first)
{
	fputs(is_first ? "" : ", ", out);
	if (c->sense == SENSE_AT_MOST || c->sense == SENSE_MEAN_AT_MOST)
		fputs("≤ ", out);
	print_formula(out, c->formula);
	fprintf(out, " (%s)", p->brief);
}

/* Prints the first claim on this measure of each row that has a brief. */
static void
print_costs(FILE *out, const char *algorithm, const char *measure)
{
	bool is_first = true;

	for (const struct property *p = properties; p->algorithm; p++) {
		if (strcmp(p->algorithm, algorithm) != 0 || p->brief == NULL)
			continue;
		for (size_t i = 0; i < CLAIMS_MAX && p->claims[i]; i++) {
			struct claim c;

			if (!claim_read(&c, p->claims[i]) ||
			    strcmp(c.measure, measure) != 0)
				continue;
			print_cost(out, p, &c, is_first);
			is_first = false;
			break;
		}
	}
}

static void
print_row(FILE *out, const struct algorithm *a)
{
	const char *model = topologies[a->topology].model;
	const char *failure = topologies[a->topology].failure;

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++) {
		if (strcmp(exceptions[i].algorithm, a->name) != 0)
			continue;
		if (exceptions[i].model != NULL)
			model = exceptions[i].model;
		if (exceptions[i].failure != NULL)
			failure = exceptions[i].failure;
	}
	fprintf(out, "| %s | %s | %s | ", a->name, topologies[a->topology].name,
	    model);
	print_costs(out, a->name, "total");
	fputs(" | ", out);
	print_costs(out, a->name, "time");
	fprintf(out, " | %s |\n", failure);
}

void
table_markdown(FILE *out, const char *algorithm)
{
	fputs("| algorithm | topology | model | messages | time | when a node"
	      " fails |\n|---|---|---|---|---|---|\n",
	    out);
	for (size_t i = 0; algorithms[i] != NULL; i++) {
		if (algorithm == NULL ||
		    strcmp(algorithm, algorithms[i]->name) == 0)
			print_row(out, algorithms[i]);
	}
}
