/* SPDX-License-Identifier: ISC */
/* A table: one row an object, the columns aligned. */
#ifndef ELECTD_DAEMON_ELECTCTL_PRINT_TABLE_H
#define ELECTD_DAEMON_ELECTCTL_PRINT_TABLE_H

#include "daemon/client/client.h"

struct column {
	const char *head;
	const char *text;  /* of a cell, with members of its row; see line.h */
	const char *usual; /* it is left out if each cell is this, or "-";
	                    * NULL: it is not */
	bool is_loose;     /* the last cell of a row does not widen it */
};

/* Prints the heads, and then the rows, each up to its last cell that is not
 * empty. The names of nodes are those of the answer. */
void print_table(const json_t *answer, const json_t *rows,
    const struct column *columns, size_t count);

#endif
