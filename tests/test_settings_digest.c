/* SPDX-License-Identifier: ISC */
/* The digest of a configuration: what it leaves out and what it covers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/settings.h"

#define HEAD "cluster = \"web\"; guarantee = \"component\";\n"
#define NODES                                                                  \
	"nodes = ( { id = 1; address = \"192.0.2.11:7420\"; },\n"              \
	"  { id = 2; address = \"192.0.2.12:7420\"; } );\n"

static void
digest_of(const char *text, uint8_t digest[SALT_BYTES])
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, NODE_NONE, stderr);

	assert_non_null(s);
	settings_digest(s, digest);
	settings_free(s);
	free(copy);
}

/* What may differ from host to host does not change the digest. */
static void
digest_leaves_out_what_is_a_hosts_own(void **state)
{
	const char *const alike[] = {
		HEAD "id = 2; listen = \"0.0.0.0:7420\";" NODES,
		HEAD NODES "state_dir = \"/srv\"; control = { group = \"x\"; }",
		HEAD "nodes = ( { id = 2; name = \"b\"; address = \"b:1\"; },"
		     "{ id = 1; name = \"a\"; address = \"a:1\"; } );",
		HEAD "id = 1; listen = \"192.0.2.11:7420\"; neighbours = ("
		     "{ id = 2; address = \"192.0.2.12:7420\"; } );",
	};
	uint8_t wanted[SALT_BYTES];
	uint8_t digest[SALT_BYTES];

	(void)state;
	digest_of(HEAD NODES, wanted);
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		digest_of(alike[i], digest);
		assert_memory_equal(digest, wanted, SALT_BYTES);
	}
}

/* Each setting that must agree changes it, each in its own way. */
static void
digest_covers_all_that_must_agree(void **state)
{
	static const char *const different[] = {
		HEAD NODES,
		HEAD NODES "prefer = \"lowest\";",
		HEAD NODES "preempt = \"never\";",
		HEAD NODES "preempt = \"after 1s\";",
		HEAD NODES "preempt = \"after 2s\";",
		HEAD NODES "timing = { heartbeat = \"101ms\"; }",
		HEAD NODES "timing = { misses = 4; }",
		HEAD NODES "timing = { lease = \"3s\"; }",
		HEAD NODES "timing = { startup = \"2s\"; }",
		HEAD "nodes = ( { id = 1; address = \"a:1\"; } );",
		HEAD "nodes = ( { id = 2; address = \"a:1\"; } );",
		HEAD
		"nodes = ( { id = 1; address = \"a:1\"; priority = 1; } );",
		HEAD "nodes = ( { id = 1; address = \"a:1\"; },"
		     "{ id = 2; address = \"b:1\"; role = \"voter\"; } );",
	};
	enum {
		COUNT = sizeof(different) / sizeof(different[0])
	};
	uint8_t digests[COUNT][SALT_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		digest_of(different[i], digests[i]);
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(
			    digests[i], digests[j], SALT_BYTES);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digest_leaves_out_what_is_a_hosts_own),
		cmocka_unit_test(digest_covers_all_that_must_agree),
	};

	return cmocka_run_group_tests_name(
	    "settings digest", tests, NULL, NULL);
}
