/* SPDX-License-Identifier: ISC */
/* electctl(1) has every verb, and every option of each. Run from the root of the
 * tree. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/electctl/electctl.h"
#include "tests/lib/slurp.h"

/* True if the line has this option. */
static bool
line_has_option(const char *line, const char *name)
{
	char item[64];
	const char *at;

	snprintf(item, sizeof(item), " -%s", name);
	at = strstr(line, item);
	return at != NULL && at < line + strcspn(line, "\n");
}

/* The line of the manual that begins with the macros and the name. */
static const char *
line_of(const char *manual, const char *macros, const char *name)
{
	char head[64];
	const char *at;
	size_t size =
	    (size_t)snprintf(head, sizeof(head), "\n%s%s", macros, name);

	for (at = strstr(manual, head); at != NULL; at = strstr(at + 1, head)) {
		if (at[size] == ' ' || at[size] == '\n')
			return at + 1;
	}
	fail_msg("electctl.1 lacks %s", name);
	return NULL;
}

TEST(every_verb_is_documented_with_its_options)
{
	char *manual = slurp("daemon/man/electctl.1");
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		const char *line = line_of(manual, ".It Cm ", command->name);

		for (unsigned j = 0; j < OPTIONS_COUNT; j++) {
			if ((command->takes & OPTION_BIT(j)) != 0 &&
			    !line_has_option(line, option_rows[j].name))
				fail_msg("electctl.1, %s: lacks --%s",
				    command->name, option_rows[j].name);
		}
	}
	free(manual);
}

TEST(every_option_of_all_verbs_is_documented)
{
	char *manual = slurp("daemon/man/electctl.1");

	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		char head[32] = ".It Fl -";

		if ((OPTIONS_GLOBAL & OPTION_BIT(i)) == 0)
			continue;
		if (row->letter != '\0')
			snprintf(
			    head, sizeof(head), ".It Fl %c , -", row->letter);
		(void)line_of(manual, head, row->name);
	}
	free(manual);
}
