/* SPDX-License-Identifier: ISC */
/* `stats` as text. */
#include <stdio.h>

#include "daemon/electctl/print/line.h"
#include "daemon/electctl/print/print.h"

/* One counter a line; nested counters only if they are not 0. */
static void
print_counters(const char *parent, json_t *counters)
{
	const char *key;
	json_t *value;

	json_object_foreach(counters, key, value)
	{
		char name[64], text[PLAIN_TEXT_MAX];

		snprintf(name, sizeof(name), "%s%s%s", parent,
		    parent[0] == '\0' ? "" : " ", key);
		make_plain(name);
		if (json_is_object(value))
			print_counters(name, value);
		else if (parent[0] == '\0' || json_integer_value(value) != 0)
			printf("%-24s %s\n", name, plain_text(value, text));
	}
}

/* The uptime is not a counter: it comes first. The last term comes last. */
void
print_stats(json_t *answer)
{
	json_t *last = json_incref(json_object_get(answer, "term_messages"));
	struct line up = { .size = 0 }, name = { .size = 0 },
		    sent = { .size = 0 };

	line_fill(&up, answer, "{uptime_ms ms}");
	printf("%-24s %s\n", "up", up.text);
	json_object_del(answer, "uptime_ms");
	json_object_del(answer, "term_messages");
	print_counters("", answer);
	if (json_is_integer(field(last, "term"))) {
		line_fill(&name, last, "term {term}, this node");
		line_add(&sent, "%-24s ", name.text);
		line_fill(&sent, last, "{self kinds}");
		puts(sent.text);
	}
	json_decref(last);
}
