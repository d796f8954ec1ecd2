/* SPDX-License-Identifier: ISC */
/*
 * Documents: what hosts share, joined to what is a host's own, gives the
 * settings of the file again. No document changes what is a host's own.
 */
#include "tests/unit/group.h"

#include "daemon/config/settings_document.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "cluster = \"web\"; guarantee = \"component\";\n"
#define NODES                                                                  \
	"nodes = ( { id = 1; address = \"h1:1\"; },"                           \
	" { id = 2; address = \"h2:1\"; name = \"two\"; },"                    \
	" { id = 3; address = \"h3:1\"; role = \"observer\"; } );\n"
#define OWN                                                                    \
	"security = { key_file = \"/keys/a\\\"b\\\\c\"; };\n"                  \
	"control = { socket = \"/run/%i.sock\"; group = \"g\";"                \
	" deadlines = (\"a\", \"b\"); };\n"                                    \
	"state_dir = \"/state\";\n"

/* The settings and the document of this host. */
static struct settings *host;
static struct own_settings own;
static char *document;
static size_t document_size;

/* What came of a document. */
static enum joined how;
static struct settings *joined;
static char *errors;

static struct settings *
parse(const char *text, node_id id)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, id, stderr);

	assert_non_null(s);
	free(copy);
	return s;
}

static void
be_host(struct settings *settings)
{
	host = settings;
	own = settings_own(host);
	assert_non_null(own.text);
	document = settings_document(host, &document_size);
	assert_non_null(document);
	assert_int_equal(document_size, strlen(document));
}

static int
enter(void **state)
{
	(void)state;
	be_host(parse(HEAD NODES OWN, 2));
	return 0;
}

static void
forget_host(void)
{
	settings_free(host);
	free(own.text);
	free(document);
}

static void
forget_joined(void)
{
	settings_free(joined);
	free(errors);
	joined = NULL;
	errors = NULL;
}

static int
leave(void **state)
{
	(void)state;
	forget_host();
	forget_joined();
	return 0;
}

static void
join(const char *bytes, size_t size)
{
	size_t errors_size;
	FILE *to;

	forget_joined();
	to = open_memstream(&errors, &errors_size);
	how = settings_join(bytes, size, &own, "generation 7", &joined, to);
	fclose(to);
	assert_int_equal(how == JOINED, joined != NULL);
	assert_int_equal(how != JOINED, errors_size > 0);
}

static void
join_text(const char *text)
{
	join(text, strlen(text));
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

static void
assert_joined_as_host(void)
{
	char *wanted = print(host), *got;

	join(document, document_size);
	assert_int_equal(how, JOINED);
	got = print(joined);
	assert_string_equal(got, wanted);
	free(got);
	free(wanted);
}

/* Of each node that the settings of a text or file name. */
static void
assert_parts_make_the_whole(const char *text)
{
	struct settings *any = parse(text, NODE_NONE);

	for (size_t i = 0; i < any->nodes_count; i++) {
		forget_host();
		be_host(parse(text, any->nodes[i].id));
		assert_joined_as_host();
	}
	settings_free(any);
}

static void
document_and_own_part_make_the_whole(void **state)
{
	static const char *const texts[] = {
		HEAD NODES OWN,
		HEAD NODES "generation = 1000000; realtime = true;"
			   "security = { key_file = \"/k\";"
			   " old_key_file = \"/o\"; };",
		HEAD NODES "listen = \"[::]:1\"; prefer = \"lowest\";"
			   "preempt = \"after 90s\";"
			   "timing = { heartbeat = \"7ms\"; misses = 9;"
			   " lease = \"3s\"; startup = \"0s\"; };",
		HEAD NODES "algorithm = \"lelann\"; lelann = { join = false; };"
			   "topology = { order = [3, 1, 2]; };",
		HEAD NODES "algorithm = \"chang-roberts\";",
		HEAD NODES "algorithm = \"tree\";"
			   "topology = { links = ((1, 2), (3, 2)); };",
		HEAD NODES "algorithm = \"floodmax\"; topology = {"
			   " links = ((1, 2), (3, 2)); diameter = 2; };",
		HEAD NODES "algorithm = \"floodmax\";"
			   "topology = { kind = \"ring\"; };",
		HEAD "nodes = ( { id = 4095; address = \"[2001:db8::1]:1\";"
		     " priority = -2147483648; } );",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_parts_make_the_whole(texts[i]);
}

static void
files_that_are_shipped_have_such_documents(void **state)
{
	unsigned count = 0;
	glob_t found;

	(void)state;
	assert_int_equal(glob("conf/*.conf", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct settings *any =
		    settings_read(found.gl_pathv[i], NODE_NONE, stderr);

		assert_non_null(any);
		for (size_t k = 0;
		     settings_have_document(any) && k < any->nodes_count; k++) {
			forget_host();
			be_host(settings_read(
			    found.gl_pathv[i], any->nodes[k].id, stderr));
			assert_joined_as_host();
			count++;
		}
		settings_free(any);
	}
	globfree(&found);
	assert_in_range(count, 6, 60);
}

static void
document_is_the_same_on_every_host(void **state)
{
	struct settings *other = parse(HEAD NODES "realtime = true;", 1);
	size_t size;
	char *text = settings_document(other, &size);

	(void)state;
	assert_string_equal(text, document);
	free(text);
	settings_free(other);
}

static void
host_that_knows_its_neighbours_only_has_none(void **state)
{
	struct settings *s =
	    parse("cluster = \"web\"; guarantee = \"quorum\";" NODES, 1);

	(void)state;
	assert_true(settings_have_document(s));
	settings_free(s);
	s = parse(HEAD "id = 1; listen = \"h1:1\"; algorithm = \"floodmax\";"
		       "topology = { diameter = 1; };"
		       "neighbours = ( { id = 2; address = \"h2:1\"; } );",
	    NODE_NONE);
	assert_false(settings_have_document(s));
	settings_free(s);
}

static void
node_that_a_document_does_not_name_is_removed(void **state)
{
	(void)state;
	join_text(HEAD "nodes = ( { id = 1; address = \"h1:1\"; },"
		       " { id = 3; address = \"h3:1\"; } );\n");
	assert_int_equal(how, JOINED_REMOVED);
	assert_string_equal(
	    errors, "generation 7: it names no node with id 2\n");
}

static void
bytes_that_are_no_document_are_refused(void **state)
{
	char *large = malloc(DOCUMENT_MAX + 1);

	(void)state;
	join("", 0);
	assert_int_equal(how, JOINED_WRONG);
	join_text("\xff\xfe\x01\n");
	assert_int_equal(how, JOINED_WRONG);
	join_text(HEAD NODES "colour = 3;\n");
	assert_int_equal(how, JOINED_WRONG);
	assert_non_null(strstr(errors, "generation 7:3: colour: unknown"));
	document[document_size / 2] = '\0';
	join(document, document_size);
	assert_int_equal(how, JOINED_WRONG);
	memset(large, '\n', DOCUMENT_MAX + 1);
	memcpy(large, HEAD NODES, strlen(HEAD NODES));
	join(large, DOCUMENT_MAX);
	assert_int_equal(how, JOINED);
	join(large, DOCUMENT_MAX + 1);
	assert_int_equal(how, JOINED_WRONG);
	free(large);
}

/* Cut anywhere it is no document, or the rest has only default values. */
static void
document_that_is_cut_short_changes_nothing_of_the_host(void **state)
{
	(void)state;
	for (size_t size = 0; size < document_size; size++) {
		char last = document[size];

		document[size] = '\n';
		join(document, size + 1);
		document[size] = last;
		if (how != JOINED)
			continue;
		assert_string_equal(joined->state_dir, "/state");
		assert_string_equal(joined->key_file, "/keys/a\"b\\c");
		assert_string_equal(joined->cluster, "web");
	}
}

static void
what_is_the_hosts_own_is_refused_in_a_document(void **state)
{
	static const char *const lines[] = {
		"id = 1;",
		"id = 2;",
		"listen = \"h9:9\";",
		"state_dir = \"/state\";",
		"realtime = true;",
		"security = { key_file = \"/other\"; };",
		"security = { };",
		"control = { socket = \"/other.sock\"; };",
		"@include \"/etc/passwd\"",
		"state_dir = \"/x\"; /*",
		"state_dir = \"/x\"; #",
		"x = \"",
		"security = {",
		"control : (",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n", document, lines[i]);
		join_text(text);
		if (how != JOINED_WRONG)
			fail_msg("%s", lines[i]);
		snprintf(text, sizeof(text), "%s\n%s", lines[i], document);
		join_text(text);
		if (how != JOINED_WRONG)
			fail_msg("%s", lines[i]);
	}
}

/* The host's paths have the end of a comment that the document begins. */
static void
own_part_that_a_comment_swallows_is_missed(void **state)
{
	static const char evil[] =
	    HEAD NODES "security = { key_file = \"/other\"; }; /*\n";

	(void)state;
	forget_host();
	be_host(parse(HEAD NODES "security = { key_file = \"/k\"; };"
				 "control = { socket = \"/run/a.sock\"; };"
				 "state_dir = \"/var/*/\";\n",
	    2));
	join_text(evil);
	assert_int_equal(how, JOINED_WRONG);
	free(own.text);
	own.text = strdup("security = { key_file = \"/k\"; }; # */\n"
			  "realtime = false;\n");
	join_text(evil);
	assert_int_equal(how, JOINED_WRONG);
	assert_string_equal(
	    errors, "generation 7: it changes what is this host's own\n");
}

static void
document_of_another_cluster_or_guarantee_is_refused(void **state)
{
	(void)state;
	join_text("cluster = \"mail\"; guarantee = \"component\";\n" NODES);
	assert_int_equal(how, JOINED_WRONG);
	assert_non_null(strstr(errors, "it is of another cluster"));
	join_text("cluster = \"web\"; guarantee = \"quorum\";\n" NODES);
	assert_int_equal(how, JOINED_WRONG);
	assert_non_null(strstr(errors, "it has another guarantee"));
	join_text(HEAD "algorithm = \"floodmax\";"
		       "topology = { diameter = 1; };"
		       "neighbours = ( { id = 1; address = \"h1:1\"; } );\n");
	assert_int_equal(how, JOINED_WRONG);
}

/* A file may leave the nodes to discovery, a document may not. */
static void
document_without_nodes_is_refused(void **state)
{
	static const char bare[] =
	    "cluster = \"web\"; guarantee = \"component\";\n"
	    "discovery = true;\n";
	char text[] = "cluster = \"web\"; guarantee = \"component\";\n"
		      "discovery = true; join = (\"h1:1\");\n";
	struct settings *lone = settings_parse("host", text, NODE_NONE, stderr);
	struct settings *made = NULL;
	struct own_settings its;

	(void)state;
	assert_non_null(lone);
	its = settings_own(lone);
	assert_int_equal(
	    settings_join(bare, sizeof(bare) - 1, &its, "it", &made, stderr),
	    JOINED_WRONG);
	assert_null(made);
	free(its.text);
	settings_free(lone);
}

#define FOUND "cluster = \"web\"; guarantee = \"quorum\"; discovery = true;\n"
#define MET   "{ id = 9; address = \"h9:1\"; discovered = true; role = "

/* Nobody votes whom the voters have met: no document says so. */
static void
document_says_who_was_discovered(void **state)
{
	uint8_t digest[SALT_BYTES], other[SALT_BYTES];

	(void)state;
	forget_host();
	be_host(parse(FOUND "nodes = ( { id = 2; address = \"h2:1\"; },\n" MET
			    "\"observer\"; } );\njoin = (\"h2:1\");" OWN
			    "generation = 7;",
	    2));
	assert_joined_as_host();
	assert_true(settings_node(joined, 9)->is_discovered);
	assert_false(settings_node(joined, 2)->is_discovered);
	settings_digest(host, digest);
	host->nodes[1].is_discovered = false;
	settings_digest(host, other);
	assert_memory_not_equal(digest, other, SALT_BYTES);
	join_text(FOUND "nodes = ( { id = 2; address = \"h2:1\"; },\n" MET
			"\"voter\"; } );\n");
	assert_int_equal(how, JOINED_WRONG);
	assert_non_null(
	    strstr(errors, "nodes[1].discovered: is for observers"));
}

static void
document_begins_with_its_numbers(void **state)
{
	static const struct {
		const char *begin;
		uint64_t stamp;
		uint32_t base;
	} rows[] = {
		{ "# stamp 5\n# file 3\n", 5, 3 },
		{ "# file 3\n", 0, 3 },
		{ "# stamp 5\n", 5, 0 },
		{ "", 0, 0 },
		{ "# file 3\n# stamp 5\n", 0, 3 },
		{ "# stamp 9223372036854775808\n# file 3\n", 0, 0 },
		{ "# stamp 5\n# file 2147483648\n", 5, 0 },
		{ "# stamp 5 \n# file 3\n", 0, 0 },
	};
	char text[512];

	(void)state;
	forget_host();
	be_host(parse(FOUND "nodes = ( { id = 2; address = \"h2:1\"; } );\n"
			    "join = (\"h2:1\");" OWN,
	    2));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", rows[i].begin, document);
		join_text(text);
		assert_int_equal(how, JOINED);
		assert_true(joined->stamp == rows[i].stamp);
		assert_int_equal(joined->base_generation, rows[i].base);
	}
}

/* As the operator wrote it, but for the generation. */
static void
file_lists_nobody_who_was_discovered(void **state)
{
	char *text, *copy;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct settings *file;

	(void)state;
	forget_host();
	be_host(parse(FOUND "nodes = ( { id = 2; address = \"h2:1\"; },\n" MET
			    "\"observer\"; } );\njoin = (\"h2:1\");" OWN
			    "generation = 7;",
	    2));
	host->base_generation = 3;
	assert_true(settings_print_file(host, to));
	fclose(to);
	copy = malloc(size + 32);
	assert_non_null(copy);
	sprintf(copy, "%sjoin = (\"h2:1\");\n", text);
	file = parse(copy, 2);
	assert_int_equal(file->nodes_count, 1);
	assert_int_equal(file->generation, 3);
	settings_free(file);
	free(copy);
	free(text);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const struct CMUnitTest tests[] = {
	CASE(document_and_own_part_make_the_whole),
	CASE(files_that_are_shipped_have_such_documents),
	CASE(document_is_the_same_on_every_host),
	CASE(host_that_knows_its_neighbours_only_has_none),
	CASE(node_that_a_document_does_not_name_is_removed),
	CASE(bytes_that_are_no_document_are_refused),
	CASE(document_that_is_cut_short_changes_nothing_of_the_host),
	CASE(what_is_the_hosts_own_is_refused_in_a_document),
	CASE(own_part_that_a_comment_swallows_is_missed),
	CASE(document_of_another_cluster_or_guarantee_is_refused),
	CASE(document_without_nodes_is_refused),
	CASE(document_says_who_was_discovered),
	CASE(document_begins_with_its_numbers),
	CASE(file_lists_nobody_who_was_discovered),
};

GROUP(tests);
