/* SPDX-License-Identifier: ISC */
/* What differs between two configurations, and what each change needs. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_changes.h"

#define NODE(id, more) "{ id = " #id "; address = \"h" #id ":1\"; " more "}"
#define NODES          "nodes = ( " NODE(1, "") ", " NODE(2, "") ", " NODE(3, "") " );"
#define REST           "cluster = \"web\"; guarantee = \"component\"; id = 1;"
#define FULL           REST NODES
#define TIMES          REST NODES "timing = { heartbeat = \"100ms\"; misses = 3; };"
#define RING           REST NODES "algorithm = \"lelann\";"
#define ORDER(ids)     RING "topology = { order = [" ids "]; };"
#define GRAPH          REST NODES "algorithm = \"floodmax\";"
#define TREE(links)                                                            \
	REST NODES "algorithm = \"tree\"; topology = { links = (" links ");};"
#define CHECK(interval)                                                        \
	"checks = ({ name = \"x\"; unit = \"x.service\"; interval = "          \
	"\"" interval "\"; });"
#define NEIGHBOURS(side)                                                       \
	REST "algorithm = \"lelann\"; listen = \"h1:1\"; neighbours = ("       \
	     "{ id = 2; address = \"h2:1\"; side = \"right\"; },"              \
	     "{ id = " side "; address = \"h3:1\"; side = \"left\"; } );"

#define GROUP_OF(address, interface, ttl)                                      \
	"cluster = \"web\"; guarantee = \"component\"; id = 1;"                \
	"security = { key_file = \"./k\"; }; discovery = true;"                \
	"multicast = { group = \"" address                                     \
	"\"; interface = \"" interface "\"; ttl = " ttl "; };"

static const struct {
	const char *running;
	const char *wanted;
	const char *changes;
} rows[] = {
	{ GROUP_OF("239.1.1.1:1", "a", "1"), GROUP_OF("239.1.1.1:1", "a", "2"),
	    "restart: multicast.ttl\n" },
	{ GROUP_OF("239.1.1.1:1", "a", "1"), GROUP_OF("239.1.1.1:1", "b", "1"),
	    "restart: multicast.interface\n" },
	{ GROUP_OF("239.1.1.1:1", "a", "1"), GROUP_OF("239.1.1.2:1", "a", "1"),
	    "restart: multicast.group\n" },
	{ FULL, FULL, "" },
	{ FULL, "# a comment\n" FULL, "" },
	{ FULL,
	    REST
	    "nodes = ( " NODE(3, "") ", " NODE(2, "") ", " NODE(1, "") " );",
	    "" },
	{ FULL,
	    REST "nodes = ( " NODE(1, "name = \"a\";") ", " NODE(
		2, "") ", " NODE(3, "name = \"c\";") " );",
	    "now: name of 1\nnow: name of 3\n" },
	{ FULL,
	    REST "nodes = ( { id = 1; address = \"x:1\"; }, { id = 2; address "
		 "= \"y:1\"; }, " NODE(3, "") " );",
	    "restart: address of 1\nnow: address of 2\n" },
	{ FULL "listen = \"h1:1\";",
	    REST "listen = \"h1:1\"; nodes = ( { id = 1; address = \"x:1\"; "
		 "}, " NODE(2, "") ", " NODE(3, "") " );",
	    "now: address of 1\n" },
	{ FULL,
	    REST "nodes = ( " NODE(1, "priority = 1;") ", " NODE(
		2, "role = \"voter\";") ", " NODE(3, "") " );",
	    "cluster: priority of 1\ncluster: role of 2\n" },
	{ FULL,
	    REST "nodes = ( " NODE(1, "") ", " NODE(3, "") ", " NODE(
		4, "name = \"d\";") " );",
	    "cluster: nodes: without 2\ncluster: nodes: also d\n" },
	{ FULL, "cluster = \"mail\"; guarantee = \"quorum\"; id = 1;" NODES,
	    "identity: cluster\nidentity: guarantee\n"
	    "now: security.key_file\nrestart: control.socket\n" },
	{ FULL,
	    FULL "algorithm = \"bully-broadcast\"; prefer = \"lowest\"; "
		 "preempt = \"never\";",
	    "cluster: algorithm\ncluster: prefer\ncluster: preempt\n" },
	{ FULL "preempt = \"after 1s\";", FULL "preempt = \"after 2s\";",
	    "cluster: preempt\n" },
	{ FULL, "cluster = \"web\"; guarantee = \"component\"; id = 2;" NODES,
	    "restart: id\n" },
	{ FULL, FULL "listen = \"h1:2\";", "restart: listen\n" },
	{ FULL, FULL "config_version = 1;", "cluster: config_version\n" },
	{ TIMES,
	    REST NODES
	    "timing = { heartbeat = \"50ms\"; misses = 4; lease = \"9s\"; "
	    "startup = \"7s\"; };",
	    "cluster: timing.heartbeat\ncluster: timing.misses\n"
	    "cluster: timing.lease\ncluster: timing.startup\n" },
	{ FULL,
	    FULL "security = { key_file = \"/k\"; old_key_file = \"/o\"; }; "
		 "control = { socket = \"/s.sock\"; group = \"g\"; "
		 "deadlines = (\"a\", \"b\"); }; "
		 "state_dir = \"/d\"; realtime = true; record = false; "
		 "watch_carrier = false; expect = 3;",
	    "now: security.key_file\nnow: security.old_key_file\n"
	    "restart: control.socket\nrestart: control.group\n"
	    "restart: control.deadlines\n"
	    "restart: state_dir\nrestart: realtime\nrestart: record\n"
	    "restart: watch_carrier\nnow: expect\n" },
	{ FULL CHECK("3s"), FULL CHECK("3s"), "" },
	{ FULL, FULL CHECK("3s"), "now: checks\n" },
	{ FULL CHECK("3s"), FULL CHECK("4s"), "now: checks\n" },
	{ FULL CHECK("3s"), FULL "checks = ();", "now: checks\n" },
	{ ORDER("1, 2, 3"), ORDER("3, 1, 2"), "" },
	{ ORDER("1, 2, 3"), ORDER("1, 3, 2"), "cluster: topology.order\n" },
	{ TREE("(1, 2), (2, 3)"), TREE("(3, 2), (2, 1)"), "" },
	{ TREE("(1, 2), (2, 3)"), TREE("(1, 3), (2, 3)"),
	    "cluster: topology.links\n" },
	{ GRAPH, GRAPH "topology = { diameter = 1; };",
	    "cluster: topology.diameter\n" },
	{ GRAPH, GRAPH "topology = { kind = \"ring\"; };",
	    "cluster: topology.kind\n" },
	{ RING, RING "lelann = { join = false; };",
	    "cluster: options of the algorithm\n" },
	{ NEIGHBOURS("3"), NEIGHBOURS("3"), "" },
	{ NEIGHBOURS("3"), NEIGHBOURS("4"),
	    "restart: nodes: without 3\nrestart: nodes: also 4\n"
	    "restart: neighbours\n" },
};

static struct settings *
parse(const char *text)
{
	char *copy = strdup(text);
	struct settings *s = settings_parse("test", copy, NODE_NONE, stderr);

	assert_non_null(s);
	free(copy);
	return s;
}

static void
on_change(void *context, enum change change, const char *setting)
{
	static const char *const words[] = {
		[CHANGE_NOW] = "now",
		[CHANGE_RESTART] = "restart",
		[CHANGE_CLUSTER] = "cluster",
		[CHANGE_IDENTITY] = "identity",
	};

	fprintf(context, "%s: %s\n", words[change], setting);
}

TEST(each_setting_that_differs_is_told_once)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings *a = parse(rows[i].running);
		struct settings *b = parse(rows[i].wanted);
		char *told;
		size_t size;
		FILE *to = open_memstream(&told, &size);

		settings_compare(a, b, on_change, to);
		fclose(to);
		assert_string_equal(told, rows[i].changes);
		free(told);
		settings_free(a);
		settings_free(b);
	}
}

/* Nodes link if their digests are the same. */
TEST(all_hosts_must_agree_where_the_digests_differ)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct settings *a = parse(rows[i].running);
		struct settings *b = parse(rows[i].wanted);
		uint8_t one[SALT_BYTES], other[SALT_BYTES];
		bool must_agree, differ;

		config_digest(&a->shared, one);
		config_digest(&b->shared, other);
		must_agree = strstr(rows[i].changes, "cluster: ") != NULL ||
			     strstr(rows[i].changes, "identity: ") != NULL;
		differ = memcmp(one, other, SALT_BYTES) != 0;
		if (differ != must_agree)
			fail_msg("row %zu: %s", i, rows[i].changes);
		settings_free(a);
		settings_free(b);
	}
}
