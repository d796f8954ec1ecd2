/* SPDX-License-Identifier: ISC */
/* An operator writes later files. */
#include "tests/model/world/drive/drive.h"

#include <inttypes.h>

/* Shorter times than those of the setup, within which the world's bounds
 * hold. */
#define HEARTBEAT_SHORT (10 * MSEC)
#define MISSES_LOSSY    3 /* with fewer, one lost datagram may end a session */

static bool
is_quorum(const struct world *w)
{
	return w->setup.guarantee == GUARANTEE_QUORUM;
}

static bool
may_be(const struct world *w, enum topology topology)
{
	bool is_whole = w->setup.topology == TOPOLOGY_FULL ||
			w->setup.topology == TOPOLOGY_RING;

	if (topology == TOPOLOGY_FULL || topology == TOPOLOGY_RING)
		return is_whole;
	return topology == w->setup.topology;
}

bool
world_edit_algorithm(
    const struct world *w, struct world_file *file, unsigned number)
{
	const struct algorithm *a = world_algorithm(w, number);
	enum topology topology = a->topology;

	/* An algorithm for any graph keeps the topology of the file. */
	if (topology == TOPOLOGY_GRAPH)
		topology = (enum topology)file->topology;
	if (!may_be(w, topology))
		return false;
	file->algorithm = (uint16_t)number;
	file->variant = 0;
	file->topology = (uint8_t)topology;
	return true;
}

/* Draws another algorithm, perhaps with another topology. */
static void
edit_algorithm(const struct world *w, struct world_file *file, uint64_t draw)
{
	unsigned count = 0;

	/* Where any node may win, nodes must not preempt. */
	if (w->setup.choices.any_leader)
		return;
	while (world_algorithm(w, count) != NULL)
		count++;
	world_edit_algorithm(w, file, (unsigned)(draw % count));
}

void
world_edit(struct world *w, const struct world_file *file)
{
	uint32_t config_version = w->files.newest.config_version + 1;

	w->files.newest = *file;
	w->files.newest.config_term = 0;
	w->files.newest.config_version = config_version;
	world_note(w, "edit: config version %" PRIu32 ", members %#" PRIx32,
	    config_version, file->members);
}

/* The file from which an operator goes on: mostly what is in effect somewhere,
 * the newest of that, or that of a host. Under quorum others are mostly
 * refused. */
static struct world_file
base_of(const struct world *w, process_name name, uint64_t draw)
{
	const struct process *best = &w->processes[1];

	if (name != 0)
		return w->processes[name].configs.file;
	if (!is_quorum(w) || draw % 4 == 0)
		return w->files.newest;
	for (node_id id = 2; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		if (config_id_compare(
			&p->configs.config_id, &best->configs.config_id) > 0)
			best = p;
	}
	return best->configs.file;
}

static void
edit_file(struct world *w, process_name name, uint64_t draw)
{
	struct world_file file = base_of(w, name, draw / 8192);
	node_id id = 1 + (node_id)(draw / 9 % w->setup.nodes);
	unsigned without = file.members & ~(1u << id);

	switch (draw % (is_quorum(w) ? 10 : 9)) {
	case 0:
	case 1:
	case 2:
	case 3:
		/* Elsewhere neighbours would have to be drawn anew. */
		if (!may_be(w, TOPOLOGY_FULL) || without == 0)
			return;
		file.members ^= 1u << id;
		file.voters |= 1u << id;
		break;
	case 4:
		file.heartbeat = w->setup.heartbeat / (1 + draw / 9 % 4);
		if (file.heartbeat < HEARTBEAT_SHORT)
			file.heartbeat = w->setup.heartbeat;
		break;
	case 5:
		file.misses = w->setup.misses;
		if (file.misses > MISSES_LOSSY && draw / 9 % 2 == 0)
			file.misses = MISSES_LOSSY;
		break;
	case 6:
		file.candidates ^= 1u << id;
		break;
	case 7:
		edit_algorithm(w, &file, draw / 9);
		break;
	case 8:
		file.priorities[id] = (int32_t)(draw / 900 % 3);
		break;
	default:
		file.lease = w->setup.lease * (1 + draw / 10 % WORLD_LEASES);
		break;
	}
	world_edit(w, &file);
}

/* With discovery the next file lists the same nodes, and has other times. */
static void
edit_document(struct world *w, uint64_t draw)
{
	struct config *c =
	    documents_draft(&w->files.newest.document->config, 0);

	c->config_version++;
	c->revision = 0;
	c->timing.heartbeat = w->setup.heartbeat / (1 + draw % 4);
	if (c->timing.heartbeat < HEARTBEAT_SHORT)
		c->timing.heartbeat = w->setup.heartbeat;
	w->files.newest = documents_file(w, c);
	world_note(
	    w, "edit: config version %" PRIu32, w->files.newest.config_version);
}

void
world_edit_any(struct world *w, process_name name, uint64_t draw)
{
	if (w->discovery.is_on)
		edit_document(w, draw);
	else
		edit_file(w, name, draw);
}
