/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/print/table.h"

#include <stdio.h>

#include "daemon/electctl/print/line.h"

#define COLUMNS_MAX 10

struct row {
	struct line cells[COLUMNS_MAX];
	size_t count; /* up to the last cell that is not empty */
};

/* Fills the cells of a row; of the heads, if the row is NULL. */
static void
set_row(struct row *row, const json_t *answer, const json_t *object,
    const struct column *columns, size_t count)
{
	row->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct line *cell = &row->cells[i];

		cell->names = field(answer, "names");
		cell->size = 0;
		cell->text[0] = '\0';
		if (object == NULL)
			line_add(cell, "%s", columns[i].head);
		else
			line_fill(cell, object, columns[i].text);
		if (cell->size > 0)
			row->count = i + 1;
	}
}

/* Prints a row without the columns of width 0. */
static void
print_row(const struct row *row, const int widths[COLUMNS_MAX])
{
	size_t last = row->count - 1;

	while (last > 0 && (row->cells[last].size == 0 || widths[last] == 0))
		last--;
	for (size_t i = 0; i < last; i++) {
		if (widths[i] > 0)
			printf("%-*s  ", widths[i], row->cells[i].text);
	}
	puts(row->cells[last].text);
}

void
print_table(const json_t *answer, const json_t *rows,
    const struct column *columns, size_t count)
{
	bool tells_more[COLUMNS_MAX] = { false };
	int widths[COLUMNS_MAX] = { 0 };
	size_t rows_count = json_array_size(rows);
	struct row row;

	assert(count <= COLUMNS_MAX);
	for (size_t i = 0; i <= rows_count; i++) {
		const json_t *object =
		    i == 0 ? NULL : json_array_get(rows, i - 1);

		set_row(&row, answer, object, columns, count);
		for (size_t j = 0; j < row.count; j++) {
			const struct line *cell = &row.cells[j];
			bool is_loose =
			    columns[j].is_loose && j + 1 == row.count;

			if (!is_loose && (int)cell->size > widths[j])
				widths[j] = (int)cell->size;
			if (columns[j].usual == NULL ||
			    (i > 0 && strcmp(cell->text, "-") != 0 &&
				strcmp(cell->text, columns[j].usual) != 0))
				tells_more[j] = true;
		}
	}
	for (size_t j = 0; j < count; j++)
		widths[j] *= tells_more[j];
	for (size_t i = 0; i <= rows_count; i++) {
		set_row(&row, answer,
		    i == 0 ? NULL : json_array_get(rows, i - 1), columns,
		    count);
		print_row(&row, widths);
	}
}
