/* SPDX-License-Identifier: ISC */
/*
 * Formulas as the textbooks write them, "nm - m(m-1)/2". The value comes from
 * the text itself, so a table prints the formula that it checks.
 *
 * A formula has numbers, the letters of struct facts, + - * / ^ and brackets;
 * factors may be side by side. It may have log2(x), ceil(x), and H(x) = 1 + 1/2
 * + ... + 1/x.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_TABLE_FORMULA_H
#define ELECTD_TESTS_MODEL_SIM_TABLE_FORMULA_H

#include <stdbool.h>

/* The quantities of a formula, each by the letter at its right. */
struct facts {
	double nodes;    /* n */
	double starters; /* m */
	double edges;    /* E */
	double diameter; /* D */
	double better;   /* b: nodes better than the best starter */
	double standard; /* S: of the default variant, in the same case */
};

/* Computes a formula; false: the text is no formula, or its value no number. */
bool formula_value(const char *text, const struct facts *facts, double *value);

#endif
