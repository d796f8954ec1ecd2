/* SPDX-License-Identifier: ISC */
/* The settings of a cluster whose nodes find each other. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/electd/discovery.h"

#define HEAD                                                                   \
	"cluster = \"web\"; guarantee = \"component\"; discovery = true; "     \
	"join = (\"127.0.0.9:7420\"); state_dir = \"/nonexistent\"; "

static struct settings *running, *next;

static struct settings *
parse(const char *text)
{
	char *copy = strdup(text);
	struct settings *s;

	assert_non_null(copy);
	s = settings_parse("test", copy, NODE_NONE, stderr);
	free(copy);
	assert_non_null(s);
	return s;
}

/* A host without company, with what its file says besides. */
static struct settings *
alone(const char *more)
{
	char text[1024], why[DISCOVERY_TEXT_MAX];
	struct settings *s;

	snprintf(
	    text, sizeof(text), HEAD "listen = \"127.0.0.1:7420\"; %s", more);
	s = parse(text);
	assert_true(discovery_lacks_nodes(s));
	assert_int_equal(discovery_complete(s, why), EXIT_SUCCESS);
	assert_false(discovery_lacks_nodes(s));
	return s;
}

static void
begin(const char *more)
{
	running = alone(more);
	next = NULL;
}

static void
end(void)
{
	settings_free(running);
	settings_free(next);
}

static struct acquaintance
met(node_id id, const char *name, const char *address)
{
	struct acquaintance a = { .node = { .id = id, .is_next = true } };

	snprintf(a.node.name, sizeof(a.node.name), "%s", name);
	snprintf(a.address, sizeof(a.address), "%s", address);
	return a;
}

/* Puts what came of it in the place of what runs. */
static void
advance(void)
{
	assert_non_null(next);
	settings_free(running);
	running = next;
	next = NULL;
}

static void
file_without_nodes_gets_its_own(void **state)
{
	(void)state;
	begin("id = 7; self = { name = \"me\"; priority = -3; };");
	assert_int_equal(running->nodes_count, 1);
	assert_int_equal(running->nodes[0].id, 7);
	assert_int_equal(running->nodes[0].priority, -3);
	assert_string_equal(running->nodes[0].name, "me");
	assert_string_equal(running->nodes[0].address, "127.0.0.1:7420");
	end();
}

static void
host_without_an_id_draws_one(void **state)
{
	struct settings *other = alone("");

	(void)state;
	begin("self = { role = \"observer\"; };");
	assert_in_range(running->id, 1, NODE_ID_MAX);
	assert_int_not_equal(running->id, other->id);
	assert_int_equal(running->nodes[0].role, ROLE_OBSERVER);
	settings_free(other);
	end();
}

static void
nodes_that_were_met_are_added_at_once(void **state)
{
	const struct acquaintance a[] = { met(9, "nine", "127.0.0.9:7420"),
		met(3, "three", "127.0.0.3:7420"),
		met(7, "again", "127.0.0.4:7420") };

	(void)state;
	begin("id = 7; algorithm = \"chang-roberts\"; generation = 4;");
	next = discovery_admit(running, a, 3);
	advance();
	assert_int_equal(running->nodes_count, 3);
	assert_int_equal(running->nodes[0].id, 3);
	assert_int_equal(running->ring.order_count, 3);
	assert_int_equal(running->generation, 5);
	assert_int_equal(running->base_generation, 4);
	assert_int_equal(settings_file_generation(running), 5);
	assert_null(discovery_admit(running, a, 3));
	end();
}

/* A node that is met and has later settings gives the generation. */
static void
settings_that_are_to_be_the_earlier_keep_their_generation(void **state)
{
	struct acquaintance a = met(9, "nine", "127.0.0.9:7420");

	(void)state;
	begin("id = 7;");
	a.node.is_next = false;
	next = discovery_admit(running, &a, 1);
	assert_int_equal(next->generation, running->generation);
	end();
}

static void
name_that_is_not_free_or_no_name_gives_way_to_the_id(void **state)
{
	const struct acquaintance a[] = { met(1, "me", "127.0.0.2:7420"),
		met(2, "a \"b\";", "127.0.0.3:7420"),
		met(3, "77", "127.0.0.4:7420") };

	(void)state;
	begin("id = 7; self = { name = \"me\"; };");
	next = discovery_admit(running, a, 3);
	advance();
	assert_string_equal(running->nodes[0].name, "1");
	assert_string_equal(running->nodes[1].name, "2");
	assert_string_equal(running->nodes[2].name, "3");
	end();
}

static void
newcomer_takes_the_place_of_who_had_its_address(void **state)
{
	const struct acquaintance a[] = { met(1, "one", "127.0.0.2:7420"),
		met(2, "two", "127.0.0.2:7420") };

	(void)state;
	begin("id = 7;");
	next = discovery_admit(running, &a[0], 1);
	advance();
	next = discovery_admit(running, &a[1], 1);
	advance();
	assert_int_equal(running->nodes_count, 2);
	assert_null(settings_node(running, 1));
	assert_non_null(settings_node(running, 2));
	end();
}

static void
node_that_is_gone_is_left_out(void **state)
{
	const struct acquaintance a = met(1, "one", "127.0.0.2:7420");

	(void)state;
	begin("id = 7;");
	next = discovery_admit(running, &a, 1);
	advance();
	next = discovery_without(running, 1);
	advance();
	assert_int_equal(running->nodes_count, 1);
	assert_int_equal(running->generation, 2);
	end();
}

static void
own_node_becomes_what_the_file_says(void **state)
{
	(void)state;
	begin("id = 7; self = { name = \"me\"; };");
	assert_null(discovery_renew_self(running, "127.0.0.1:7420"));
	running->discovery.priority = 5;
	snprintf(running->discovery.name, NAME_MAX_BYTES, "I");
	next = discovery_renew_self(running, "127.0.0.8:7420");
	assert_int_equal(next->nodes[0].priority, 5);
	assert_string_equal(next->nodes[0].name, "I");
	assert_int_equal(next->generation, running->generation + 1);
	assert_string_equal(next->nodes[0].address, "127.0.0.8:7420");
	assert_null(discovery_renew_self(next, "127.0.0.8:7420"));
	end();
}

/* A file takes the nodes that are known, and its number decides the rest. */
static void
file_follows_the_cluster(void **state)
{
	static const struct {
		const char *more;
		uint32_t generation, base;
		bool is_its_own; /* the heartbeat is that of the file */
	} rows[] = {
		{ "generation = 4; timing = { heartbeat = \"50ms\"; };", 6, 4,
		    true },
		{ "generation = 3; timing = { heartbeat = \"50ms\"; };", 5, 3,
		    true },
		{ "generation = 2; timing = { heartbeat = \"50ms\"; };", 5, 3,
		    false },
	};
	const struct acquaintance a[] = { met(1, "one", "127.0.0.2:7420"),
		met(2, "two", "127.0.0.3:7420") };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512], *errors = NULL;

		begin("id = 7; generation = 3;");
		for (unsigned j = 0; j < 2; j++) {
			next = discovery_admit(running, &a[j], 1);
			advance();
		}
		snprintf(text, sizeof(text),
		    HEAD "id = 7; listen = \"127.0.0.1:7420\"; %s",
		    rows[i].more);
		next = parse(text);
		assert_true(discovery_follow(running, next, &errors));
		free(errors);
		assert_int_equal(next->nodes_count, 3);
		assert_int_equal(next->generation, rows[i].generation);
		assert_int_equal(next->base_generation, rows[i].base);
		assert_int_equal(next->timing.heartbeat,
		    (rows[i].is_its_own ? 50 : 100) * MSEC);
		end();
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(file_without_nodes_gets_its_own),
	cmocka_unit_test(host_without_an_id_draws_one),
	cmocka_unit_test(nodes_that_were_met_are_added_at_once),
	cmocka_unit_test(
	    settings_that_are_to_be_the_earlier_keep_their_generation),
	cmocka_unit_test(name_that_is_not_free_or_no_name_gives_way_to_the_id),
	cmocka_unit_test(newcomer_takes_the_place_of_who_had_its_address),
	cmocka_unit_test(node_that_is_gone_is_left_out),
	cmocka_unit_test(own_node_becomes_what_the_file_says),
	cmocka_unit_test(file_follows_the_cluster),
};

GROUP(tests);
