/* SPDX-License-Identifier: ISC */
/*
 * Each setting has a row; electd.conf and its manual page have every setting
 * and every algorithm. Run from the root of the tree.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_rows.h"
#include "tests/lib/rows.h"
#include "tests/lib/slurp.h"

TEST(each_setting_of_a_host_has_a_row)
{
	static const char header[] = "daemon/config/settings.h";
	static const char *const others[] = { "shared", "file_config_version",
		"ring", "discovery", "former", "former_count", "words_count",
		NULL };
	static const struct rows_of structs[] = {
		{ header, "settings", "", others },
		{ header, "settings_check", "", others },
		{ header, "settings_discovery", "discovery.", others },
		{ "daemon/config/settings_rows.h", "neighbour", "", others },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++)
		count +=
		    assert_rows("daemon/config/settings_rows.c", &structs[i]);
	assert_in_range(count, 30, 45);
}

/* Where the manual begins with the settings of a section. */
static const char *
section_in(const char *manual, const struct section *section)
{
	char head[64];
	const char *found;

	if (section->owner == NULL)
		return manual;
	snprintf(head, sizeof(head), "\n.Ss %s\n", section->owner->name);
	found = strstr(manual, head);
	if (found == NULL) {
		snprintf(
		    head, sizeof(head), "\n.It Ic %s ", section->owner->name);
		found = strstr(manual, head);
	}
	if (found == NULL)
		fail_msg("electd.conf.5 lacks %s", section->owner->name);
	return found;
}

/* The manual has the setting in its section, and the default in its entry. */
static void
assert_in_manual(
    const char *section, const struct config_row *row, const char *name)
{
	char head[64], *entry;
	const char *at, *end;

	snprintf(head, sizeof(head), "\n.It Ic %s ", name);
	at = strstr(section, head);
	if (at == NULL) {
		fail_msg("electd.conf.5 lacks %s", name);
		return;
	}
	end = strstr(at + strlen(head), "\n.It");
	entry = strndup(at, end == NULL ? strlen(at) : (size_t)(end - at));
	at = strstr(entry, "\nDefault:");
	if (row->initial != NULL &&
	    (at == NULL || strstr(at, row->initial) == NULL))
		fail_msg("electd.conf.5 lacks the default of %s", name);
	free(entry);
}

/* Finds every setting of a section in both, and of the sections in it. */
static void
assert_documented(
    const struct section *section, const char *manual, const char *conf)
{
	const char *begin = section_in(manual, section);
	const struct config_row *row;

	for (size_t i = 0; (row = section_row(section, i)) != NULL; i++) {
		const char *name = section_name(section, row);

		if (name == NULL)
			continue;
		if (row->kind != CONFIG_GROUP)
			assert_in_manual(begin, row, name);
		if (strstr(conf, name) == NULL)
			fail_msg("electd.conf lacks %s", name);
		if (row_has_sections(row))
			assert_documented(
			    &(struct section){ row, NULL }, manual, conf);
	}
}

TEST(every_setting_is_documented)
{
	const struct section root = { NULL, NULL };
	char *conf = slurp("conf/electd.conf");
	char *manual = slurp("daemon/man/electd.conf.5");

	assert_documented(&root, manual, conf);
	free(conf);
	free(manual);
}

/* The kinds of topology that an algorithm runs on, its default first. */
static const char *
kinds_of(const struct algorithm *algorithm)
{
	switch (algorithm->topology) {
	case TOPOLOGY_FULL:
		return "full";
	case TOPOLOGY_RING:
		return "ring";
	case TOPOLOGY_TREE:
		return "tree";
	case TOPOLOGY_GRAPH:
		return "graph, full, ring, tree";
	}
	return NULL;
}

/* The names of an algorithm's own options. Returns how many there are. */
static size_t
options_of(const struct algorithm *algorithm, const char *names[8])
{
	const struct section own = section_of_algorithm(algorithm);
	const struct config_row *row;
	size_t count = 0;

	for (size_t i = 0; (row = section_row(&own, i)) != NULL; i++) {
		if (section_name(&own, row) != NULL)
			names[count++] = section_name(&own, row);
	}
	names[count] = (algorithm->choices & CHOICE_DIAMETER) != 0
			   ? "topology.diameter"
			   : "none";
	return count;
}

/* An algorithm's options are in its own group, in both files. */
static void
assert_options_documented(const struct algorithm *algorithm,
    const char *const names[], size_t count, const char *manual,
    const char *conf)
{
	char head[64];
	const char *section;
	const char *group;

	snprintf(head, sizeof(head), "\n.Ss %s\n", algorithm->name);
	section = strstr(manual, head);
	snprintf(head, sizeof(head), "\n%s = {", algorithm->name);
	group = strstr(conf, head);
	if (section == NULL || (group == NULL && count > 0))
		fail_msg("%s has no section of its own", algorithm->name);
	for (size_t i = 0; i < count; i++) {
		const char *item;

		snprintf(head, sizeof(head), "\n.It Ic %s ", names[i]);
		item = strstr(section, head);
		if (item == NULL || strstr(section + 1, "\n.S") < item)
			fail_msg("manual lacks %s", names[i]);
		snprintf(head, sizeof(head), "%s = ", names[i]);
		item = strstr(group, head);
		if (item == NULL || strchr(group, '}') < item)
			fail_msg("electd.conf lacks %s", names[i]);
	}
}

/* A row of the table, a section, and every option in it. */
TEST(every_algorithm_is_documented)
{
	char *conf = slurp("conf/electd.conf");
	char *manual = slurp("daemon/man/electd.conf.5");

	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct algorithm *algorithm = algorithms[i];
		const char *names[8];
		size_t count = options_of(algorithm, names);
		char row[128];

		snprintf(row, sizeof(row), ".It Li %s Ta %s Ta %s%s",
		    algorithm->name, kinds_of(algorithm),
		    count > 0 ? "Ic " : "", names[0]);
		if (strstr(manual, row) == NULL)
			fail_msg("electd.conf.5 lacks: %s", row);
		assert_options_documented(
		    algorithm, names, count, manual, conf);
	}
	free(conf);
	free(manual);
}
