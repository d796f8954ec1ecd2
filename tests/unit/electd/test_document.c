/* SPDX-License-Identifier: ISC */
/* Documents that come in pieces, that were kept before the start, and that
 * outrank an older file. */
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_document.h"
#include "daemon/electd/change/document.h"
#include "daemon/electd/start/recall.h"
#include "daemon/state/kept_config.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"

#define KEPT           "here/web-3.settings"
#define HEAD           "cluster = \"web\"; guarantee = \"component\";\n"
#define NODE(id, more) "{ id = " #id "; address = \"h" #id ":1\"; " more "}"
#define NODES(more)    "nodes = (" NODE(2, ) ", " NODE(3, more) ");\n"
#define OWN            "state_dir = \"./here\"; security = { key_file = \"/k\"; };\n"

static struct settings *running;
static struct settings *wanted; /* quorum: that the file says beside them */
static bool is_recalled;

static struct settings *
parse(const char *text)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, 3, stderr);

	assert_non_null(s);
	free(copy);
	return s;
}

static int
enter(void **state)
{
	if (store_home_enter(state) != 0)
		return -1;
	running = parse(HEAD NODES() OWN "config_version = 5;");
	log_set_level(LOG_LEVEL_INFO);
	return mkdir("here", 0700);
}

static int
leave(void **state)
{
	settings_free(running);
	settings_free(wanted);
	wanted = NULL;
	if (unlink(KEPT) != 0)
		rmdir(KEPT);
	return store_home_leave(state);
}

static struct action
piece(const char *whole, uint32_t offset, size_t size)
{
	struct action a = {
		.kind = ACTION_DOCUMENT,
		.config_id.config_version = 6,
		.giver = 9,
		.offset = offset,
		.size = size,
		.total = (uint32_t)strlen(whole),
	};

	memcpy(a.datagram, whole + offset, size);
	return a;
}

/* True once the document is whole. */
static bool
take(struct document *d, const char *whole, uint32_t offset, size_t size)
{
	struct action a = piece(whole, offset, size);

	document_take(d, &a);
	return d->size == d->whole;
}

#define CASE(name) TEST(name, enter, leave)

CASE(pieces_make_a_document)
{
	static const char whole[] = "0123456789";
	struct document d = { .bytes = NULL };

	assert_false(take(&d, whole, 0, 4));
	assert_false(take(&d, whole, 4, 1));
	assert_true(take(&d, whole, 5, 5));
	assert_int_equal(d.size, 10);
	assert_memory_equal(d.bytes, whole, 10);
	assert_int_equal(d.config_id.config_version, 6);
	assert_int_equal(d.giver, 9);
	document_done(&d);
	assert_null(d.bytes);
	assert_true(take(&d, "one", 0, 3));
	document_done(&d);
}

CASE(first_piece_begins_the_document_anew)
{
	struct document d = { .bytes = NULL };

	assert_false(take(&d, "first", 0, 4));
	assert_false(take(&d, "second document", 0, 6));
	assert_true(take(&d, "second document", 6, 9));
	assert_memory_equal(d.bytes, "second document", 15);
	document_done(&d);
}

/* Keeps the document of these settings, which may begin with the numbers that
 * no file has. Nodes from id 9 on were discovered. */
static void
keep(const char *text)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("kept", copy, NODE_NONE, stderr);
	unsigned config_term = 0, revision = 0;
	uint8_t *document;
	size_t size;

	assert_non_null(s);
	(void)sscanf(
	    text, "# config term %u\n# revision %u\n", &config_term, &revision);
	s->shared.config_term = config_term;
	s->shared.revision = revision;
	for (size_t i = 0; i < s->shared.nodes_count; i++)
		s->shared.nodes[i].is_discovered = s->shared.nodes[i].id >= 9;
	document = settings_document(s, &size);
	assert_int_equal(kept_config_write(running, document, size), 0);
	free(document);
	settings_free(s);
	free(copy);
}

/* Begins with the file of config version 5. */
static const char *
recall(void)
{
	settings_free(wanted);
	capture_as_journal();
	is_recalled = recall_settings(running, "web.conf", &wanted);
	return captured();
}

/* A document of the host of `running`, and what is said of it. */
static struct document
document_of(const char *text)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("given", copy, NODE_NONE, stderr);
	struct document d = { .config_id = config_identify(&s->shared) };

	d.bytes = settings_document(s, &d.size);
	d.whole = d.size;
	settings_free(s);
	free(copy);
	return d;
}

static void
assert_read(struct document *d, enum document_fit how, const char *why)
{
	struct settings *read = NULL;
	char *errors;

	assert_int_equal(document_read(d, running, &read, &errors), how);
	assert_int_equal(how == DOCUMENT_WRONG, read == NULL);
	assert_int_equal(how == DOCUMENT_WRONG, errors != NULL);
	if (errors != NULL)
		assert_non_null(strstr(errors, why));
	free(errors);
	settings_free(read);
	document_done(d);
}

CASE(document_must_be_the_configuration_that_its_giver_says)
{
	struct document d = document_of(HEAD NODES() "config_version = 6;");

	assert_read(&d, DOCUMENT_FITS, "");
	d = document_of(HEAD NODES() "config_version = 6;");
	d.config_id.config_version = 7;
	assert_read(
	    &d, DOCUMENT_WRONG, "config version 7: its digest is another");
	d = document_of(HEAD NODES() "config_version = 6;");
	d.config_id.digest[0] ^= 1;
	assert_read(&d, DOCUMENT_WRONG, "its digest is another one");
}

CASE(document_without_this_host_removes_it)
{
	struct document d =
	    document_of(HEAD "nodes = (" NODE(2, ) ");\nconfig_version = 6;\n");

	assert_read(&d, DOCUMENT_REMOVED, "");
}

CASE(later_document_is_in_effect_after_a_restart)
{
	keep(HEAD NODES("priority = 9;") "config_version = 6;\n");
	assert_string_equal(recall(),
	    "<4>web.conf is older (config version 5) than the settings of the cluster (config version 6), which stay in effect; install the newer file\n");
	assert_int_equal(running->shared.config_version, 6);
	assert_int_equal(running->file_config_version, 5);
	assert_int_equal(running->id, 3);
	assert_int_equal(config_find(&running->shared, 3)->priority, 9);
	assert_string_equal(running->state_dir, "./here");
	assert_string_equal(running->key_file, "/k");
}

CASE(file_that_is_as_late_as_the_document_is_in_effect)
{
	static const char *const texts[] = {
		HEAD NODES("priority = 9;") "config_version = 5;\n",
		HEAD NODES("priority = 9;") "config_version = 4;\n",
		HEAD NODES("priority = 9;"),
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		keep(texts[i]);
		assert_string_equal(recall(), "");
		assert_int_equal(running->shared.config_version, 5);
		assert_int_equal(config_find(&running->shared, 3)->priority, 0);
	}
	unlink(KEPT);
	assert_string_equal(recall(), "");
	assert_int_equal(running->shared.config_version, 5);
}

CASE(document_that_cannot_be_used_is_told_and_left)
{
	static const struct {
		const char *text;
		const char *why;
	} rows[] = {
		{ "cluster = \"mail\"; guarantee = \"component\";" NODES() "config_version = 6;\n",
		    "another cluster" },
		{ "cluster = \"web\"; guarantee = \"quorum\";" NODES() "config_version = 6;\n",
		    "another guarantee" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *log;

		keep(rows[i].text);
		log = recall();
		assert_non_null(
		    strstr(log, "<4>cannot use the settings kept "));
		if (strstr(log, rows[i].why) == NULL)
			fail_msg("no \"%s\" in %s", rows[i].why, log);
		assert_int_equal(running->shared.config_version, 5);
	}
	assert_int_equal(kept_config_write(running, "{{{", 3), 0);
	assert_non_null(strstr(recall(), "it is no document"));
	unlink(KEPT);
	assert_int_equal(mkdir(KEPT, 0700), 0);
	assert_non_null(strstr(recall(), "<4>cannot read the settings that "));
}

/* A node that was removed while it was down begins with its file, and hears so
 * again. */
CASE(document_without_this_node_is_not_in_effect)
{
	keep(HEAD "nodes = (" NODE(2, ) ");\nconfig_version = 6;\n");
	assert_non_null(strstr(recall(), "they do not name this node"));
	assert_int_equal(running->shared.config_version, 5);
}

CASE(settings_without_documents_recall_none)
{
	settings_free(running);
	running = parse(
	    HEAD "id = 3; listen = \"h3:1\";" OWN "algorithm = \"floodmax\";"
		 "topology = { diameter = 1; };"
		 "neighbours = ( { id = 2; address = \"h2:1\"; } );");
	keep(HEAD NODES() "config_version = 6;\n");
	assert_string_equal(recall(), "");
	assert_int_equal(running->shared.config_version, 0);
}

#define QUORUM "cluster = \"web\"; guarantee = \"quorum\";"

/* A later file is only what this host wants; so is the file of a first start,
 * which no leader has stamped. */
CASE(document_that_is_kept_is_in_effect_under_quorum)
{
	settings_free(running);
	running =
	    parse(QUORUM NODES("priority = 9;") OWN "config_version = 5;");
	assert_string_equal(recall(), "");
	assert_false(is_recalled);
	assert_non_null(wanted);
	assert_int_equal(wanted->shared.config_version, 5);
	keep("# config term 7\n" QUORUM NODES() "config_version = 4;\n");
	assert_string_equal(recall(), "");
	assert_true(is_recalled);
	assert_int_equal(running->shared.config_version, 4);
	assert_true(running->shared.config_term == 7);
	assert_int_equal(config_find(&running->shared, 3)->priority, 0);
	assert_non_null(wanted);
	assert_int_equal(wanted->shared.config_version, 5);
	assert_true(wanted->shared.config_term == 0);
	assert_int_equal(config_find(&wanted->shared, 3)->priority, 9);
	assert_string_equal(recall(), "");
	assert_null(wanted);
}

/* The file may have other names and addresses than those of the first day. */
CASE(file_that_was_stamped_since_is_in_effect_with_its_config_term)
{
	settings_free(running);
	running = parse(QUORUM "nodes = (" NODE(
	    2, ) ", { id = 3;"
		 " address = \"x:1\"; });" OWN "config_version = 5;");
	keep("# config term 7\n" QUORUM NODES() "config_version = 5;\n");
	assert_string_equal(recall(), "");
	assert_true(is_recalled);
	assert_null(wanted);
	assert_true(running->shared.config_term == 7);
	assert_string_equal(config_find(&running->shared, 3)->address, "x:1");
}

/* This host has moved: others expect it at the address of the later file. */
CASE(later_file_says_where_this_node_is)
{
	settings_free(running);
	running = parse(QUORUM "nodes = ( { id = 2; address = \"y:1\"; },"
			       " { id = 3; address = \"x:1\"; } );" OWN
			       "config_version = 5;");
	keep("# config term 7\n" QUORUM NODES() "config_version = 4;\n");
	assert_string_equal(recall(), "");
	assert_int_equal(running->shared.config_version, 4);
	assert_string_equal(config_find(&running->shared, 3)->address, "x:1");
	assert_string_equal(config_find(&running->shared, 2)->address, "h2:1");
	keep("# config term 7\n" QUORUM NODES() "config_version = 9;\n");
	assert_non_null(strstr(recall(), "web.conf is older"));
	assert_string_equal(config_find(&running->shared, 3)->address, "h3:1");
}

CASE(file_of_the_same_config_version_that_differs_is_told_and_not_used)
{
	settings_free(running);
	running =
	    parse(QUORUM NODES("priority = 9;") OWN "config_version = 5;");
	keep("# config term 7\n" QUORUM NODES() "config_version = 5;\n");
	assert_non_null(strstr(recall(), "<4>web.conf differs from the"));
	assert_null(wanted);
	assert_true(running->shared.config_term == 7);
	assert_int_equal(config_find(&running->shared, 3)->priority, 0);
}

#define FOUND  "discovery = true;"
#define LATELY FOUND "join = (\"h2:1\");"
#define MET(id)                                                                \
	"{ id = " #id "; address = \"h" #id ":1\"; role = \"observer\"; }"

/* The list of nodes that was found goes on with its revision. */
CASE(file_of_voters_takes_who_was_discovered)
{
	static const char kept[] =
	    "# config term 7\n# revision 3\n" QUORUM LATELY "nodes = (" NODE(
		2, ) ", " NODE(3, ) ", " MET(9) ");\nconfig_version = 5;\n";

	settings_free(running);
	running = parse(QUORUM LATELY NODES() OWN "config_version = 5;");
	keep(kept);
	assert_string_equal(recall(), "");
	assert_true(is_recalled);
	assert_null(wanted);
	assert_true(running->shared.config_term == 7);
	assert_int_equal(running->shared.config_version, 5);
	assert_int_equal(running->shared.revision, 3);
	assert_true(config_find(&running->shared, 9)->is_discovered);
	settings_free(running);
	running = parse(
	    QUORUM LATELY NODES("priority = 9;") OWN "config_version = 6;");
	assert_string_equal(recall(), "");
	assert_int_equal(config_find(&running->shared, 3)->priority, 0);
	assert_non_null(wanted);
	assert_int_equal(wanted->shared.config_version, 6);
	assert_int_equal(wanted->shared.revision, 3);
	assert_int_equal(config_find(&wanted->shared, 3)->priority, 9);
	assert_non_null(config_find(&wanted->shared, 9));
	settings_free(running);
	running = parse(
	    QUORUM LATELY NODES("priority = 9;") OWN "config_version = 5;");
	assert_non_null(strstr(recall(), "<4>web.conf differs from the"));
	assert_null(wanted);
	assert_int_equal(config_find(&running->shared, 3)->priority, 0);
	settings_free(running);
	running = parse(QUORUM LATELY NODES() OWN "config_version = 4;");
	assert_non_null(strstr(recall(), "<4>web.conf is older"));
	assert_null(wanted);
	assert_int_equal(running->shared.nodes_count, 3);
}

CASE(settings_are_kept_or_that_is_told)
{
	settings_free(running);
	running =
	    parse(QUORUM NODES("priority = 9;") OWN "config_version = 5;");
	running->shared.config_term = 8;
	assert_true(document_keep(running));
	running->shared.config_term = 0;
	assert_string_equal(recall(), "");
	assert_true(running->shared.config_term == 8);
	unlink(KEPT);
	assert_int_equal(mkdir(KEPT, 0700), 0);
	capture_as_journal();
	assert_false(document_keep(running));
	assert_non_null(strstr(captured(), "<3>"));
}

CASE(older_file_gives_only_what_is_the_hosts_own)
{
	struct settings *older = parse(HEAD NODES(
	    "priority = 9;") "state_dir = \"./here\"; realtime = true;"
			     "security = { key_file = \"/new\"; };"
			     "config_version = 4;");

	assert_true(document_outrank(older, running));
	assert_int_equal(older->shared.config_version, 5);
	assert_int_equal(older->file_config_version, 4);
	assert_int_equal(older->id, 3);
	assert_int_equal(config_find(&older->shared, 3)->priority, 0);
	assert_string_equal(older->key_file, "/new");
	assert_true(older->realtime);
	settings_free(older);
	older = parse("cluster = \"mail\"; guarantee = \"component\";" NODES());
	assert_false(document_outrank(older, running));
	assert_string_equal(older->shared.cluster, "mail");
	settings_free(older);
}
