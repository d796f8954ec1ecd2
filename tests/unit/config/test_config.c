/* SPDX-License-Identifier: ISC */
/*
 * The configuration as a value: each field has a row, and bytes that came from
 * another node are in range, or refused.
 */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/config/config_check.h"
#include "common/config/config_encode.h"
#include "common/config/config_rows.h"
#include "tests/lib/rows.h"

#define LINKS 3

/* Three voters in a graph, in its memory. */
struct sample {
	struct config config;
	void *memory;
};

static struct sample
sample_new(void)
{
	struct sample s = { .memory = calloc(1, config_size(3, LINKS)) };
	struct config *c = &s.config;

	assert_non_null(s.memory);
	config_place(c, s.memory, 3, LINKS);
	strcpy(c->cluster, "web");
	c->guarantee = GUARANTEE_QUORUM;
	c->algorithm = &algorithm_extinction;
	c->topology = TOPOLOGY_GRAPH;
	c->timing = (struct timing){
		.heartbeat = 100 * MSEC, .misses = 3, .lease = 2 * SEC
	};
	c->nodes_count = 3;
	for (unsigned i = 0; i < 3; i++) {
		c->nodes[i] = (struct config_node){ .id = i + 1 };
		sprintf(c->nodes[i].address, "192.0.2.%u:7420", i + 1);
	}
	c->links_count = 2;
	c->links[0] = (struct config_link){ 3, 2 };
	c->links[1] = (struct config_link){ 1, 2 };
	config_complete(c);
	return s;
}

/* Encodes the sample. The caller frees the bytes. */
static uint8_t *
encode(const struct config *c, size_t *size)
{
	uint8_t *bytes = malloc(config_encoded_most(c));
	struct writer w = writer_of(bytes, config_encoded_most(c));

	config_encode(&w, c);
	assert_false(w.failed);
	*size = w.size;
	return bytes;
}

/* True if the bytes are a document, as far as single values go. */
static bool
decodes(const uint8_t *bytes, size_t size)
{
	struct config c;
	size_t nodes, links;
	void *memory;
	bool is_read;

	if (!config_decode_counts(bytes, size, &nodes, &links))
		return false;
	memory = calloc(1, config_size(nodes, links));
	assert_non_null(memory);
	config_place(&c, memory, nodes, links);
	is_read = config_decode(&c, bytes, size, algorithms);
	free(memory);
	return is_read;
}

/* Encodes the sample with a change, and tells whether that is a document. */
static bool
decodes_changed(void (*change)(struct config *c))
{
	struct sample s = sample_new();
	size_t size;
	uint8_t *bytes;
	bool is_read;

	change(&s.config);
	bytes = encode(&s.config, &size);
	is_read = decodes(bytes, size);
	free(bytes);
	free(s.memory);
	return is_read;
}

TEST(each_setting_has_a_row)
{
	static const char *const others[] = { "neighbours_only", "choices",
		"timing", NULL };
	static const struct rows_of structs[] = {
		{ "common/config/config.h", "config", "", others },
		{ "common/config/config.h", "config_node", "", others },
		{ "common/node/node.h", "timing", "timing.", others },
		{ "common/election/algorithm.h", "choices", "choices.",
		    others },
	};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++)
		count +=
		    assert_rows("common/config/config_rows.c", &structs[i]);
	assert_in_range(count, 30, 45);
}

TEST(configuration_is_read_as_it_was_written)
{
	struct sample s = sample_new(), t = sample_new();
	size_t size, nodes, links;
	uint8_t *bytes = encode(&s.config, &size);
	const struct config_id e = config_identify(&s.config);
	struct config_id again;

	memset(t.config.nodes, 0xff, 3 * sizeof(t.config.nodes[0]));
	assert_true(config_decode_counts(bytes, size, &nodes, &links));
	assert_int_equal(nodes, 3);
	assert_int_equal(links, 2);
	assert_true(config_decode(&t.config, bytes, size, algorithms));
	config_complete(&t.config);
	again = config_identify(&t.config);
	assert_true(config_id_equal(&e, &again));
	assert_string_equal(t.config.nodes[2].address, "192.0.2.3:7420");
	assert_int_equal(t.config.links[0].a, 1);
	assert_int_equal(t.config.links[1].b, 3);
	free(bytes);
	free(s.memory);
	free(t.memory);
}

static void
take_long_name(struct config *c)
{
	memset(c->nodes[1].name, 'n', NAME_MAX_BYTES); /* and on: no end */
}

static void
take_bad_name(struct config *c)
{
	strcpy(c->cluster, "my web");
}

static void
take_bad_address(struct config *c)
{
	strcpy(c->nodes[1].address, "192.0.2.2");
}

static void
take_other_spelling(struct config *c)
{
	strcpy(c->nodes[1].address, "HOST:7420");
}

static void
take_id_zero(struct config *c)
{
	c->nodes[0].id = 0;
}

static void
take_great_id(struct config *c)
{
	c->nodes[2].id = NODE_ID_MAX + 1;
}

static void
take_no_role(struct config *c)
{
	c->nodes[2].role = (enum role)(ROLE_OBSERVER + 1);
}

static void
take_short_heartbeat(struct config *c)
{
	c->timing.heartbeat = MSEC - 1;
}

static void
take_long_lease(struct config *c)
{
	c->timing.lease = 4 * 3600 * SEC + 1;
}

static void
take_great_config_term(struct config *c)
{
	c->config_term = TERM_MAX + 1;
}

static void
take_ids_that_fall(struct config *c)
{
	c->nodes[0].id = 2;
	c->nodes[1].id = 1;
}

static void
take_links_that_fall(struct config *c)
{
	c->links[0] = (struct config_link){ 2, 3 };
	c->links[1] = (struct config_link){ 1, 2 };
}

static void
take_one_link_twice(struct config *c)
{
	c->links[1] = c->links[0];
}

static void
take_nobody_in_the_order(struct config *c)
{
	c->order_count = 3;
	c->order[0] = 3;
	c->order[1] = 1;
	c->order[2] = NODE_NONE;
}

static void
take_nothing(struct config *c)
{
	(void)c;
}

TEST(value_that_is_out_of_its_range_is_refused)
{
	static void (*const changes[])(struct config *) = { take_long_name,
		take_bad_name, take_bad_address, take_other_spelling,
		take_id_zero, take_great_id, take_no_role, take_short_heartbeat,
		take_long_lease, take_great_config_term, take_ids_that_fall,
		take_links_that_fall, take_one_link_twice,
		take_nobody_in_the_order };

	assert_true(decodes_changed(take_nothing));
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		assert_false(decodes_changed(changes[i]));
}

/* What the last check said. */
static char said[1024];

static void
note_fault(void *context, const struct config_fault *fault)
{
	char name[FAULT_NAME_MAX];
	size_t used = strlen(said);

	snprintf(said + used, sizeof(said) - used, "%s: %s\n",
	    config_fault_name(context, fault, "nodes", name), fault->text);
}

/* Checks the sample with a change. */
static const char *
faults_of(void (*change)(struct config *c))
{
	struct sample s = sample_new();
	struct config_work *work = malloc(sizeof(*work));
	bool is_right;

	said[0] = '\0';
	change(&s.config);
	is_right =
	    config_check(&s.config, 1, algorithms, work, note_fault, &s.config);
	assert_int_equal(is_right, said[0] == '\0');
	free(work);
	free(s.memory);
	return said;
}

static void
take_one_id_twice(struct config *c)
{
	c->nodes[2].id = 1;
}

static void
take_voter_that_was_met(struct config *c)
{
	c->discovers = true;
	c->forget = SEC;
	c->links_count = 0;
	c->nodes[2].is_discovered = true;
}

static void
take_node_that_was_met(struct config *c)
{
	c->nodes[2].is_discovered = true;
}

static void
take_link_to_nobody(struct config *c)
{
	c->links[0].b = 9;
}

static void
take_links_of_two(struct config *c)
{
	c->links_count = 1;
}

static void
take_short_lease(struct config *c)
{
	c->timing.lease = 999 * MSEC;
}

static void
take_variant(struct config *c)
{
	c->choices.variant = 1;
}

static void
take_last_config_version(struct config *c)
{
	c->discovers = true;
	c->links_count = 0;
	c->forget = SEC;
	c->config_version = (uint32_t)CONFIG_VERSION_MAX + 1;
}

static void
take_no_time_to_forget(struct config *c)
{
	c->discovers = true;
	c->links_count = 0;
}

static void
take_config_term_of_component(struct config *c)
{
	c->guarantee = GUARANTEE_COMPONENT;
	c->config_term = 7;
}

static void
take_delay_of_none(struct config *c)
{
	c->preempt = PREEMPT_AFTER;
}

static void
take_wildcard_of_another(struct config *c)
{
	strcpy(c->nodes[0].address, "0.0.0.0:7420");
	strcpy(c->nodes[1].address, "0.0.0.0:7421");
}

TEST(settings_that_contradict_each_other_are_told)
{
	static const struct {
		void (*change)(struct config *c);
		const char *said;
	} rows[] = {
		{ take_nothing, "" },
		{ take_one_id_twice, "nodes[2].id: 1 is already used" },
		{ take_voter_that_was_met,
		    "nodes[2].discovered: is for observers" },
		{ take_node_that_was_met,
		    "nodes[2].discovered: is for discovery" },
		{ take_link_to_nobody,
		    "topology.links[0]: 9 is not among the nodes" },
		{ take_links_of_two,
		    "topology.links: 3 cannot be reached from 1" },
		{ take_short_lease, "timing.lease: \"999ms\" is too short" },
		{ take_variant,
		    "algorithm: \"extinction\" does not have these" },
		{ take_last_config_version, "config_version: 1000001 is out" },
		{ take_no_time_to_forget,
		    "config_version: preempt, forget or" },
		{ take_config_term_of_component,
		    "config_version: preempt, forget or" },
		{ take_delay_of_none, "config_version: preempt, forget or" },
		{ take_wildcard_of_another,
		    "nodes[1].address: \"0.0.0.0:7421\" stands for all" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *faults = faults_of(rows[i].change);

		if (strstr(faults, rows[i].said) != faults)
			fail_msg("'%s' is not '%s'", faults, rows[i].said);
		assert_int_equal(faults[0] == '\0', i == 0);
	}
}

/* Such a diameter suits any others. */
TEST(node_that_knows_no_others_knows_no_least_diameter)
{
	struct sample s = sample_new();
	struct config_work *work = malloc(sizeof(*work));

	s.config.algorithm = &algorithm_floodmax;
	s.config.choices.diameter = 1;
	said[0] = '\0';
	assert_false(
	    config_check_whole(&s.config, work, note_fault, &s.config));
	assert_non_null(strstr(said, "topology.diameter: 1 is too small"));
	s.config.neighbours_only = true;
	assert_true(config_check_whole(&s.config, work, note_fault, &s.config));
	free(work);
	free(s.memory);
}
