/* SPDX-License-Identifier: ISC */
/*
 * Settings with one node more, or less, or elsewhere: they differ in nothing
 * else, whatever the operator wrote.
 */
#include "tests/unit/group.h"

#include "daemon/config/settings_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_changes.h"

#define HEAD(algorithm)                                                        \
	"cluster = \"web\"; guarantee = \"quorum\"; config_version = 7;\n"     \
	"algorithm = \"" algorithm "\";\n"
#define NODES                                                                  \
	"nodes = ( { id = 1; address = \"h1:1\"; },"                           \
	" { id = 2; address = \"h2:1\"; name = \"two\"; priority = 5; },"      \
	" { id = 3; address = \"h3:1\"; role = \"observer\"; } );\n"
#define FOURTH .kind = MEMBER_ADD, .id = 4, .name = "four", .address = "h4:1"
#define ADD(number)                                                            \
	.kind = MEMBER_ADD, .id = (number), .name = "x", .address = "h4:1"

static struct settings *before, *after;
static char *errors;
static char differs[512]; /* what differs, one a line */

static void
begin(const char *text)
{
	char *copy = strdup(text);

	before = settings_parse("test", copy, 1, stderr);
	assert_non_null(before);
	free(copy);
}

static void
end(void)
{
	settings_free(before);
	settings_free(after);
	free(errors);
	before = after = NULL;
	errors = NULL;
}

static void
on_change(void *context, enum change change, const char *setting)
{
	size_t size = strlen(differs);

	(void)context;
	(void)change;
	snprintf(differs + size, sizeof(differs) - size, "%s\n", setting);
}

/* Gives what differs then; "" if the text is wrong. */
static const char *
change(const struct member_change *change)
{
	differs[0] = '\0';
	after = settings_change_member(before, change, &errors);
	if (after != NULL && config_find(&after->shared, before->id) != NULL)
		settings_compare(before, after, on_change, NULL);
	return differs;
}

TEST(node_that_comes_is_told)
{
	const struct config_node *node;

	begin(HEAD("bully") NODES);
	assert_string_equal(change(&(struct member_change){
				FOURTH, .priority = -3, .role = "voter" }),
	    "nodes: also four\nconfig_version\n");
	node = config_find(&after->shared, 4);
	assert_string_equal(node->address, "h4:1");
	assert_int_equal(node->priority, -3);
	assert_int_equal(node->role, ROLE_VOTER);
	assert_int_equal(after->shared.config_version, 8);
	end();
}

TEST(a_node_of_which_only_the_address_is_given_has_the_defaults)
{
	begin(HEAD("bully") NODES);
	change(&(struct member_change){
	    .kind = MEMBER_ADD, .id = 9, .address = "h9:1" });
	assert_non_null(after);
	assert_string_equal(config_find(&after->shared, 9)->name, "9");
	assert_int_equal(config_find(&after->shared, 9)->role, ROLE_CANDIDATE);
	end();
}

/* The settings remember the last nodes that left. A node that is back has its
 * new name. */
TEST(a_node_that_left_is_still_called_by_its_name)
{
	begin(HEAD("bully") NODES);
	change(&(struct member_change){ .kind = MEMBER_REMOVE, .id = 2 });
	settings_remember(after, before);
	assert_null(config_find(&after->shared, 2));
	assert_string_equal(settings_name(after, 2), "two");
	settings_remember(before, after);
	assert_string_equal(settings_name(before, 1), "1");
	strcpy(before->shared.nodes[1].name, "new");
	assert_string_equal(settings_name(before, 2), "new");
	assert_null(settings_name(before, 4));
	assert_null(settings_name(before, NODE_NONE));
	end();
}

TEST(names_of_nodes_that_left_are_bounded)
{
	begin(HEAD("bully") NODES);
	change(&(struct member_change){ .kind = MEMBER_REMOVE, .id = 2 });
	for (node_id id = 10; id < 10 + 2 * FORMER_MAX; id++) {
		before->shared.nodes[1].id = id;
		settings_remember(after, before);
		memcpy(before->former, after->former, sizeof(after->former));
		before->former_count = after->former_count;
	}
	assert_null(settings_name(after, 10 + FORMER_MAX - 1));
	assert_string_equal(settings_name(after, 10 + FORMER_MAX), "two");
	end();
}

TEST(a_node_goes_or_moves)
{
	begin(HEAD("bully") NODES);
	assert_string_equal(
	    change(&(struct member_change){ .kind = MEMBER_REMOVE, .id = 2 }),
	    "nodes: without two\nconfig_version\n");
	end();
	begin(HEAD("bully") NODES);
	assert_string_equal(
	    change(&(struct member_change){
		.kind = MEMBER_REPLACE, .id = 2, .address = "h2:9" }),
	    "address of two\nconfig_version\n");
	end();
}

/* Under component no file of a cluster with discovery has the nodes. */
TEST(a_change_of_what_no_file_lists_is_a_list)
{
	static const struct {
		enum guarantee guarantee;
		bool discovers, is_discovered;
		uint32_t config_version, revision;
	} rows[] = {
		{ GUARANTEE_COMPONENT, false, false, 8, 4 },
		{ GUARANTEE_QUORUM, true, false, 8, 4 },
		{ GUARANTEE_QUORUM, true, true, 7, 5 },
		{ GUARANTEE_COMPONENT, true, false, 7, 5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct config *shared;

		begin(HEAD("bully") NODES);
		shared = &before->shared;
		shared->guarantee = rows[i].guarantee;
		shared->discovers = rows[i].discovers;
		shared->forget = rows[i].discovers ? FORGET_MIN : 0;
		shared->revision = 4;
		change(&(struct member_change){ FOURTH, .role = "observer",
		    .is_discovered = rows[i].is_discovered });
		assert_non_null(after);
		assert_int_equal(
		    after->shared.config_version, rows[i].config_version);
		assert_int_equal(after->shared.revision, rows[i].revision);
		end();
	}
}

/* What an operator has left to its default follows the nodes. */
TEST(defaults_of_a_topology_stay_defaults)
{
	static const struct member_change add = { FOURTH };

	begin(HEAD("lelann") NODES);
	assert_string_equal(
	    change(&add), "nodes: also four\ntopology.order\nconfig_version\n");
	end();
	begin(HEAD("floodmax") NODES);
	assert_int_equal(before->shared.choices.diameter, 2);
	assert_string_equal(change(&add),
	    "nodes: also four\ntopology.diameter\nconfig_version\n");
	assert_int_equal(after->shared.choices.diameter, 3);
	end();
	begin(HEAD("floodmax") "topology = { diameter = 9; };" NODES);
	change(&add);
	assert_int_equal(after->shared.choices.diameter, 9);
	end();
}

TEST(wrong_changes_have_errors)
{
	static const struct {
		const char *text;
		struct member_change change;
		const char *error;
	} rows[] = {
		{ HEAD("bully") NODES, { ADD(3) },
		    "nodes[3].id: 3 is already used" },
		{ HEAD("bully") NODES, { ADD(0) }, " id: 0 is out of range" },
		{ HEAD("bully") NODES, { ADD(INT64_MAX) },
		    "9223372036854775807" },
		{ HEAD("bully") NODES, { ADD(4), .priority = INT64_MIN },
		    "-9223372036854775808" },
		{ HEAD("bully") NODES,
		    { .kind = MEMBER_ADD, .id = 4, .name = "x" },
		    " address: is missing" },
		{ HEAD("bully") NODES, { .kind = MEMBER_REPLACE, .id = 2 },
		    " address: is missing" },
		{ HEAD("lelann") "topology = { order = [1, 3, 2]; };" NODES,
		    { FOURTH }, "topology.order: leaves out 4" },
		{ HEAD(
		      "tree") "topology = { links = ([1, 2], [2, 3]); };" NODES,
		    { .kind = MEMBER_REMOVE, .id = 3 }, "topology.links" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].text);
		change(&rows[i].change);
		assert_null(after);
		if (strstr(errors, rows[i].error) == NULL)
			fail_msg("no '%s' in: %s", rows[i].error, errors);
		end();
	}
}

TEST(no_text_of_an_operator_is_more_than_a_value)
{
	static const char *const texts[] = { "x\"; role = \"voter", "x\\",
		"x\\\"", "x\"; } ); config_version = 9; #", "x\n",
		"x\n# config term 5\n", "", " ", "\x01", "\xff", "x /*",
		"x #" };

	for (size_t i = 0; i < 3 * sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i / 3];
		struct member_change add = { FOURTH };

		if (i % 3 == 0)
			add.name = text;
		else if (i % 3 == 1)
			add.address = text;
		else
			add.role = text;
		begin(HEAD("bully") NODES);
		change(&add);
		assert_null(after);
		assert_non_null(strstr(errors, "the changed settings:"));
		end();
	}
}

/* As many as there may be: one may go, and none may come. */
TEST(greatest_cluster_changes)
{
	static char text[64 * NODES_MAX];
	size_t used = (size_t)sprintf(text, HEAD("bully") "nodes = (");

	for (unsigned i = 1; i <= NODES_MAX; i++)
		used += (size_t)sprintf(text + used,
		    "%s { id = %u; address = \"h%u:1\"; }", i > 1 ? "," : "", i,
		    i);
	strcpy(text + used, ");");
	begin(text);
	change(&(struct member_change){ .kind = MEMBER_REMOVE, .id = 2 });
	assert_non_null(after);
	assert_int_equal(after->shared.nodes_count, NODES_MAX - 1);
	settings_free(after);
	free(errors);
	change(&(struct member_change){
	    .kind = MEMBER_ADD, .id = 9999, .address = "h0:1" });
	assert_null(after);
	assert_non_null(strstr(errors, "there are 1024 already"));
	end();
}

TEST(the_last_config_version_is_followed_by_none)
{
	begin(HEAD("bully") NODES);
	before->shared.config_version = CONFIG_VERSION_MAX;
	change(&(struct member_change){ FOURTH });
	assert_null(after);
	assert_non_null(strstr(errors, "config_version"));
	end();
}
