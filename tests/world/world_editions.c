/* SPDX-License-Identifier: ISC */
/*
 * Roll-outs: an operator writes later files, and hosts get them one after
 * another, in any order, perhaps never. A file is the document of its edition.
 */
#include "tests/world/world_process.h"
#include "tests/world/world_shape.h"

#include "algorithms/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Shorter times than those of the setup, within which the world's bounds
 * hold. */
#define HEARTBEAT_MIN (10 * MSEC)
#define MISSES_LOSSY  3 /* with fewer, one lost datagram may end a session */

/* Computes FNV-1a of the file, twice. */
static struct edition
edition_of(const struct world_file *file)
{
	struct edition e = { .generation = file->generation };
	const uint8_t *bytes = (const uint8_t *)file;
	uint64_t print = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*file); i++)
		print = (print ^ bytes[i]) * UINT64_C(0x100000001b3);
	memcpy(e.digest, &print, sizeof(print));
	memcpy(e.digest + sizeof(print), &print, sizeof(print));
	return e;
}

_Static_assert(
    sizeof(struct world_file) == 4 * (5 + WORLD_NODES_MAX + 1) + sizeof(nsec_t),
    "padding would be part of the document");

enum role
world_file_role(const struct world_file *file, node_id id)
{
	return file->members & file->candidates & 1u << id ? ROLE_CANDIDATE
							   : ROLE_OBSERVER;
}

const struct algorithm *
world_algorithm(const struct world *w, unsigned number)
{
	return number == 0 ? w->setup.algorithm : algorithms[number - 1];
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

	/* Such an algorithm needs no topology of its own. */
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

bool
world_has_ring(const struct world *w)
{
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		if (w->processes[id].file.topology == TOPOLOGY_RING)
			return true;
	}
	return false;
}

/* The process uses this file from now on. */
static void
put(struct world *w, struct process *p, const struct world_file *file)
{
	p->file = *file;
	p->edition = edition_of(file);
	p->priority = file->priorities[p->id];
	p->role = world_file_role(file, p->id);
	world_disturb(w);
}

void
world_exchange(struct world *w)
{
	assert(w->setup.guarantee == GUARANTEE_COMPONENT);
	w->exchanges = true;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		w->file.priorities[id] = p->priority;
		if (p->role == ROLE_CANDIDATE)
			w->file.candidates |= 1u << id;
	}
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		w->processes[id].host_file = w->file;
		put(w, &w->processes[id], &w->file);
	}
}

void
world_edit(struct world *w, const struct world_file *file)
{
	uint32_t generation = w->file.generation + 1;

	w->file = *file;
	w->file.generation = generation;
	world_note(w, "edit: generation %" PRIu32 ", members %#" PRIx32,
	    generation, file->members);
}

void
world_edit_any(struct world *w, uint64_t draw)
{
	struct world_file file = w->file;
	node_id id = 1 + (node_id)(draw / 9 % w->setup.nodes);
	unsigned without = file.members & ~(1u << id);

	switch (draw % 9) {
	case 0:
	case 1:
	case 2:
	case 3:
		/* Elsewhere neighbours would have to be drawn anew. */
		if (!may_be(w, TOPOLOGY_FULL) || without == 0)
			return;
		file.members ^= 1u << id;
		break;
	case 4:
		file.heartbeat = w->setup.heartbeat / (1 + draw / 9 % 4);
		if (file.heartbeat < HEARTBEAT_MIN)
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
	default:
		file.priorities[id] = (int32_t)(draw / 900 % 3);
		break;
	}
	world_edit(w, &file);
}

/* Makes the running process's node anew, after it has told those that the file
 * does not name. */
static void
change(struct world *w, process_name name, const struct world_file *file)
{
	struct process *p = &w->processes[name], next = *p;
	nsec_t now = clock_local(p, w->now);
	struct node_setup setup;
	struct world_peers peers;
	void *memory;
	struct node *node;

	put(w, &next, file);
	world_configure(w, &next, &setup, &peers);
	memory = calloc(1, node_change_size(p->node, &setup));
	assert(memory != NULL);
	tap_listen(w, name);
	node_announce(p->node, now, &setup);
	process_drain(w, name);
	put(w, p, file);
	setup.document = (const uint8_t *)&p->file;
	tap_listen(w, name);
	node = node_change(memory, p->node, &setup, now);
	free(p->node);
	p->node = node;
	world_note(w, "%u has generation %" PRIu32, name, file->generation);
}

/* True if the host's file is to be used. One without its own node is wrong. */
static bool
is_later(const struct process *p)
{
	return p->host_file.generation > p->file.generation &&
	       (p->host_file.members >> p->id & 1);
}

void
world_reload(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(w->exchanges);
	p->host_file = w->file;
	world_note(w, "reload %u", name);
	world_disturb(w);
	if (!world_runs(w, name) || p->paused || p->stops || !is_later(p))
		return;
	change(w, name, &p->host_file);
	process_act(w, name);
}

void
editions_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	p->is_whole = false;
	if (w->exchanges && is_later(p))
		put(w, p, &p->host_file);
}

void
editions_take(struct world *w, process_name name, const struct action *action)
{
	struct process *p = &w->processes[name];

	assert(action->total == sizeof(p->taken));
	assert(action->offset + action->size <= sizeof(p->taken));
	memcpy((uint8_t *)&p->taken + action->offset, action->datagram,
	    action->size);
	p->is_whole = action->offset + action->size == action->total;
}

bool
editions_put(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct edition edition = edition_of(&p->taken);

	if (!p->is_whole || p->stops)
		return false;
	p->is_whole = false;
	if (edition_compare(&edition, &p->edition) <= 0)
		return false;
	if (p->taken.members >> p->id & 1)
		change(w, name, &p->taken);
	else
		node_refuse(p->node, clock_local(p, w->now), &edition);
	return true;
}

/* True if b is a peer of a, by the file of a. */
static bool
names(const struct world *w, node_id a, node_id b)
{
	return w->processes[a].file.members >> b & 1;
}

bool
world_know(const struct world *w, node_id a, node_id b)
{
	return names(w, a, b) && names(w, b, a);
}

/* True if datagrams pass between the hosts of two nodes that run. */
static bool
is_wired(const struct world *w, node_id a, node_id b)
{
	return world_voice(w, a) != 0 && world_voice(w, b) != 0 &&
	       !w->wires[a][b].cut && !w->wires[b][a].cut;
}

bool
world_is_named(const struct world *w, node_id id)
{
	const struct process *p = &w->processes[id];
	unsigned earlier = 0, ours = 1;

	if (!names(w, id, id))
		return false;
	for (node_id other = 1; other <= w->setup.nodes; other++) {
		int order =
		    edition_compare(&w->processes[other].edition, &p->edition);

		if (other == id || !is_wired(w, id, other))
			continue;
		if (world_know(w, id, other))
			ours += order == 0;
		else if (order > 0 && names(w, id, other))
			return false;
		else
			earlier += names(w, id, other);
	}
	return earlier == 0 || earlier < ours;
}
