/* SPDX-License-Identifier: ISC */
#include "common/config/config_rows.h"

#define AT(member)      .at = offsetof(struct config, member)
#define AT_NODE(member) .at = offsetof(struct config_node, member)

#define OPTIONS "options of the algorithm"

_Static_assert(sizeof(enum role) == sizeof(unsigned), "an enum is read as one");

const struct config_row config_rows[] = {
	{ "cluster", CONFIG_NAME, AT(cluster), CHANGE_IDENTITY },
	{ "guarantee", CONFIG_WORD, AT(guarantee), CHANGE_IDENTITY,
	    .words = guarantee_words },
	{ "algorithm", CONFIG_ALGORITHM, AT(algorithm), CHANGE_CLUSTER },
	{ "prefer", CONFIG_WORD, AT(prefer), CHANGE_CLUSTER,
	    .words = prefer_words },
	{ "preempt", CONFIG_WORD, AT(preempt), CHANGE_CLUSTER,
	    .words = preempt_words },
	{ "preempt", CONFIG_LONG, AT(preempt_after), CHANGE_CLUSTER,
	    .high = PREEMPT_MAX },
	{ "nodes", CONFIG_NODES, .change = CHANGE_CLUSTER },
	{ "topology.kind", CONFIG_WORD, AT(topology), CHANGE_CLUSTER,
	    .words = topology_words },
	{ "topology.order", CONFIG_ORDER, .change = CHANGE_CLUSTER },
	{ "topology.links", CONFIG_LINKS, .change = CHANGE_CLUSTER },
	{ "topology.degree", CONFIG_NUMBER, AT(degree), CHANGE_CLUSTER,
	    .high = DEGREE_MAX, .needs_same_kind = true },
	{ "topology.diameter", CONFIG_NUMBER, AT(choices.diameter),
	    CHANGE_CLUSTER, .high = DIAMETER_MAX },
	{ OPTIONS, CONFIG_BYTE, AT(choices.variant), CHANGE_CLUSTER,
	    .high = VARIANTS_MAX - 1 },
	{ OPTIONS, CONFIG_TRUTH, AT(choices.starters_only), CHANGE_CLUSTER },
	{ OPTIONS, CONFIG_TRUTH, AT(choices.no_wakeup), CHANGE_CLUSTER },
	{ OPTIONS, CONFIG_TRUTH, AT(choices.any_leader), CHANGE_CLUSTER },
	{ "timing.heartbeat", CONFIG_LONG, AT(timing.heartbeat), CHANGE_CLUSTER,
	    .low = HEARTBEAT_MIN, .high = HEARTBEAT_MAX },
	{ "timing.misses", CONFIG_NUMBER, AT(timing.misses), CHANGE_CLUSTER,
	    .low = 1, .high = MISSES_MAX },
	{ "timing.lease", CONFIG_LONG, AT(timing.lease), CHANGE_CLUSTER,
	    .low = LEASE_MIN, .high = LEASE_MAX },
	{ "timing.startup", CONFIG_LONG, AT(timing.startup), CHANGE_CLUSTER,
	    .high = STARTUP_MAX },
	{ "generation", CONFIG_NUMBER, AT(generation), CHANGE_CLUSTER,
	    .high = GENERATION_MAX },
	{ "stamp", CONFIG_LONG, AT(stamp), .high = TERM_MAX,
	    .is_counted = true },
	{ "discovery", CONFIG_TRUTH, AT(discovers), CHANGE_CLUSTER },
	{ "timing.forget", CONFIG_LONG, AT(forget), CHANGE_CLUSTER,
	    .high = FORGET_MAX },
	{ "base generation", CONFIG_NUMBER, AT(base_generation),
	    .high = GENERATION_MAX, .is_counted = true },
	{ 0 },
};

const struct config_row config_node_rows[] = {
	{ "id", CONFIG_NUMBER, AT_NODE(id), .low = 1, .high = NODE_ID_MAX,
	    .is_digested = true },
	{ "name of ", CONFIG_NAME, AT_NODE(name), CHANGE_NOW },
	{ "address of ", CONFIG_ADDRESS, AT_NODE(address), CHANGE_NOW },
	{ "priority of ", CONFIG_INT32, AT_NODE(priority), CHANGE_CLUSTER,
	    .is_digested = true },
	{ "role of ", CONFIG_WORD, AT_NODE(role), CHANGE_CLUSTER,
	    .words = role_words, .is_digested = true },
	{ "who lists ", CONFIG_TRUTH, AT_NODE(is_discovered), CHANGE_CLUSTER,
	    .is_digested = true },
	{ 0 },
};

uint64_t
config_value(const struct config_row *row, const void *of)
{
	const void *at = (const char *)of + row->at;

	switch (row->kind) {
	case CONFIG_BYTE:
		return *(const uint8_t *)at;
	case CONFIG_TRUTH:
		return *(const bool *)at;
	case CONFIG_WORD:
	case CONFIG_INT32:
	case CONFIG_NUMBER:
		return *(const uint32_t *)at;
	case CONFIG_LONG:
		return *(const uint64_t *)at;
	case CONFIG_NAME:
	case CONFIG_ADDRESS:
	case CONFIG_ALGORITHM:
	case CONFIG_NODES:
	case CONFIG_ORDER:
	case CONFIG_LINKS:
		break;
	}
	assert(false);
	return 0;
}
