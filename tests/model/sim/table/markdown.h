/* SPDX-License-Identifier: ISC */
/*
 * The table of algorithms/README.md, as Markdown: a row for each algorithm,
 * with its costs from the table of properties.
 */
#ifndef ELECTD_TESTS_MODEL_SIM_TABLE_MARKDOWN_H
#define ELECTD_TESTS_MODEL_SIM_TABLE_MARKDOWN_H

#include <stdio.h>

/* Prints the table's head, and the row of one algorithm, or, NULL, of all. */
void table_markdown(FILE *out, const char *algorithm);

#endif
