/* SPDX-License-Identifier: ISC */
/* The digest of the cluster-wide settings, which all nodes must share. */
#include "daemon/config/settings.h"

#include <sodium.h>
#include <string.h>

#include "common/util/bytes.h"

/*
 * Each value has a fixed place and width, and a length precedes each text and
 * list, so that no two configurations have the same encoding.
 */
#define HEAD_BYTES 256 /* fits all but the lists; most of it are names */
#define NODE_BYTES 9   /* id, priority, role */

static void
digest_id(crypto_generichash_state *state, uint32_t number)
{
	uint8_t bytes[sizeof(number)];
	struct writer w = writer_of(bytes, sizeof(bytes));

	write_u32(&w, number);
	assert(!w.failed);
	crypto_generichash_update(state, bytes, w.size);
}

static void
digest_nodes(const struct settings *settings, crypto_generichash_state *state)
{
	uint8_t bytes[NODE_BYTES];

	digest_id(state, (uint32_t)settings->nodes_count);
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];
		struct writer w = writer_of(bytes, sizeof(bytes));

		write_u32(&w, node->id);
		write_u32(&w, (uint32_t)node->priority);
		write_u8(&w, (uint8_t)node->role);
		assert(!w.failed);
		crypto_generichash_update(state, bytes, w.size);
	}
}

/* A ring has no first node, so this begins with the smallest id. */
static void
digest_order(const struct settings *settings, crypto_generichash_state *state)
{
	const node_id *order = settings->ring.order;
	size_t count = settings->ring.order_count;
	size_t first = 0;

	digest_id(state, (uint32_t)count);
	for (size_t i = 1; i < count; i++) {
		if (order[i] < order[first])
			first = i;
	}
	for (size_t i = 0; i < count; i++)
		digest_id(state, order[(first + i) % count]);
}

static void
digest_links(const struct settings *settings, crypto_generichash_state *state)
{
	digest_id(state, (uint32_t)settings->links_count);
	for (size_t i = 0; i < settings->links_count; i++) {
		digest_id(state, settings->links[i].a);
		digest_id(state, settings->links[i].b);
	}
}

static void
digest_choices(const struct choices *choices, struct writer *w)
{
	write_u32(w, choices->diameter);
	write_u8(w, choices->variant);
	write_u8(w, choices->starters_only);
	write_u8(w, choices->no_wakeup);
	write_u8(w, choices->any_leader);
}

static void
digest_head(const struct settings *settings, crypto_generichash_state *state)
{
	const char *algorithm = settings->algorithm->name;
	bool delayed = settings->preempt == PREEMPT_AFTER;
	uint8_t bytes[HEAD_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	write_u8(&w, (uint8_t)strlen(settings->cluster));
	write_bytes(&w, settings->cluster, strlen(settings->cluster));
	write_u8(&w, (uint8_t)settings->guarantee);
	write_u8(&w, (uint8_t)strlen(algorithm));
	write_bytes(&w, algorithm, strlen(algorithm));
	digest_choices(&settings->choices, &w);
	write_u8(&w, (uint8_t)settings->prefer);
	write_u8(&w, (uint8_t)settings->preempt);
	write_u64(&w, delayed ? settings->preempt_after : 0);
	write_u8(&w, (uint8_t)settings->topology);
	write_u64(&w, settings->timing.heartbeat);
	write_u32(&w, settings->timing.misses);
	write_u64(&w, settings->timing.lease);
	write_u64(&w, settings->timing.startup);
	write_u32(&w, settings->generation);
	write_u64(&w, settings->stamp);
	assert(!w.failed);
	crypto_generichash_update(state, bytes, w.size);
}

static void
digest_discovery(
    const struct settings *settings, crypto_generichash_state *state)
{
	bool is_quorum = settings->guarantee == GUARANTEE_QUORUM;
	uint8_t bytes[16];
	struct writer w = writer_of(bytes, sizeof(bytes));

	write_u32(&w, settings->base_generation);
	write_u64(&w, settings->discovery.forget);
	write_u32(&w, settings->degree);
	assert(!w.failed);
	crypto_generichash_update(state, bytes, w.size);
	/* Under component all are. Then two nodes may each write down, at once
	 * and in one generation, where the others are: if they differ, one of
	 * these lists has to give way. */
	for (size_t i = 0; i < settings->nodes_count; i++) {
		const struct node_settings *node = &settings->nodes[i];

		if (is_quorum)
			digest_id(state, node->is_discovered);
		else
			crypto_generichash_update(state,
			    (const uint8_t *)node->address,
			    strlen(node->address) + 1);
	}
}

void
settings_digest(const struct settings *settings, uint8_t digest[SALT_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, SALT_BYTES);
	digest_head(settings, &state);
	if (!settings->neighbours_only || settings->topology == TOPOLOGY_FULL) {
		digest_nodes(settings, &state);
		digest_order(settings, &state);
		digest_links(settings, &state);
	}
	if (settings->discovery.is_on)
		digest_discovery(settings, &state);
	crypto_generichash_final(&state, digest, SALT_BYTES);
}

struct edition
settings_edition(const struct settings *settings)
{
	struct edition e = {
		.stamp = settings->stamp,
		.generation = settings->generation,
	};

	settings_digest(settings, e.digest);
	return e;
}
