/* SPDX-License-Identifier: ISC */
/* A parser by recursive descent, which computes as it reads. */
#include "tests/model/sim/table/formula.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32 /* nested brackets; ours need three */

/* The first error sets `has_failed`, and ends the reading. */
struct parser {
	const char *at;
	const struct facts *facts;
	unsigned depth;
	bool has_failed;
};

static double parse_sum(struct parser *p);

static double
parse_fault(struct parser *p)
{
	p->has_failed = true;
	return 0;
}

static bool
parse_take(struct parser *p, const char *word)
{
	size_t length = strlen(word);

	while (*p->at == ' ')
		p->at++;
	if (strncmp(p->at, word, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* Reads the rest of a bracket that is open. */
static double
parse_bracket(struct parser *p)
{
	double value;

	if (p->depth >= DEPTH_MAX)
		return parse_fault(p);
	p->depth++;
	value = parse_sum(p);
	p->depth--;
	if (!parse_take(p, ")"))
		return parse_fault(p);
	return value;
}

static double
harmonic(double x)
{
	double sum = 0;

	for (double i = 1; i <= x; i++)
		sum += 1 / i;
	return sum;
}

static double
parse_number(struct parser *p)
{
	char *end;
	double value = strtod(p->at, &end);

	p->at = end;
	return value;
}

static double
parse_letter(struct parser *p)
{
	const struct facts *f = p->facts;

	switch (*p->at++) {
	case 'n':
		return f->nodes;
	case 'm':
		return f->starters;
	case 'E':
		return f->edges;
	case 'D':
		return f->diameter;
	case 'b':
		return f->better;
	case 'S':
		return f->standard;
	}
	p->at--;
	return parse_fault(p);
}

static double
parse_atom(struct parser *p)
{
	if (p->has_failed)
		return 0;
	if (parse_take(p, "("))
		return parse_bracket(p);
	if (parse_take(p, "log2("))
		return log2(parse_bracket(p));
	if (parse_take(p, "ceil("))
		return ceil(parse_bracket(p));
	if (parse_take(p, "H("))
		return harmonic(parse_bracket(p));
	if (isdigit((unsigned char)*p->at))
		return parse_number(p);
	return parse_letter(p);
}

static double
parse_power(struct parser *p)
{
	double base = parse_atom(p);

	return parse_take(p, "^") ? pow(base, parse_atom(p)) : base;
}

/* True if another factor follows without a sign between. */
static bool
parse_sees_factor(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
	return *p->at == '(' || isalnum((unsigned char)*p->at);
}

static double
parse_product(struct parser *p)
{
	double value = parse_power(p);

	while (!p->has_failed) {
		if (parse_take(p, "/"))
			value /= parse_power(p);
		else if (parse_take(p, "*") || parse_sees_factor(p))
			value *= parse_power(p);
		else
			break;
	}
	return value;
}

static double
parse_sum(struct parser *p)
{
	double value = parse_product(p);

	while (!p->has_failed) {
		if (parse_take(p, "+"))
			value += parse_product(p);
		else if (parse_take(p, "-"))
			value -= parse_product(p);
		else
			break;
	}
	return value;
}

bool
formula_value(const char *text, const struct facts *facts, double *value)
{
	struct parser p = { .at = text, .facts = facts };
	double result;

	assert(text != NULL);
	result = parse_sum(&p);
	if (p.has_failed || *p.at != '\0' || !isfinite(result))
		return false;
	*value = result;
	return true;
}
