/* SPDX-License-Identifier: ISC */
/*
 * Configurations: those that are shipped are good, broken ones give their
 * errors, and nothing in a file does harm. Run from the root of the tree.
 */
#include "tests/unit/group.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/registry.h"
#include "daemon/config/settings.h"
#include "tests/lib/slurp.h"

#define BROKEN_MIN 80 /* configurations in tests/unit/settings */

#define HEAD "cluster = \"web\"; guarantee = \"component\";\n"
#define NODES                                                                  \
	"nodes = ( { id = 1; address = \"192.0.2.11:7420\"; },\n"              \
	"  { id = 2; address = \"192.0.2.12:7420\"; } );\n"

/* Parses a copy of `text`; *errors is its complaints, allocated. */
static struct settings *
parse(const char *text, node_id id, char **errors)
{
	char *copy = strdup(text);
	size_t size;
	FILE *to = open_memstream(errors, &size);
	struct settings *settings = settings_parse("test", copy, id, to);

	fclose(to);
	free(copy);
	return settings;
}

/* Reads a file in the same way. */
static struct settings *
read_file(const char *path, char **errors)
{
	size_t size;
	FILE *to = open_memstream(errors, &size);
	struct settings *settings = settings_read(path, NODE_NONE, to);

	fclose(to);
	return settings;
}

static struct settings *
parse_good(const char *text, node_id id)
{
	char *errors;
	struct settings *settings = parse(text, id, &errors);

	assert_string_equal(errors, "");
	assert_non_null(settings);
	free(errors);
	return settings;
}

/* True if exactly these lines refuse `text`. */
static void
assert_refused(const char *text, node_id id, const char *expected)
{
	char *errors;
	struct settings *settings = parse(text, id, &errors);

	assert_string_equal(errors, expected);
	assert_null(settings);
	free(errors);
}

static char *
print(const struct settings *settings)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	settings_print(settings, to);
	fclose(to);
	return text;
}

/* Takes the next line off *text; NULL at its end. */
static char *
next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line == NULL || (*line == '\0' && *text == NULL) ? NULL : line;
}

/* Prints the lines that differ, those expected with "-". Alters both. */
static void
print_difference(char *expected, char *actual)
{
	char *wanted = next_line(&expected);
	char *found = next_line(&actual);

	while (wanted != NULL || found != NULL) {
		bool same = wanted != NULL && found != NULL &&
			    strcmp(wanted, found) == 0;

		if (!same && wanted != NULL)
			print_error("-%s\n", wanted);
		if (!same && found != NULL)
			print_error("+%s\n", found);
		wanted = next_line(&expected);
		found = next_line(&actual);
	}
}

/* Compares the errors of NAME.conf with NAME.expected. */
static bool
broken_is_told(const char *path)
{
	char expected_path[256];
	char *expected;
	char *actual;
	struct settings *settings = read_file(path, &actual);
	bool same;

	snprintf(expected_path, sizeof(expected_path), "%.*s.expected",
	    (int)strlen(path) - (int)strlen(".conf"), path);
	expected = slurp(expected_path);
	same = settings == NULL && strcmp(expected, actual) == 0;
	if (!same) {
		print_error("%s: not as expected:\n", path);
		print_difference(expected, actual);
	}
	settings_free(settings);
	free(expected);
	free(actual);
	return same;
}

TEST(every_broken_configuration_gives_its_errors)
{
	glob_t files;
	size_t wrong = 0;
	char *home = getcwd(NULL, 0);

	assert_int_equal(chdir("tests/unit/settings"), 0);
	assert_int_equal(glob("*.conf", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		wrong += !broken_is_told(files.gl_pathv[i]);
	assert_int_equal(chdir(home), 0);
	assert_true(files.gl_pathc >= BROKEN_MIN);
	assert_int_equal(wrong, 0);
	globfree(&files);
	free(home);
}

/* Every shipped file is good; its printed form is good and stays the same. */
TEST(shipped_configurations_print_to_themselves)
{
	glob_t files;

	assert_int_equal(glob("conf/*.conf", 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= 3);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char *text = slurp(files.gl_pathv[i]);
		struct settings *first = parse_good(text, NODE_NONE);
		char *once = print(first);
		struct settings *second = parse_good(once, NODE_NONE);
		char *twice = print(second);

		assert_string_equal(once, twice);
		settings_free(first);
		settings_free(second);
		free(text);
		free(once);
		free(twice);
	}
	globfree(&files);
}

/* A setting that is left out has the default that electd.conf names. */
TEST(documented_defaults_are_the_defaults)
{
	char *text = slurp("conf/electd.conf");
	struct settings *full = parse_good(text, NODE_NONE);
	struct settings *bare = parse_good(
	    "cluster = \"example\"; guarantee = \"component\"; nodes = (\n"
	    "{ id = 1; name = \"alpha\"; address = \"192.0.2.11:7420\"; },\n"
	    "{ id = 2; name = \"beta\"; address = \"192.0.2.12:7420\"; },\n"
	    "{ id = 3; name = \"gamma\";  address = \"192.0.2.13:7420\"; } );",
	    NODE_NONE);
	char *printed_full = print(full);
	char *printed_bare = print(bare);

	assert_string_equal(printed_full, printed_bare);
	settings_free(full);
	settings_free(bare);
	free(printed_full);
	free(printed_bare);
	free(text);
}

static const char every_setting[] =
    "cluster = \"c\";\n"
    "guarantee = \"component\"; algorithm = \"bully\";\n"
    "prefer = \"lowest\"; preempt = \"after 2min\"; id = 0x7L;\n"
    "listen = \"[::]:1\"; nodes = (\n"
    "{ id = 2147483647; name = \"z\"; address = \"h:65535\";\n"
    "  priority = -2147483648; role = \"voter\"; },\n"
    "{ id = 7; address = \"[fe80::1%eth0]:7420\"; } );\n"
    "timing = { heartbeat = \"1500us\"; misses = 9;\n"
    "  lease = \"3s\"; startup = \"0s\"; } realtime = true;\n"
    "record = false; watch_carrier = false; expect = 3;\n"
    "config_version = 12; security = { old_key_file = \"/k\"; };";

TEST(every_value_arrives_where_it_belongs)
{
	struct settings *s = parse_good(every_setting, NODE_NONE);
	char *printed = print(s);

	assert_true(s->realtime);
	assert_false(s->is_recorded);
	assert_false(s->watches_carrier);
	assert_int_equal(s->expected, 3);
	assert_int_equal(s->shared.config_version, 12);
	assert_int_equal(s->shared.prefer, PREFER_LOWEST);
	assert_int_equal(s->shared.preempt, PREEMPT_AFTER);
	assert_true(s->shared.preempt_after == 120 * SEC);
	assert_non_null(strstr(printed, "preempt = \"after 2min\";\n"));
	assert_int_equal(s->id, 7);
	assert_string_equal(s->listen, "[::]:1");
	assert_int_equal(s->shared.nodes_count, 2);
	assert_string_equal(s->shared.nodes[0].name, "7");
	assert_string_equal(s->shared.nodes[0].address, "[fe80::1%eth0]:7420");
	assert_int_equal(s->shared.nodes[1].priority, INT32_MIN);
	assert_int_equal(s->shared.nodes[1].role, ROLE_VOTER);
	assert_true(s->shared.timing.heartbeat == 1500 * USEC &&
		    s->shared.timing.misses == 9);
	assert_true(
	    s->shared.timing.lease == 3 * SEC && s->shared.timing.startup == 0);
	assert_ptr_equal(s->shared.algorithm, &algorithm_bully);
	assert_int_equal(s->shared.topology, TOPOLOGY_FULL);
	assert_string_equal(s->key_file, "/etc/electd/c.key");
	assert_string_equal(s->socket, "/run/electd/c.sock");
	assert_string_equal(s->old_key_file, "/k");
	assert_non_null(strstr(printed, "old_key_file = \"/k\";\n"));
	assert_string_equal(s->group, "");
	settings_free(s);
	free(printed);
}

TEST(nodes_are_found_by_id)
{
	struct settings *s = parse_good(HEAD NODES, NODE_NONE);

	assert_string_equal(
	    config_find(&s->shared, 2)->address, "192.0.2.12:7420");
	assert_null(config_find(&s->shared, 3));
	assert_null(config_find(&s->shared, NODE_NONE));
	settings_free(s);
}

TEST(id_of_command_line_overrides_and_must_be_a_node)
{
	struct settings *s = parse_good(HEAD "id = 1;" NODES, 2);

	assert_int_equal(s->id, 2);
	settings_free(s);
	assert_refused(HEAD NODES, 3,
	    "test: id: 3, from the command line, is not among the nodes; give the id of one of them\ntest: 1 error\n");
}

/* The lease follows slow heartbeats, and that prints to itself too. */
TEST(lease_defaults_to_at_least_what_is_needed)
{
	struct settings *s = parse_good(HEAD NODES
	    "timing = { heartbeat = \"60s\"; misses = 100; }",
	    NODE_NONE);
	char *printed = print(s);
	struct settings *again = parse_good(printed, NODE_NONE);

	assert_true(s->shared.timing.lease == 12240 * SEC);
	assert_true(again->shared.timing.lease == s->shared.timing.lease);
	settings_free(s);
	settings_free(again);
	free(printed);
}

#define QUORUM "cluster = \"web\"; guarantee = \"quorum\";\n"
#define VOTER(id, role)                                                        \
	"{ id = " #id "; address = \"h" #id ":1\"; role = \"" role "\"; }"

/* The majority is printed as a comment, so the output is a configuration. */
TEST(quorum_is_accepted_and_its_majority_printed)
{
	static const struct {
		const char *nodes;
		const char *hint;
	} rows[] = {
		{ VOTER(1, "candidate"),
		    "# a leader needs 1 of 1 voter: 0 may fail\n" },
		{ VOTER(1, "candidate") "," VOTER(2, "candidate"),
		    "# a leader needs 2 of 2 voters: 0 may fail, as with 1\n" },
		{ VOTER(1, "candidate") "," VOTER(2, "candidate") "," VOTER(
		      3, "voter"),
		    "# a leader needs 2 of 3 voters: 1 may fail\n" },
		{ VOTER(1, "candidate") "," VOTER(2, "voter") "," VOTER(
		      3, "observer"),
		    "# a leader needs 2 of 2 voters: 0 may fail, as with 1\n" },
	};
	char text[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings *s, *again;
		char *printed;

		snprintf(text, sizeof(text), QUORUM "nodes = ( %s );",
		    rows[i].nodes);
		s = parse_good(text, NODE_NONE);
		assert_int_equal(s->shared.guarantee, GUARANTEE_QUORUM);
		printed = print(s);
		assert_non_null(strstr(printed, rows[i].hint));
		again = parse_good(printed, NODE_NONE);
		assert_int_equal(
		    again->shared.nodes_count, s->shared.nodes_count);
		settings_free(s);
		settings_free(again);
		free(printed);
	}
}

/* The least lease is allowed, and a little less is not. */
TEST(lease_must_survive_lost_heartbeats)
{
	settings_free(parse_good(QUORUM NODES
	    "timing = { heartbeat = \"50ms\"; lease = \"500ms\"; }",
	    NODE_NONE));

	assert_refused(QUORUM NODES
	    "timing = { heartbeat = \"50ms\"; lease = \"499999us\"; }",
	    NODE_NONE,
	    "test:4: timing.lease: \"499999us\" is too short; must be at least 500ms, 2 * (misses + 2) heartbeats\n"
	    "test: 1 error\n");
}

TEST(neighbours_and_ourselves_make_the_nodes)
{
	struct settings *s =
	    parse_good(HEAD "listen = \"0.0.0.0:7420\"; neighbours = (\n"
			    "  { id = 4; address = \"192.0.2.14:7420\"; },\n"
			    "  { id = 2; address = \"192.0.2.12:7420\"; } );",
		3);
	char *printed = print(s);
	struct settings *again = parse_good(printed, NODE_NONE);
	char *printed_again = print(again);

	assert_int_equal(s->shared.nodes_count, 3);
	assert_int_equal(s->shared.nodes[1].id, 3);
	assert_string_equal(s->shared.nodes[1].address, "0.0.0.0:7420");
	assert_string_equal(printed, printed_again);
	settings_free(s);
	settings_free(again);
	free(printed);
	free(printed_again);
}

TEST(id_of_neighbours_form_is_bounded)
{
	assert_refused(HEAD "listen = \"192.0.2.13:7420\"; neighbours = (\n"
			    "{ id = 4; address = \"192.0.2.14:7420\"; } );",
	    4294967295,
	    "test: id: 4294967295, from the command line, is out of range; must be 1 to 2147483647\ntest: 1 error\n");
}

TEST(socket_bears_the_node_id)
{
	const char text[] =
	    HEAD NODES "control = { socket = \"/tmp/%i/n%i.sock\"; };";
	struct settings *unknown = parse_good(text, NODE_NONE);
	struct settings *known = parse_good(text, 2);

	assert_string_equal(unknown->socket, "/tmp/%i/n%i.sock");
	settings_set_id(unknown, 1);
	assert_int_equal(unknown->id, 1);
	assert_string_equal(unknown->socket, "/tmp/1/n1.sock");
	assert_string_equal(known->socket, "/tmp/2/n2.sock");
	settings_free(unknown);
	settings_free(known);
}

/* 107 bytes with ".admin" fit a sun_path; 108 do not. */
TEST(socket_path_fits_to_the_byte)
{
	struct sockaddr_un address;
	struct settings *settings;
	char *errors;
	char text[512];
	int room = (int)sizeof(address.sun_path) - 1 - 6 - 6;

	snprintf(text, sizeof(text),
	    HEAD NODES "control = { socket = \"/%0*d.sock\"; };", room, 0);
	settings_free(parse_good(text, NODE_NONE));
	snprintf(text, sizeof(text),
	    HEAD NODES "control = { socket = \"/%0*d.sock\"; };", room + 1, 0);
	settings = parse(text, NODE_NONE, &errors);
	assert_null(settings);
	assert_non_null(strstr(errors, "is too long"));
	free(errors);
}

/* A node that knows only its neighbours is counted with all possible nodes. */
TEST(neighbours_are_counted)
{
	char *text;
	char *errors;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	fputs(HEAD
	    "id = 2000; listen = \"[::1]:2000\"; algorithm = \"floodmax\";\n"
	    "topology = { kind = \"graph\"; diameter = 2; };\n"
	    "neighbours = (",
	    to);
	for (int id = 1; id <= NODES_MAX; id++)
		fprintf(to, "%s{ id = %d; address = \"[::1]:%d\"; }",
		    id > 1 ? "," : "", id, id);
	fputs(");", to);
	fclose(to);
	assert_null(parse(text, NODE_NONE, &errors));
	assert_string_equal(errors,
	    "test:4: neighbours: has 1024 entries; at most 1023 are allowed\n"
	    "test: 1 error\n");
	free(errors);
	free(text);
}

/* One node more than the most. */
TEST(nodes_are_counted)
{
	for (int count = NODES_MAX; count <= NODES_MAX + 1; count++) {
		char *text;
		char *errors;
		size_t size;
		FILE *to = open_memstream(&text, &size);
		struct settings *s;

		fputs(HEAD "nodes = (", to);
		for (int id = 1; id <= count; id++)
			fprintf(to, "%s{ id = %d; address = \"[::1]:%d\"; }",
			    id > 1 ? "," : "", id, id);
		fputs(");", to);
		fclose(to);
		s = parse(text, NODE_NONE, &errors);
		assert_string_equal(errors,
		    count <= NODES_MAX
			? ""
			: "test:2: nodes: has 1025 entries; at most 1024 are allowed\n"
			  "test: 1 error\n");
		settings_free(s);
		free(errors);
		free(text);
	}
}
