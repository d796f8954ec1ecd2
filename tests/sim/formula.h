/* SPDX-License-Identifier: ISC */
/*
 * Formulas as the textbooks write them, "nm - m(m-1)/2", reckoned from their
 * text: what a table prints is what it is checked against.
 *
 * Numbers, the names of struct facts, + - * / ^ and brackets; factors may
 * stand side by side. log2(x), ceil(x), and H(x) = 1 + 1/2 + ... + 1/x.
 */
#ifndef ELECTD_TESTS_SIM_FORMULA_H
#define ELECTD_TESTS_SIM_FORMULA_H

#include <stdbool.h>

/* What a formula may speak of, each by the letter at its right. */
struct facts {
	double nodes;    /* n */
	double starters; /* m */
	double edges;    /* E */
	double diameter; /* D */
	double better;   /* b: nodes better than the best starter */
	double standard; /* S: what the default variant took for the same */
};

/* Reckons a formula; false when the text is none, or its value no number. */
bool formula_value(const char *text, const struct facts *facts, double *value);

#endif
