/* SPDX-License-Identifier: ISC */
#include "common/config/config_rows.h"

#include <string.h>

#include "common/config/config_value.h"

#define AT(member)      .at = offsetof(struct config, member)
#define AT_NODE(member) .at = offsetof(struct config_node, member)
#define AT_LINK(member) .at = offsetof(struct config_link, member)
#define LIST(count, what, entry)                                               \
	.count_at = offsetof(struct config, count), .rows = (what),            \
	.size = sizeof(entry), .is_apart = true
#define NAME           .fault = name_fault, .size = NAME_MAX_BYTES
#define NSEC(duration) ((int64_t)(duration))

_Static_assert(sizeof(enum role) == sizeof(unsigned), "an enum is read as one");

const struct config_row config_node_rows[] = {
	{ "id", CONFIG_NUMBER, AT_NODE(id), .low = 1, .high = NODE_ID_MAX,
	    .required = "give each node its own number" },
	{ "name", CONFIG_TEXT, AT_NODE(name), CHANGE_NOW, NAME,
	    .is_undigested = true },
	{ "address", CONFIG_ADDRESS, AT_NODE(address), CHANGE_NOW,
	    .size = ADDRESS_MAX_BYTES,
	    .required = "give it as in \"192.0.2.11:7420\"",
	    .is_undigested = true },
	{ "priority", CONFIG_INT32, AT_NODE(priority), CHANGE_CLUSTER,
	    .low = INT32_MIN, .high = INT32_MAX, .initial = "0" },
	{ "role", CONFIG_WORD, AT_NODE(role), CHANGE_CLUSTER,
	    .words = role_words, .initial = "candidate" },
	{ "who lists", CONFIG_TRUTH, AT_NODE(is_discovered), CHANGE_CLUSTER,
	    .is_hidden = true },
	{ 0 },
};

static const struct config_row id_rows[] = {
	{ "id", CONFIG_NUMBER, .low = 1, .high = NODE_ID_MAX },
	{ 0 },
};

static const struct config_row link_rows[] = {
	{ "a", CONFIG_NUMBER, AT_LINK(a), .low = 1, .high = NODE_ID_MAX },
	{ "b", CONFIG_NUMBER, AT_LINK(b), .low = 1, .high = NODE_ID_MAX },
	{ 0 },
};

const struct config_row config_rows[] = {
	{ "cluster", CONFIG_TEXT, AT(cluster), CHANGE_IDENTITY, NAME,
	    .required =
		"give a name that no other cluster on this network has" },
	{ "guarantee", CONFIG_WORD, AT(guarantee), CHANGE_IDENTITY,
	    .words = guarantee_words,
	    .required = "choose \"component\" or \"quorum\"" },
	{ "algorithm", CONFIG_ALGORITHM, AT(algorithm), CHANGE_CLUSTER,
	    .initial = "bully" },
	{ "prefer", CONFIG_WORD, AT(prefer), CHANGE_CLUSTER,
	    .words = prefer_words, .initial = "highest" },
	{ "preempt", CONFIG_PREEMPT, AT(preempt), CHANGE_CLUSTER,
	    .words = preempt_words, .initial = "always" },
	{ "preempt", CONFIG_LONG, AT(preempt_after), CHANGE_CLUSTER,
	    .high = NSEC(PREEMPT_MAX), .is_hidden = true },
	{ "nodes", CONFIG_SECTIONS, AT(nodes), CHANGE_CLUSTER,
	    LIST(nodes_count, config_node_rows, struct config_node),
	    .most = NODES_MAX },
	{ "topology", .kind = CONFIG_GROUP },
	{ "topology.kind", CONFIG_WORD, AT(topology), CHANGE_CLUSTER,
	    .words = topology_words },
	{ "topology.order", CONFIG_VALUES, AT(order), CHANGE_CLUSTER,
	    LIST(order_count, id_rows, node_id), .most = NODES_MAX,
	    .needs_same_kind = true },
	{ "topology.links", CONFIG_PAIRS, AT(links), CHANGE_CLUSTER,
	    LIST(links_count, link_rows, struct config_link),
	    .needs_same_kind = true },
	{ "topology.degree", CONFIG_NUMBER, AT(degree), CHANGE_CLUSTER,
	    .low = DEGREE_MIN, .high = DEGREE_MAX, .initial = "8",
	    .is_optional = true, .needs_same_kind = true },
	{ "topology.diameter", CONFIG_NUMBER, AT(choices.diameter),
	    CHANGE_CLUSTER, .high = DIAMETER_MAX, .choice = CHOICE_DIAMETER },
	{ "*", .kind = CONFIG_GROUP },
	{ "*.variant", CONFIG_BYTE, AT(choices.variant), CHANGE_CLUSTER,
	    .high = VARIANTS_MAX - 1, .choice = CHOICE_VARIANT },
	{ "*.join", CONFIG_TRUTH, AT(choices.starters_only), CHANGE_CLUSTER,
	    .choice = CHOICE_JOIN, .is_negated = true },
	{ "*.wakeup", CONFIG_TRUTH, AT(choices.no_wakeup), CHANGE_CLUSTER,
	    .choice = CHOICE_WAKEUP, .is_negated = true },
	{ "*.announce", CONFIG_BYTE, AT(choices.any_leader), CHANGE_CLUSTER,
	    .words = announce_words, .choice = CHOICE_ANNOUNCE },
	{ "timing", .kind = CONFIG_GROUP },
	{ "timing.heartbeat", CONFIG_DURATION, AT(timing.heartbeat),
	    CHANGE_CLUSTER, .low = NSEC(HEARTBEAT_MIN),
	    .high = NSEC(HEARTBEAT_MAX), .initial = "100ms" },
	{ "timing.misses", CONFIG_NUMBER, AT(timing.misses), CHANGE_CLUSTER,
	    .low = 1, .high = MISSES_MAX, .initial = "3" },
	{ "timing.lease", CONFIG_DURATION, AT(timing.lease), CHANGE_CLUSTER,
	    .low = NSEC(LEASE_MIN), .high = NSEC(LEASE_MAX) },
	{ "timing.startup", CONFIG_DURATION, AT(timing.startup), CHANGE_CLUSTER,
	    .high = NSEC(STARTUP_MAX), .initial = "1s" },
	{ "config_version", CONFIG_NUMBER, AT(config_version), CHANGE_CLUSTER,
	    .high = CONFIG_VERSION_MAX, .initial = "0" },
	{ "config_term", CONFIG_LONG, AT(config_term),
	    .high = (int64_t)TERM_MAX, .is_hidden = true, .is_counted = true },
	{ "discovery", CONFIG_TRUTH, AT(discovers), CHANGE_CLUSTER,
	    .is_optional = true },
	{ "timing.forget", CONFIG_DURATION, AT(forget), CHANGE_CLUSTER,
	    .low = NSEC(FORGET_MIN), .high = NSEC(FORGET_MAX), .initial = "1h",
	    .is_optional = true },
	{ "revision", CONFIG_NUMBER, AT(revision), .high = REVISION_MAX,
	    .is_hidden = true, .is_counted = true },
	{ 0 },
};

const size_t config_rows_count =
    sizeof(config_rows) / sizeof(config_rows[0]) - 1;

/* Bytes that a value has in its struct; 0: it is none of one number. */
static const uint8_t stored[] = {
	[CONFIG_COMMAND] = 0, /* the last */
	[CONFIG_BYTE] = sizeof(uint8_t),
	[CONFIG_TRUTH] = sizeof(bool),
	[CONFIG_WORD] = sizeof(unsigned),
	[CONFIG_PREEMPT] = sizeof(unsigned),
	[CONFIG_INT32] = sizeof(int32_t),
	[CONFIG_NUMBER] = sizeof(uint32_t),
	[CONFIG_LONG] = sizeof(uint64_t),
	[CONFIG_DURATION] = sizeof(nsec_t),
};

size_t
config_bytes(const struct config_row *row)
{
	return stored[row->kind];
}

int64_t
config_value(const struct config_row *row, const void *of)
{
	const char *at = (const char *)of + row->at;
	uint8_t byte;
	uint32_t number;
	int64_t value;

	switch (stored[row->kind]) {
	case sizeof(byte):
		memcpy(&byte, at, sizeof(byte));
		return byte;
	case sizeof(number):
		memcpy(&number, at, sizeof(number));
		return row->kind == CONFIG_INT32 ? (int64_t)(int32_t)number
						 : (int64_t)number;
	default:
		assert(stored[row->kind] == sizeof(value));
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

void
config_set(const struct config_row *row, void *of, int64_t value)
{
	char *at = (char *)of + row->at;
	uint32_t number = (uint32_t)value;
	uint8_t byte = (uint8_t)value;

	assert(config_bytes(row) > 0);
	if (row->kind == CONFIG_TRUTH)
		byte = value != 0;
	if (stored[row->kind] == sizeof(byte))
		memcpy(at, &byte, sizeof(byte));
	else if (stored[row->kind] == sizeof(number))
		memcpy(at, &number, sizeof(number));
	else
		memcpy(at, &value, stored[row->kind]);
}

void *
config_entry(const struct config_row *row, const void *of, size_t i)
{
	uintptr_t list = (uintptr_t)of + row->at;

	if (row->is_apart)
		memcpy(&list, (const char *)of + row->at, sizeof(list));
	return (void *)(list + i * row->size);
}

size_t
config_count(const struct config_row *row, const void *of)
{
	size_t count = 0;

	if (row->count_at != 0)
		memcpy(&count, (const char *)of + row->count_at, sizeof(count));
	return count;
}

void
config_set_count(const struct config_row *row, void *of, size_t count)
{
	assert(row->count_at != 0);
	memcpy((char *)of + row->count_at, &count, sizeof(count));
}

bool
config_in_range(const struct config_row *row, int64_t value)
{
	int64_t words = 0;

	if (row->kind == CONFIG_TRUTH)
		return value == 0 || value == 1;
	if (row->words == NULL)
		return (value >= row->low && value <= row->high) ||
		       (value == 0 && row->is_optional);
	while (row->words[words] != NULL)
		words++;
	return value >= 0 && value < words;
}
