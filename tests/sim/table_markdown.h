/* SPDX-License-Identifier: ISC */
/*
 * The table of algorithms/README.md, as Markdown: one row an algorithm, its
 * costs taken from the table of properties.
 */
#ifndef ELECTD_TESTS_SIM_TABLE_MARKDOWN_H
#define ELECTD_TESTS_SIM_TABLE_MARKDOWN_H

#include <stdio.h>

/* Prints the row of one algorithm, or all, NULL, with the table's head. */
void table_markdown(FILE *out, const char *algorithm);

#endif
