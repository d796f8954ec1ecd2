/* SPDX-License-Identifier: ISC */
#include "daemon/electd/change/node_setup.h"

#include <stdlib.h>

#include <sodium.h>

#include "common/config/config_encode.h"
#include "common/wire/seal.h"
#include "daemon/config/settings_document.h"
#include "daemon/system/clock.h"
#include "daemon/system/log.h"
#include "daemon/system/release.h"
#include "daemon/system/rights/key.h"

/* The node's setup and the arrays that it points to, in one allocation. */
struct setup {
	struct node_setup node; /* first: node_setup_free() frees it all */
	struct peer_setup peers[NODES_MAX];
	unsigned right[NODES_MAX];
	unsigned left[NODES_MAX];
};

static void
setup_peers(struct setup *setup, const struct settings *s, node_id self)
{
	unsigned count = 0;

	for (size_t i = 0; i < s->shared.nodes_count; i++) {
		const struct config_node *n = &s->shared.nodes[i];

		if (n->id == self)
			continue;
		setup->peers[count++] = (struct peer_setup){
			.id = n->id,
			.priority = n->priority,
			.role = n->role,
			.is_configured = !n->is_discovered,
			.is_remote = s->shared.topology != TOPOLOGY_RING &&
				     !settings_linked(s, self, n->id),
		};
	}
	setup->node.peers = setup->peers;
	setup->node.peers_count = count;
}

/* Converts ids to peer numbers. Returns how many there are. */
static unsigned
setup_side(const struct setup *setup, const node_id *ids, size_t ids_count,
    unsigned *side)
{
	unsigned count = 0;

	for (size_t i = 0; i < ids_count; i++) {
		for (unsigned j = 0; j < setup->node.peers_count; j++) {
			if (setup->peers[j].id == ids[i])
				side[count++] = j;
		}
	}
	return count;
}

static void
setup_ring(struct setup *setup, const struct settings *s, node_id self)
{
	struct settings_sides sides;

	if (!settings_ring(s, self, &sides))
		return;
	setup->node.ring.right = setup->right;
	setup->node.ring.right_count =
	    setup_side(setup, sides.right, sides.right_count, setup->right);
	setup->node.ring.left = setup->left;
	setup->node.ring.left_count =
	    setup_side(setup, sides.left, sides.left_count, setup->left);
}

/* Nodes tell keys apart by their ids. */
static bool
keys_differ(
    const struct settings *s, const struct setup_keys *keys, FILE *errors)
{
	bool is_same = sodium_memcmp(keys->first, keys->second, KEY_BYTES) == 0;

	if (seal_key_id(keys->first) != seal_key_id(keys->second))
		return true;
	fprintf(errors,
	    is_same
		? "%s: holds the same key as %s; remove old_key_file\n"
		: "%s: happens to have the same short id as %s, so nobody could tell the two apart; replace the newer one by another that electctl keygen makes\n",
	    s->old_key_file, s->key_file);
	return false;
}

bool
node_setup_keys(const struct settings *s, struct setup_keys *keys, FILE *errors)
{
	bool is_right = key_read(s->key_file, keys->first, errors);

	keys->has_second = s->old_key_file[0] != '\0';
	if (!keys->has_second)
		return is_right;
	is_right &= key_read(s->old_key_file, keys->second, errors);
	return is_right && keys_differ(s, keys, errors);
}

struct node_setup *
node_setup_new(const struct settings *s, node_id self)
{
	const struct config_node *own = config_find(&s->shared, self);
	struct setup *setup = calloc(1, sizeof(*setup));

	if (setup == NULL) {
		log_errorx("out of memory: no memory for the node's setup");
		return NULL;
	}
	setup->node = (struct node_setup){
		.self = self,
		.priority = own != NULL ? own->priority : 0,
		.role = own != NULL ? own->role : ROLE_OBSERVER,
		.topology = s->shared.topology,
		.algorithm = s->shared.algorithm,
		.choices = s->shared.choices,
		.prefer = s->shared.prefer,
		.preempt = s->shared.preempt,
		.preempt_after = s->shared.preempt_after,
		.timing.heartbeat = s->shared.timing.heartbeat,
		.timing.misses = s->shared.timing.misses,
		.timing.startup = s->shared.timing.startup,
		.guarantee = s->shared.guarantee,
		.timing.lease = s->shared.timing.lease,
		.config_id = config_identify(&s->shared),
		.cluster = s->shared.cluster,
		.events_max = EVENTS_MAX,
		.trace = log_level() >= LOG_LEVEL_TRACE,
		.versions = PACKET_VERSIONS,
		.release = release_read(ELECTD_VERSION),
		.epoch = (int64_t)clock_epoch(),
		.has_group = s->discovery.group[0] != '\0',
		.discovery = {
			.is_on = s->shared.discovers,
			.forget = s->shared.forget,
			.has_addresses = s->discovery.join_count > 0,
		},
	};
	snprintf(setup->node.discovery.name, sizeof(setup->node.discovery.name),
	    "%s", own != NULL ? own->name : "-");
	setup_peers(setup, s, self);
	setup_ring(setup, s, self);
	randombytes_buf(setup->node.entropy, sizeof(setup->node.entropy));
	return &setup->node;
}

struct node_setup *
node_setup_whole(
    const struct settings *settings, node_id self, uint8_t **document)
{
	struct node_setup *setup = node_setup_new(settings, self);

	*document = NULL;
	if (setup == NULL || !config_has_document(&settings->shared))
		return setup;
	*document = settings_document(settings, &setup->document_size);
	setup->document = *document;
	if (*document != NULL)
		return setup;
	log_errorx("out of memory: no memory for the settings");
	node_setup_free(setup);
	return NULL;
}

void
node_setup_free(struct node_setup *setup)
{
	if (setup == NULL)
		return;
	sodium_memzero(setup, sizeof(struct setup));
	free(setup);
}
