/* SPDX-License-Identifier: ISC */
/* What the files say that hosts have: a configuration, roles, algorithms,
 * and which nodes are peers of each other. */
#include "tests/model/world/world.h"

#include "algorithms/registry.h"
#include "common/config/config_encode.h"

#include <limits.h>
#include <string.h>

/* Computes FNV-1a of the file, twice. */
struct config_id
world_file_identify(const struct world_file *file)
{
	struct config_id e = {
		.config_term = file->config_term,
		.config_version = file->config_version,
	};
	const uint8_t *bytes = (const uint8_t *)file;
	uint64_t print = UINT64_C(0xcbf29ce484222325);

	if (file->document != NULL)
		return config_identify(&file->document->config);
	for (size_t i = 0; i < WORLD_FILE_BYTES; i++)
		print = (print ^ bytes[i]) * UINT64_C(0x100000001b3);
	memcpy(e.digest, &print, sizeof(print));
	memcpy(e.digest + sizeof(print), &print, sizeof(print));
	return e;
}

_Static_assert(WORLD_FILE_BYTES ==
		   4 * (6 + WORLD_NODES_MAX + 1) + 8 + 2 * sizeof(nsec_t) + 4,
    "padding would be part of the document");

static bool
is_quorum(const struct world *w)
{
	return w->setup.guarantee == GUARANTEE_QUORUM;
}

/* The role of a member. A node that is no member has none. */
enum role
world_role_in(const struct world *w, const struct world_file *file, node_id id)
{
	const struct config_node *node;
	unsigned bit;

	if (!w->files.is_on)
		return w->processes[id].role;
	if (file->document != NULL) {
		node = config_find(&file->document->config, id);
		return node != NULL ? node->role : ROLE_OBSERVER;
	}
	bit = file->members & 1u << id;
	if (is_quorum(w) && !(file->voters & bit))
		return ROLE_OBSERVER;
	if (file->candidates & bit)
		return ROLE_CANDIDATE;
	return is_quorum(w) ? ROLE_VOTER : ROLE_OBSERVER;
}

enum role
world_role(const struct world *w, const struct process *p, node_id id)
{
	return world_role_in(w, &p->configs.file, id);
}

const struct algorithm *
world_algorithm(const struct world *w, unsigned number)
{
	return number == 0 ? w->setup.algorithm : algorithms[number - 1];
}

nsec_t
world_longest_lease(const struct world *w)
{
	return w->files.is_on ? WORLD_LEASES * w->setup.lease : w->setup.lease;
}

bool
world_has_ring(const struct world *w)
{
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (w->processes[id].configs.file.topology == TOPOLOGY_RING)
			return true;
	}
	return false;
}

struct config_id
configs_kept_id(const struct world *w, const struct process *p)
{
	return w->files.is_on ? world_file_identify(&p->configs.kept)
			      : p->configs.config_id;
}

enum role
configs_role_kept(const struct world *w, const struct process *p)
{
	return world_role_in(w, &p->configs.kept, p->id);
}

bool
world_names(const struct world_file *file, node_id id)
{
	if (file->document != NULL)
		return config_find(&file->document->config, id) != NULL;
	return file->members >> id & 1;
}

int32_t
world_priority_in(const struct world_file *file, node_id id)
{
	const struct config_node *node;

	if (file->document == NULL)
		return file->priorities[id];
	node = config_find(&file->document->config, id);
	return node != NULL ? node->priority : 0;
}

bool
world_know(const struct world *w, node_id a, node_id b)
{
	return world_names(&w->processes[a].configs.file, b) &&
	       world_names(&w->processes[b].configs.file, a);
}

/* As a bit set. */
static unsigned
peers_of(const struct process *p)
{
	return p->configs.file.members & ~(1u << p->id);
}

unsigned
world_peers_count(const struct process *p)
{
	const struct document *d = p->configs.file.document;

	if (d != NULL)
		return (unsigned)d->config.nodes_count -
		       world_names(&p->configs.file, p->id);
	return (unsigned)__builtin_popcount(peers_of(p));
}

/* The index of a node in the document; UINT_MAX: it is not there. */
static unsigned
index_of(const struct document *d, node_id id)
{
	const struct config_node *node = config_find(&d->config, id);

	return node != NULL ? (unsigned)(node - d->config.nodes) : UINT_MAX;
}

/* Peers are all other ids of the file, ascending. */
unsigned
world_peer_of(const struct process *p, node_id id)
{
	const struct document *d = p->configs.file.document;
	unsigned peers;

	if (id == NODE_NONE || id == p->id ||
	    !world_names(&p->configs.file, id))
		return PEER_NONE;
	if (d != NULL)
		return index_of(d, id) - (index_of(d, id) > index_of(d, p->id));
	peers = peers_of(p);
	return (unsigned)__builtin_popcount(peers & ((1u << id) - 1));
}

node_id
world_id_of(const struct process *p, unsigned peer)
{
	const struct document *d = p->configs.file.document;
	unsigned peers;

	if (d != NULL)
		return d->config.nodes[peer + (index_of(d, p->id) <= peer)].id;
	peers = peers_of(p);
	for (; peer > 0; peer--)
		peers &= peers - 1;
	assert(peers != 0);
	return (node_id)__builtin_ctz(peers);
}
