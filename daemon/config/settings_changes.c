/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_changes.h"
#include "daemon/config/settings_rows.h"

#include <string.h>

/* True if the hosts need not agree on the nodes, of which each knows its
 * neighbours. */
static bool
is_partial(const struct config *c)
{
	return c->neighbours_only && c->topology != TOPOLOGY_FULL;
}

static bool
is_same_neighbours(const struct settings *a, const struct settings *b)
{
	return a->shared.neighbours_only == b->shared.neighbours_only &&
	       memcmp(&a->ring, &b->ring, sizeof(a->ring)) == 0;
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
