/* SPDX-License-Identifier: ISC */
/* `snapshot` as text. */
#include <stdio.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"
#include "daemon/electctl/print/table.h"

/* Adds to the answer the names of its nodes, by their ids. */
static void
name_nodes(json_t *answer)
{
	json_t *names = json_object(), *node;
	char id[PLAIN_TEXT_MAX];
	size_t i;

	json_array_foreach(field(answer, "nodes"), i, node)
	{
		json_t *name = json_object_get(node, "name");

		if (!json_is_string(name))
			name = json_object_get(node, "id");
		json_object_set(names, plain_text(field(node, "id"), id), name);
	}
	json_object_set_new(answer, "names", names);
}

/* Prints each message that was in transit. */
static void
print_transit(const json_t *answer)
{
	json_t *channel, *message;
	size_t i, j, count = 0;

	json_array_foreach(field(answer, "channels"), i, channel)
	{
		json_array_foreach(field(channel, "messages"), j, message)
		{
			struct line line = { .names = field(answer, "names") };

			line_fill(
			    &line, message, "in transit: {message} from ");
			line_fill(&line, channel, "{from node} to {to node}");
			line_fill(&line, message, " in term {term}");
			puts(line.text);
			count++;
		}
	}
	if (count == 0)
		puts("in transit: nothing");
}

void
print_snapshot(json_t *answer)
{
	static const struct column columns[] = {
		{ "ID", "{id}", NULL, false },
		{ "NODE", "{id node}", NULL, false },
		{ "STATE", "{state}", NULL, false },
		{ "TERM", "{term}", NULL, false },
		{ "LEADER", "{leader node}", NULL, false },
		{ "EVENTS", "{events}", NULL, false },
	};
	struct line line = { .size = 0 };

	name_nodes(answer);
	line.names = field(answer, "names");
	line_fill(&line, answer,
	    "{consistent?consistent:INCONSISTENT}, {nodes count} node{nodes s}, {markers} marker{markers s}");
	line_add(&line, ", %.1f ms", json_number_value(field(answer, "ms")));
	line_fill(&line, answer,
	    "[; all follow {leader node}|; they follow no leader, or several]");
	line_print(&line);
	if (json_is_string(field(answer, "fault")))
		print_text(answer, "WRONG: {fault}");
	print_table(answer, field(answer, "nodes"), columns,
	    sizeof(columns) / sizeof(columns[0]));
	print_transit(answer);
}
