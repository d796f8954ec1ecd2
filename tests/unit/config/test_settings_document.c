/* SPDX-License-Identifier: ISC */
/*
 * Documents: what hosts share, joined to what is a host's own, gives the
 * settings of the file again. No document changes what is a host's own.
 */
#include "tests/unit/group.h"

#include "common/config/config_encode.h"
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
static uint8_t *document;
static size_t document_size;

/* What came of a document. */
static enum document_fit how;
static struct settings *made;
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
	document = settings_document(host, &document_size);
	assert_non_null(document);
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
	free(document);
}

static void
forget_joined(void)
{
	settings_free(made);
	free(errors);
	made = NULL;
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
take_document(const void *bytes, size_t size)
{
	forget_joined();
	how = settings_read_document(
	    bytes, size, host, "config version 7", &made, &errors);
	assert_int_equal(how == DOCUMENT_WRONG, made == NULL);
	assert_int_equal(how == DOCUMENT_WRONG, errors != NULL);
}

/* The document of the settings that a text gives node `id`. */
static void
join_document_of(const char *text, node_id id)
{
	struct settings *giver = parse(text, id);
	size_t size;
	uint8_t *bytes = settings_document(giver, &size);

	assert_non_null(bytes);
	take_document(bytes, size);
	free(bytes);
	settings_free(giver);
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

	take_document(document, document_size);
	assert_int_equal(how, DOCUMENT_FITS);
	got = print(made);
	assert_string_equal(got, wanted);
	free(got);
	free(wanted);
}

/* Checks each node that the settings of a text or file name. */
static void
assert_parts_make_the_whole(const char *text)
{
	struct settings *any = parse(text, NODE_NONE);

	for (size_t i = 0; i < any->shared.nodes_count; i++) {
		forget_host();
		be_host(parse(text, any->shared.nodes[i].id));
		assert_joined_as_host();
	}
	settings_free(any);
}

#define CASE(name) TEST(name, enter, leave)

CASE(document_and_own_part_make_the_whole)
{
	static const char *const texts[] = {
		HEAD NODES OWN,
		HEAD NODES "config_version = 1000000; realtime = true;"
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

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_parts_make_the_whole(texts[i]);
}

CASE(files_that_are_shipped_have_such_documents)
{
	unsigned count = 0;
	glob_t found;

	assert_int_equal(glob("conf/*.conf", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct settings *any =
		    settings_read(found.gl_pathv[i], NODE_NONE, stderr);

		assert_non_null(any);
		for (size_t k = 0; config_has_document(&any->shared) &&
				   k < any->shared.nodes_count;
		     k++) {
			forget_host();
			be_host(settings_read(found.gl_pathv[i],
			    any->shared.nodes[k].id, stderr));
			assert_joined_as_host();
			count++;
		}
		settings_free(any);
	}
	globfree(&found);
	assert_in_range(count, 6, 60);
}

CASE(document_is_the_same_on_every_host)
{
	struct settings *other = parse(HEAD NODES "realtime = true;", 1);
	size_t size;
	uint8_t *bytes = settings_document(other, &size);

	assert_int_equal(size, document_size);
	assert_memory_equal(bytes, document, size);
	free(bytes);
	settings_free(other);
}

CASE(host_that_knows_its_neighbours_only_has_none)
{
	struct settings *s =
	    parse("cluster = \"web\"; guarantee = \"quorum\";" NODES, 1);

	assert_true(config_has_document(&s->shared));
	settings_free(s);
	s = parse(HEAD "id = 1; listen = \"h1:1\"; algorithm = \"floodmax\";"
		       "topology = { diameter = 1; };"
		       "neighbours = ( { id = 2; address = \"h2:1\"; } );",
	    NODE_NONE);
	assert_false(config_has_document(&s->shared));
	settings_free(s);
}

CASE(node_that_a_document_does_not_name_is_removed)
{
	join_document_of(HEAD "nodes = ( { id = 1; address = \"h1:1\"; },"
			      " { id = 3; address = \"h3:1\"; } );\n",
	    1);
	assert_int_equal(how, DOCUMENT_REMOVED);
	assert_int_equal(made->id, NODE_NONE);
	assert_int_equal(made->shared.nodes_count, 2);
}

CASE(bytes_that_are_no_document_are_refused)
{
	static const char text[] = HEAD NODES;

	take_document("", 0);
	assert_int_equal(how, DOCUMENT_WRONG);
	take_document(text, sizeof(text));
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_string_equal(errors, "config version 7: it is no document\n");
}

/* No byte is left out, and none is read beyond the end. */
CASE(document_that_is_cut_short_or_longer_is_refused)
{
	uint8_t *longer = malloc(document_size + 1);

	for (size_t size = 0; size < document_size; size++) {
		uint8_t *cut = malloc(size);

		if (size > 0)
			memcpy(cut, document, size);
		take_document(cut, size);
		assert_int_equal(how, DOCUMENT_WRONG);
		free(cut);
	}
	memcpy(longer, document, document_size);
	longer[document_size] = 0;
	take_document(longer, document_size + 1);
	assert_int_equal(how, DOCUMENT_WRONG);
	free(longer);
}

/* Whatever a byte becomes, what is the host's own stays, and the settings are
 * right, or refused. */
CASE(document_with_another_byte_changes_nothing_of_the_host)
{
	for (size_t i = 0; i < document_size; i++) {
		for (unsigned byte = 0; byte < 256; byte++) {
			uint8_t was = document[i];

			document[i] = (uint8_t)byte;
			take_document(document, document_size);
			document[i] = was;
			if (how == DOCUMENT_WRONG)
				continue;
			assert_string_equal(made->state_dir, "/state");
			assert_string_equal(made->key_file, "/keys/a\"b\\c");
			assert_string_equal(made->shared.cluster, "web");
		}
	}
}

CASE(document_of_another_cluster_or_guarantee_is_refused)
{
	join_document_of(
	    "cluster = \"mail\"; guarantee = \"component\";\n" NODES, 1);
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_non_null(strstr(errors, "it is of another cluster"));
	join_document_of(
	    "cluster = \"web\"; guarantee = \"quorum\";\n" NODES, 1);
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_non_null(strstr(errors, "it has another guarantee"));
}

/* One socket serves all addresses. */
CASE(document_of_another_family_than_listen_is_refused)
{
	forget_host();
	be_host(parse(HEAD "nodes = ( { id = 2; address = \"h2:1\"; } );"
			   "listen = \"[::1]:1\";",
	    2));
	join_document_of(
	    HEAD "nodes = ( { id = 2; address = \"127.0.0.1:1\"; } );", 2);
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_non_null(strstr(errors, "another family"));
}

/* A file may leave the nodes to discovery, a document may not. */
CASE(document_without_nodes_is_refused)
{
	join_document_of("cluster = \"web\"; guarantee = \"component\";\n"
			 "discovery = true; join = (\"h1:1\");\n",
	    NODE_NONE);
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_non_null(strstr(errors, "it names no nodes"));
}

#define FOUND                                                                  \
	"cluster = \"web\"; guarantee = \"quorum\"; discovery = true;\n"       \
	"nodes = ( { id = 2; address = \"h2:1\"; },"                           \
	" { id = 9; address = \"h9:1\"; role = \"observer\"; } );\n"           \
	"join = (\"h2:1\");" OWN "config_version = 7;"

/* Nobody votes whom the voters have met: no document says so. */
CASE(document_says_who_was_discovered)
{
	uint8_t digest[SALT_BYTES], other[SALT_BYTES];

	forget_host();
	be_host(parse(FOUND, 2));
	config_digest(&host->shared, other);
	host->shared.nodes[1].is_discovered = true;
	config_digest(&host->shared, digest);
	assert_memory_not_equal(digest, other, SALT_BYTES);
	free(document);
	document = settings_document(host, &document_size);
	assert_joined_as_host();
	assert_true(config_find(&made->shared, 9)->is_discovered);
	assert_false(config_find(&made->shared, 2)->is_discovered);
	host->shared.nodes[1].role = ROLE_VOTER;
	free(document);
	document = settings_document(host, &document_size);
	take_document(document, document_size);
	assert_int_equal(how, DOCUMENT_WRONG);
	assert_non_null(
	    strstr(errors, "nodes[1].discovered: is for observers"));
}

CASE(document_has_the_numbers_that_electd_counts)
{
	forget_host();
	be_host(parse(FOUND, 2));
	host->shared.config_term = TERM_MAX;
	host->shared.config_version = CONFIG_VERSION_MAX;
	host->shared.revision = REVISION_MAX;
	free(document);
	document = settings_document(host, &document_size);
	take_document(document, document_size);
	assert_int_equal(how, DOCUMENT_FITS);
	assert_true(made->shared.config_term == TERM_MAX);
	assert_int_equal(made->shared.config_version, CONFIG_VERSION_MAX);
	assert_int_equal(made->shared.revision, REVISION_MAX);
}

/* As the operator wrote it. */
CASE(file_lists_nobody_who_was_discovered)
{
	char *text, *copy;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct settings *file;

	forget_host();
	be_host(parse(FOUND, 2));
	host->shared.nodes[1].is_discovered = true;
	host->shared.config_version = 3;
	host->shared.revision = 5;
	settings_print_file(host, to);
	fclose(to);
	copy = malloc(size + 32);
	assert_non_null(copy);
	sprintf(copy, "%sjoin = (\"h2:1\");\n", text);
	file = parse(copy, 2);
	assert_int_equal(file->shared.nodes_count, 1);
	assert_int_equal(file->shared.config_version, 3);
	settings_free(file);
	free(copy);
	free(text);
}
