/* SPDX-License-Identifier: ISC */
#include "daemon/config/settings_members.h"

#include <stdlib.h>

#include "daemon/config/settings_document.h"

/* True if the ring has the order that it has by default. */
static bool
is_by_id(const struct settings_ring *ring)
{
	for (size_t i = 1; i < ring->order_count; i++) {
		if (ring->order[i - 1] > ring->order[i])
			return false;
	}
	return true;
}

char *
settings_change_member(const struct settings *settings,
    const struct member_change *change, size_t *size)
{
	struct settings next = *settings;
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (to == NULL)
		return NULL;
	next.generation++;
	next.stamp = 0;
	if (is_by_id(&next.ring))
		next.ring.order_count = 0;
	if (next.choices.diameter + 1 == next.nodes_count)
		next.choices.diameter = 0;
	settings_print_numbers(&next, to);
	settings_print_changed(&next, change, to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
