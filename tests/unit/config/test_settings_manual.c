/* SPDX-License-Identifier: ISC */
/*
 * electd.conf and its manual page have every setting and every algorithm. Run
 * from the root of the tree.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/config/settings_private.h"
#include "tests/lib/slurp.h"

/* Finds every setting in electd.conf and in the manual page. */
static void
assert_documented(const struct option *options)
{
	char *conf = slurp("conf/electd.conf");
	char *manual = slurp("daemon/man/electd.conf.5");

	for (const struct option *o = options; o->name != NULL; o++) {
		char item[64];

		snprintf(item, sizeof(item), "%s %s",
		    o->kind == KIND_GROUP ? ".Ss" : ".It Ic", o->name);
		if (strstr(manual, item) == NULL)
			fail_msg("electd.conf.5 lacks %s", o->name);
		if (strstr(conf, o->name) == NULL)
			fail_msg("electd.conf lacks %s", o->name);
		if (o->options != NULL)
			assert_documented(o->options);
	}
	free(conf);
	free(manual);
}

TEST(every_setting_is_documented)
{
	assert_documented(settings_options);
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

/* The first of an algorithm's options, of which `o` has those of its group. */
static const char *
option_of(const struct algorithm *algorithm, const struct option *o)
{
	if (o->name != NULL)
		return o->name;
	if ((algorithm->choices & CHOICE_DIAMETER) != 0)
		return "topology.diameter";
	return "none";
}

/* Its options are in its own group, in both files; `o` is the first. */
static void
assert_options_documented(const struct algorithm *algorithm,
    const struct option *o, const char *manual, const char *conf)
{
	char head[64];
	const char *section;
	const char *group;

	snprintf(head, sizeof(head), "\n.Ss %s\n", algorithm->name);
	section = strstr(manual, head);
	snprintf(head, sizeof(head), "\n%s = {", algorithm->name);
	group = strstr(conf, head);
	if (section == NULL || (group == NULL && o->name != NULL))
		fail_msg("%s has no section of its own", algorithm->name);
	for (; o->name != NULL; o++) {
		const char *item;

		snprintf(head, sizeof(head), "\n.It Ic %s ", o->name);
		item = strstr(section, head);
		if (item == NULL || strstr(section + 1, "\n.S") < item)
			fail_msg("manual lacks %s", o->name);
		snprintf(head, sizeof(head), "%s = ", o->name);
		item = strstr(group, head);
		if (item == NULL || strchr(group, '}') < item)
			fail_msg("electd.conf lacks %s", o->name);
	}
}

/* A row of the table, a section, and every option in it. */
TEST(every_algorithm_is_documented)
{
	char *conf = slurp("conf/electd.conf");
	char *manual = slurp("daemon/man/electd.conf.5");

	for (size_t i = 0; algorithms[i] != NULL; i++) {
		const struct algorithm *algorithm = algorithms[i];
		struct option rows[CHOICES_MAX];
		const struct option *o = algorithm_options(algorithm, rows);
		char row[128];

		snprintf(row, sizeof(row), ".It Li %s Ta %s Ta %s%s",
		    algorithm->name, kinds_of(algorithm),
		    o->name != NULL ? "Ic " : "", option_of(algorithm, o));
		if (strstr(manual, row) == NULL)
			fail_msg("electd.conf.5 lacks: %s", row);
		assert_options_documented(algorithm, o, manual, conf);
	}
	free(conf);
	free(manual);
}
