/* SPDX-License-Identifier: ISC */
/* The settings of a cluster whose nodes find each other. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config/config_encode.h"
#include "daemon/config/settings_changes.h"
#include "daemon/electd/change/discovery.h"

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
	assert_true(discovery_lacks_self(s));
	assert_int_equal(discovery_complete(s, why), EXIT_SUCCESS);
	assert_false(discovery_lacks_self(s));
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
	next = NULL;
}

static struct met_joiner
met(node_id id, const char *name, const char *address)
{
	struct met_joiner a = { .node = { .id = id, .is_next = true } };

	snprintf(a.node.name, sizeof(a.node.name), "%s", name);
	snprintf(a.address, sizeof(a.address), "%s", address);
	return a;
}

/* What comes of a list with these nodes; NULL: it is as before. */
static struct settings *
admit(const struct met_joiner *a, unsigned count)
{
	const struct config_node own = discovery_own(running, "127.0.0.1:7420");
	struct nodes nodes = { .met_count = 0 };

	for (unsigned i = 0; i < count; i++)
		nodes_meet(&nodes, &a[i].node, a[i].address);
	return discovery_list(running, &nodes, NULL, 0, &own);
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

TEST(file_without_nodes_gets_its_own)
{
	begin("id = 7; self = { name = \"me\"; priority = -3; };");
	assert_int_equal(running->shared.nodes_count, 1);
	assert_int_equal(running->shared.nodes[0].id, 7);
	assert_int_equal(running->shared.nodes[0].priority, -3);
	assert_string_equal(running->shared.nodes[0].name, "me");
	assert_string_equal(running->shared.nodes[0].address, "127.0.0.1:7420");
	end();
}

TEST(host_without_an_id_draws_one)
{
	struct settings *other = alone("");

	begin("self = { role = \"observer\"; };");
	assert_in_range(running->id, 1, NODE_ID_MAX);
	assert_int_not_equal(running->id, other->id);
	assert_int_equal(running->shared.nodes[0].role, ROLE_OBSERVER);
	settings_free(other);
	end();
}

TEST(nodes_that_were_met_are_added_at_once)
{
	const struct met_joiner a[] = { met(9, "nine", "127.0.0.9:7420"),
		met(3, "three", "127.0.0.3:7420"),
		met(7, "again", "127.0.0.4:7420") };

	begin("id = 7; algorithm = \"chang-roberts\"; config_version = 4;");
	next = admit(a, 3);
	advance();
	assert_int_equal(running->shared.nodes_count, 3);
	assert_int_equal(running->shared.nodes[0].id, 3);
	assert_int_equal(running->shared.order_count, 3);
	assert_int_equal(running->shared.config_version, 4);
	assert_int_equal(running->shared.revision, 1);
	assert_null(admit(a, 3));
	end();
}

/* A node that is met and has later settings gives the revision. */
TEST(settings_that_are_to_be_the_earlier_keep_their_revision)
{
	struct met_joiner a = met(9, "nine", "127.0.0.9:7420");

	begin("id = 7;");
	a.node.is_next = false;
	next = admit(&a, 1);
	assert_int_equal(next->shared.revision, running->shared.revision);
	end();
}

TEST(name_that_is_not_free_or_no_name_gives_way_to_the_id)
{
	const struct met_joiner a[] = { met(1, "me", "127.0.0.2:7420"),
		met(2, "a \"b\";", "127.0.0.3:7420"),
		met(3, "77", "127.0.0.4:7420") };

	begin("id = 7; self = { name = \"me\"; };");
	next = admit(a, 3);
	advance();
	assert_string_equal(running->shared.nodes[0].name, "1");
	assert_string_equal(running->shared.nodes[1].name, "2");
	assert_string_equal(running->shared.nodes[2].name, "3");
	end();
}

TEST(joiner_takes_the_place_of_who_had_its_address)
{
	const struct met_joiner a[] = { met(1, "one", "127.0.0.2:7420"),
		met(2, "two", "127.0.0.2:7420") };

	begin("id = 7;");
	next = admit(&a[0], 1);
	advance();
	next = admit(&a[1], 1);
	advance();
	assert_int_equal(running->shared.nodes_count, 2);
	assert_null(config_find(&running->shared, 1));
	assert_non_null(config_find(&running->shared, 2));
	end();
}

/* A file takes the nodes that are known, unless it is older. */
TEST(file_follows_the_cluster)
{
	static const struct {
		const char *more;
		size_t count;
		uint32_t revision;
	} rows[] = {
		{ "config_version = 4;", 3, 2 },
		{ "config_version = 3;", 3, 2 },
		{ "config_version = 2;", 0, 0 },
	};
	const struct met_joiner a[] = { met(1, "one", "127.0.0.2:7420"),
		met(2, "two", "127.0.0.3:7420") };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512], *errors = NULL;

		begin("id = 7; config_version = 3;");
		for (unsigned j = 0; j < 2; j++) {
			next = admit(&a[j], 1);
			advance();
		}
		snprintf(text, sizeof(text),
		    HEAD "id = 7; listen = \"127.0.0.1:7420\"; %s",
		    rows[i].more);
		next = parse(text);
		assert_true(discovery_follow(running, next, &errors));
		free(errors);
		assert_int_equal(next->shared.nodes_count, rows[i].count);
		assert_int_equal(next->shared.config_version, 4 - i);
		assert_int_equal(next->shared.revision, rows[i].revision);
		end();
	}
}

/* By the digest alone it would win over some of these lists. */
TEST(later_file_wins_over_any_list_by_the_file_before)
{
	struct settings *file;
	struct config_id later;
	char *errors = NULL;

	begin("id = 7; config_version = 3;");
	file = parse(HEAD "id = 7; listen = \"127.0.0.1:7420\"; "
			  "config_version = 4; "
			  "timing = { heartbeat = \"50ms\"; };");
	assert_true(discovery_follow(running, file, &errors));
	later = config_identify(&file->shared);
	for (node_id id = 8; id < 28; id++) {
		struct met_joiner a = met(id, "", "127.0.0.2:7420");
		struct config_id list;

		next = admit(&a, 1);
		list = config_identify(&next->shared);
		assert_true(config_id_compare(&later, &list) > 0);
		settings_free(next);
	}
	settings_free(file);
	next = NULL;
	end();
}

static void
admit_twenty(void)
{
	char name[16], address[32];

	for (node_id id = 1; id <= 20; id++) {
		struct met_joiner a;

		snprintf(name, sizeof(name), "h%u", id);
		snprintf(address, sizeof(address), "127.0.1.%u:7420", id);
		a = met(id, name, address);
		next = admit(&a, 1);
		advance();
	}
}

/* The links of node 30. */
static unsigned
own_links(const struct settings *s)
{
	unsigned count = 0;

	for (node_id id = 1; id <= 20; id++)
		count += settings_linked(s, 30, id);
	return count;
}

TEST(node_of_a_graph_gets_as_many_neighbours_as_the_degree)
{
	begin("id = 30; algorithm = \"extinction\";");
	assert_int_equal(running->shared.degree, 8);
	assert_int_equal(running->shared.links_count, 0);
	admit_twenty();
	assert_in_range(own_links(running), 2, 8);
	end();
	begin("id = 30; algorithm = \"tree\"; topology = { degree = 2; };");
	admit_twenty();
	assert_int_equal(own_links(running), 2);
	assert_int_equal(running->shared.links_count, 21);
	end();
	begin(
	    "id = 30; algorithm = \"floodmax\"; topology = { degree = 20; };");
	admit_twenty();
	assert_int_equal(own_links(running), 20);
	assert_int_equal(running->shared.choices.diameter, 20);
	end();
	begin("id = 30; topology = { kind = \"full\"; };");
	assert_int_equal(running->shared.degree, 0);
	end();
}

/* Writes the names of the settings that change. */
static void
take_change(void *context, enum change change, const char *name)
{
	FILE *to = context;

	(void)change;
	fprintf(to, "%s ", name);
}

static void
digest_with(const char *address, uint8_t digest[SALT_BYTES])
{
	const struct met_joiner a = met(2, "two", address);
	struct settings *s = admit(&a, 1);

	assert_non_null(s);
	config_digest(&s->shared, digest);
	settings_free(s);
}

/* Else neither would ever give way to the other. */
TEST(lists_that_differ_in_an_address_are_two_configurations)
{
	uint8_t digests[3][SALT_BYTES];

	begin("id = 1;");
	digest_with("127.0.0.2:7420", digests[0]);
	digest_with("127.0.0.2:7420", digests[1]);
	digest_with("127.0.0.3:7420", digests[2]);
	assert_memory_equal(digests[0], digests[1], SALT_BYTES);
	assert_memory_not_equal(digests[0], digests[2], SALT_BYTES);
	end();
}

TEST(links_that_follow_from_the_degree_are_no_change_of_their_own)
{
	static const char file[] =
	    "id = 30; algorithm = \"extinction\"; topology = { degree = 4; };";
	char *names;
	size_t size;
	FILE *to = open_memstream(&names, &size);
	uint8_t digests[2][SALT_BYTES];

	begin("id = 30; algorithm = \"extinction\";");
	config_digest(&running->shared, digests[0]);
	admit_twenty();
	next = alone(file);
	config_digest(&next->shared, digests[1]);
	assert_memory_not_equal(digests[0], digests[1], SALT_BYTES);
	settings_compare(running, next, take_change, to);
	fclose(to);
	assert_null(strstr(names, "topology.links"));
	assert_non_null(strstr(names, "topology.degree"));
	free(names);
	end();
}

#define QUORUM                                                                 \
	"cluster = \"web\"; guarantee = \"quorum\"; discovery = true; "        \
	"join = (\"127.0.0.9:7420\"); state_dir = \"/nonexistent\"; "
#define VOTERS                                                                 \
	"nodes = ({ id = 1; address = \"127.0.0.1:7420\"; }, "                 \
	"{ id = 2; name = \"two\"; address = \"127.0.0.2:7420\"; }, "          \
	"{ id = 3; address = \"127.0.0.3:7420\"; priority = 3; }); "

/* What a file says, at a host that it does not list. */
static struct settings *
stranger(const char *text)
{
	char why[DISCOVERY_TEXT_MAX];
	struct settings *s = parse(text);

	assert_true(discovery_lacks_self(s));
	assert_int_equal(discovery_complete(s, why), EXIT_SUCCESS);
	assert_false(discovery_lacks_self(s));
	return s;
}

/* A voter, whose settings have discovered nodes 20 and 30. */
static void
begin_quorum(void)
{
	const struct met_joiner a[] = { met(20, "b", "127.0.0.20:7420"),
		met(30, "c", "127.0.0.30:7420") };

	running = parse(QUORUM VOTERS "id = 1; config_version = 4;");
	next = admit(a, 2);
	advance();
	assert_int_equal(running->shared.nodes_count, 5);
}

TEST(host_that_a_file_of_voters_does_not_list_is_an_observer)
{
	running = stranger(QUORUM VOTERS
	    "listen = \"127.0.0.7:7420\"; self = { name = \"two\"; };");
	assert_int_equal(running->shared.nodes_count, 4);
	assert_true(running->id > 3);
	assert_true(settings_are_discovered(running));
	assert_int_equal(
	    config_find(&running->shared, running->id)->role, ROLE_OBSERVER);
	/* The name is that of a voter. */
	assert_string_not_equal(
	    config_find(&running->shared, running->id)->name, "two");
	assert_false(config_find(&running->shared, 2)->is_discovered);
	end();
	running =
	    stranger(QUORUM VOTERS "listen = \"127.0.0.7:7420\"; id = 7;");
	assert_int_equal(running->id, 7);
	end();
}

/* Whatever it says of itself. */
TEST(whoever_is_met_by_voters_is_an_observer)
{
	struct met_joiner a = met(9, "nine", "127.0.0.19:7420");

	begin_quorum();
	a.node.role = ROLE_CANDIDATE;
	a.node.priority = 5;
	next = admit(&a, 1);
	advance();
	assert_int_equal(config_find(&running->shared, 9)->role, ROLE_OBSERVER);
	assert_int_equal(config_find(&running->shared, 9)->priority, 5);
	assert_true(config_find(&running->shared, 9)->is_discovered);
	assert_int_equal(
	    config_find(&running->shared, 1)->role, ROLE_CANDIDATE);
	assert_int_equal(running->shared.config_version, 4);
	assert_int_equal(running->shared.revision, 2);
	end();
}

TEST(nobody_takes_the_place_of_a_voter)
{
	const struct met_joiner a[] = { met(3, "three", "127.0.0.8:7420"),
		met(9, "nine", "127.0.0.3:7420") };

	begin_quorum();
	assert_null(admit(a, 2));
	assert_string_equal(
	    config_find(&running->shared, 3)->address, "127.0.0.3:7420");
	end();
}

/* A file says who votes; whom it does not list stays, if he was discovered. */
TEST(file_of_voters_follows_the_cluster)
{
	static const struct {
		const char *text;
		size_t count;
		uint32_t revision;
	} rows[] = {
		{ QUORUM VOTERS "id = 1; config_version = 4;", 5, 1 },
		{ QUORUM VOTERS "id = 1; config_version = 5;", 5, 1 },
		{ QUORUM "nodes = ({ id = 1; address = \"127.0.0.1:7420\"; }, "
			 "{ id = 20; address = \"127.0.0.20:7420\"; "
			 "role = \"observer\"; }); "
			 "id = 1; config_version = 5;",
		    3, 1 },
		{ QUORUM "nodes = ({ id = 1; address = \"127.0.0.1:7420\"; }, "
			 "{ id = 4; address = \"127.0.0.30:7420\"; }); "
			 "id = 1; config_version = 5;",
		    3, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *errors = NULL;

		begin_quorum();
		next = parse(rows[i].text);
		assert_true(discovery_follow(running, next, &errors));
		free(errors);
		assert_int_equal(next->shared.nodes_count, rows[i].count);
		assert_int_equal(next->shared.revision, rows[i].revision);
		assert_int_equal(
		    config_find(&next->shared, 20)->is_discovered, i != 2);
		end();
	}
}

/* Without an id the path of the socket waits for that of the node. */
TEST(host_that_draws_its_id_has_it_in_the_path_of_its_socket)
{
	char wanted[64];

	begin("control = { socket = \"/run/%i.sock\"; };");
	snprintf(wanted, sizeof(wanted), "/run/%u.sock", running->id);
	assert_string_equal(running->socket, wanted);
	end();
}

/* Another host reloads such a file, and this one is stopped. */
TEST(file_of_voters_that_leaves_this_host_out_is_wrong)
{
	char *errors = NULL;

	begin_quorum();
	next = parse(QUORUM "nodes = ({ id = 2; address = \"127.0.0.2:7420\"; "
			    "}); id = 1; config_version = 5;");
	assert_false(discovery_follow(running, next, &errors));
	assert_non_null(strstr(errors, "it names no node with id 1"));
	free(errors);
	end();
}
