/* SPDX-License-Identifier: ISC */
/* The digest of a configuration: what it leaves out and what it covers. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings.h"

#define TEXTS_MAX 32 /* compared with each other */

#define HEAD "cluster = \"web\"; guarantee = \"component\";\n"
#define NODES                                                                  \
	"nodes = ( { id = 1; address = \"192.0.2.11:7420\"; },\n"              \
	"  { id = 2; address = \"192.0.2.12:7420\"; } );\n"

#define THREE                                                                  \
	"nodes = ( { id = 3; address = \"c:1\"; },"                            \
	"  { id = 1; address = \"a:1\"; }, { id = 2; address = \"b:1\"; } );"
#define FLOODMAX    HEAD THREE "algorithm = \"floodmax\";"
#define RING        HEAD THREE "algorithm = \"lelann\";"
#define LINKS(list) "topology = { links = (" list "); };"
#define NEIGHBOURS(id, next, last)                                             \
	HEAD "algorithm = \"lelann\"; id = " #id "; listen = \"a:" #id "\";"   \
	     "neighbours = ("                                                  \
	     "{ id = " #next "; address = \"a:" #next                          \
	     "\"; side = \"right\"; },"                                        \
	     "{ id = " #last "; address = \"a:" #last                          \
	     "\"; side = \"left\"; } );"

static void
digest_of(const char *text, uint8_t digest[SALT_BYTES])
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, NODE_NONE, stderr);

	assert_non_null(s);
	config_digest(&s->shared, digest);
	settings_free(s);
	free(copy);
}

/* Settings that may differ from host to host do not change the digest. */
TEST(digest_leaves_out_what_is_a_hosts_own)
{
	const char *const alike[] = {
		HEAD "id = 2; listen = \"0.0.0.0:7420\";" NODES,
		HEAD NODES "state_dir = \"/srv\"; control = { group = \"x\"; }",
		HEAD NODES "realtime = true;",
		HEAD "nodes = ( { id = 2; name = \"b\"; address = \"b:1\"; },"
		     "{ id = 1; name = \"a\"; address = \"a:1\"; } );",
		HEAD "id = 1; listen = \"192.0.2.11:7420\"; neighbours = ("
		     "{ id = 2; address = \"192.0.2.12:7420\"; } );",
	};
	uint8_t wanted[SALT_BYTES];
	uint8_t digest[SALT_BYTES];

	digest_of(HEAD NODES, wanted);
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		digest_of(alike[i], digest);
		assert_memory_equal(digest, wanted, SALT_BYTES);
	}
}

/* True if each of these texts has a digest of its own. */
static void
assert_all_differ(const char *const *texts, size_t count)
{
	uint8_t digests[TEXTS_MAX][SALT_BYTES];

	assert_true(count <= TEXTS_MAX);
	for (size_t i = 0; i < count; i++) {
		digest_of(texts[i], digests[i]);
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(
			    digests[i], digests[j], SALT_BYTES);
	}
}

/* Each setting that must agree changes the digest, each in its own way. */
TEST(digest_covers_all_that_must_agree)
{
	static const char *const different[] = {
		HEAD NODES,
		"cluster = \"web\"; guarantee = \"quorum\";\n" NODES,
		HEAD NODES "prefer = \"lowest\";",
		HEAD NODES "preempt = \"never\";",
		HEAD NODES "preempt = \"after 1s\";",
		HEAD NODES "preempt = \"after 2s\";",
		HEAD NODES "timing = { heartbeat = \"101ms\"; }",
		HEAD NODES "timing = { misses = 4; }",
		HEAD NODES "timing = { lease = \"3s\"; }",
		HEAD NODES "timing = { startup = \"2s\"; }",
		HEAD NODES "config_version = 1;",
		HEAD NODES "config_version = 2;",
		HEAD "nodes = ( { id = 1; address = \"a:1\"; } );",
		HEAD "nodes = ( { id = 2; address = \"a:1\"; } );",
		HEAD
		"nodes = ( { id = 1; address = \"a:1\"; priority = 1; } );",
		HEAD "nodes = ( { id = 1; address = \"a:1\"; },"
		     "{ id = 2; address = \"b:1\"; role = \"voter\"; } );",
	};

	assert_all_differ(different, sizeof(different) / sizeof(different[0]));
}

/* No file has a config term. */
TEST(a_configuration_has_the_numbers_and_a_digest_of_all)
{
	char copy[] = HEAD NODES "config_version = 5;";
	struct settings *s = settings_parse("test", copy, NODE_NONE, stderr);
	uint8_t digest[SALT_BYTES];
	struct config_id e, stamped;

	assert_non_null(s);
	e = config_identify(&s->shared);
	assert_true(e.config_term == 0);
	assert_int_equal(e.config_version, 5);
	config_digest(&s->shared, digest);
	assert_memory_equal(e.digest, digest, SALT_BYTES);
	s->shared.config_term = 7;
	stamped = config_identify(&s->shared);
	assert_true(stamped.config_term == 7);
	assert_int_equal(stamped.config_version, 5);
	assert_memory_not_equal(stamped.digest, digest, SALT_BYTES);
	settings_free(s);
}

/* One and the same topology, however it is written. */
TEST(digest_knows_a_topology_in_every_form)
{
	static const char *const alike[][2] = {
		{ RING, RING "topology = { order = [1, 2, 3]; };" },
		{ RING, RING "topology = { order = [3, 1, 2]; };" },
		{ RING, RING "lelann = { join = true; }; tree = { };" },
		{ RING, RING "tree = { wakeup = false; };" },
		{ FLOODMAX, FLOODMAX LINKS("[2, 1], [3, 2], [3, 1]") },
		{ FLOODMAX, FLOODMAX "topology = { diameter = 2; };" },
		{ FLOODMAX LINKS("[1, 2], [2, 3]"),
		    FLOODMAX LINKS("[3, 2], [2, 1]") },
		{ NEIGHBOURS(1, 2, 9), NEIGHBOURS(5, 3, 4) },
	};
	uint8_t digests[2][SALT_BYTES];

	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		digest_of(alike[i][0], digests[0]);
		digest_of(alike[i][1], digests[1]);
		assert_memory_equal(digests[0], digests[1], SALT_BYTES);
	}
}

TEST(digest_covers_topology_and_options)
{
	static const char *const different[] = {
		HEAD THREE,
		RING,
		RING "topology = { order = [3, 2, 1]; };",
		RING "lelann = { join = false; };",
		HEAD THREE "algorithm = \"chang-roberts\";",
		HEAD THREE "algorithm = \"chang-roberts\";"
			   "chang-roberts = { variant = \"replace\"; };",
		HEAD THREE "algorithm = \"ring-list\";",
		HEAD THREE "algorithm = \"tree\";" LINKS("[1, 2], [2, 3]"),
		HEAD THREE "algorithm = \"tree\";" LINKS("[1, 2], [1, 3]"),
		HEAD THREE
		"algorithm = \"tree-echo\"; preempt = \"never\";" LINKS(
		    "[1, 2], [1, 3]"),
		HEAD THREE
		"algorithm = \"tree-echo\"; preempt = \"never\";"
		"tree-echo = { announce = \"any\"; };" LINKS("[1, 2], [1, 3]"),
		FLOODMAX,
		FLOODMAX LINKS("[1, 2], [2, 3]"),
		FLOODMAX LINKS("[1, 3], [2, 3]"),
		FLOODMAX "topology = { diameter = 1; };",
		FLOODMAX "topology = { kind = \"full\"; };",
		FLOODMAX "topology = { kind = \"ring\"; };",
		NEIGHBOURS(1, 2, 3),
	};

	assert_all_differ(different, sizeof(different) / sizeof(different[0]));
}
