/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_rows.h"

#include <string.h>

static bool
same_ids(const node_id *a, size_t a_count, const node_id *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		if (a[i] != b[i])
			return false;
	}
	return true;
}

/* True if the hosts need not agree on the nodes, of which each knows its
 * neighbours. */
static bool
is_partial(const struct config *c)
{
	return c->neighbours_only && c->topology != TOPOLOGY_FULL;
}

/* Compares what hosts that know their neighbours only have of them. */
static bool
is_same_neighbours(const struct settings *a, const struct settings *b)
{
	return a->shared.neighbours_only == b->shared.neighbours_only &&
	       same_ids(a->ring.right, a->ring.right_count, b->ring.right,
		   b->ring.right_count) &&
	       same_ids(a->ring.left, a->ring.left_count, b->ring.left,
		   b->ring.left_count);
}

void
settings_compare(const struct settings *running, const struct settings *wanted,
    change_taker *take, void *context)
{
	bool is_bound = running->listen[0] == '\0' || wanted->listen[0] == '\0';
	const struct config_row *row;

	assert(running->id != NODE_NONE);
	config_compare(&running->shared, &wanted->shared,
	    is_bound ? running->id : NODE_NONE, take, context);
	for (size_t i = config_rows_count; (row = settings_row(i)); i++) {
		bool is_neighbours = row->rows != NULL && row->count_at == 0;
		enum change change = row->change;

		if (is_neighbours && !(is_partial(&running->shared) &&
					 is_partial(&wanted->shared)))
			change = CHANGE_CLUSTER;
		if (is_neighbours ? !is_same_neighbours(running, wanted)
				  : !config_is_same(row, running, wanted))
			take(context, change, row->name);
	}
}
