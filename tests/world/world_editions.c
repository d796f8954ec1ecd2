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
#define LEASE_TIMES   3 /* an edit makes a lease so many times as long */
#define MISSES_LOSSY  3 /* with fewer, one lost datagram may end a session */

/* Computes FNV-1a of the file, twice. */
static struct edition
edition_of(const struct world_file *file)
{
	struct edition e = {
		.stamp = file->stamp,
		.generation = file->generation,
	};
	const uint8_t *bytes = (const uint8_t *)file;
	uint64_t print = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*file); i++)
		print = (print ^ bytes[i]) * UINT64_C(0x100000001b3);
	memcpy(e.digest, &print, sizeof(print));
	memcpy(e.digest + sizeof(print), &print, sizeof(print));
	return e;
}

_Static_assert(sizeof(struct world_file) ==
		   4 * (6 + WORLD_NODES_MAX + 1) + 8 + 2 * sizeof(nsec_t) + 4,
    "padding would be part of the document");

static bool
is_quorum(const struct world *w)
{
	return w->setup.guarantee == GUARANTEE_QUORUM;
}

/* What is no member has no role. */
enum role
world_role_in(const struct world *w, const struct world_file *file, node_id id)
{
	unsigned bit = file->members & 1u << id;

	if (!w->exchanges)
		return w->processes[id].role;
	if (is_quorum(w) && !(file->voters & bit))
		return ROLE_OBSERVER;
	if (file->candidates & bit)
		return ROLE_CANDIDATE;
	return is_quorum(w) ? ROLE_VOTER : ROLE_OBSERVER;
}

enum role
world_role(const struct world *w, const struct process *p, node_id id)
{
	return world_role_in(w, &p->file, id);
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

nsec_t
world_longest_lease(const struct world *w)
{
	return w->exchanges ? LEASE_TIMES * w->setup.lease : w->setup.lease;
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
	p->role = world_role_in(w, file, p->id);
	world_disturb(w);
}

void
world_exchange(struct world *w)
{
	w->exchanges = true;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		w->file.priorities[id] = p->priority;
		if (p->role == ROLE_CANDIDATE)
			w->file.candidates |= 1u << id;
		if (p->role != ROLE_OBSERVER)
			w->file.voters |= 1u << id;
	}
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		w->processes[id].host_file = w->processes[id].kept = w->file;
		put(w, &w->processes[id], &w->file);
	}
}

void
world_edit(struct world *w, const struct world_file *file)
{
	uint32_t generation = w->file.generation + 1;

	w->file = *file;
	w->file.stamp = 0;
	w->file.generation = generation;
	world_note(w, "edit: generation %" PRIu32 ", members %#" PRIx32,
	    generation, file->members);
}

/* The file from which an operator goes on: mostly what is in effect somewhere,
 * the newest of that, or that of a host. Under quorum others are mostly
 * refused. */
static struct world_file
base_of(const struct world *w, process_name name, uint64_t draw)
{
	const struct process *best = &w->processes[1];

	if (name != 0)
		return w->processes[name].file;
	if (!is_quorum(w) || draw % 4 == 0)
		return w->file;
	for (node_id id = 2; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		if (edition_compare(&p->edition, &best->edition) > 0)
			best = p;
	}
	return best->file;
}

void
world_edit_any(struct world *w, process_name name, uint64_t draw)
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
	case 8:
		file.priorities[id] = (int32_t)(draw / 900 % 3);
		break;
	default:
		file.lease = w->setup.lease * (1 + draw / 10 % LEASE_TIMES);
		break;
	}
	world_edit(w, &file);
}

/* The change of its settings that is under way is fatal to the process. */
static void
suffer(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	p->fatal_until = 0;
	if (p->fatal_for > 0)
		world_stall(w, name, p->fatal_after, p->fatal_for, false);
	else
		world_crash_after(w, name, p->fatal_after);
}

/* Makes the running process's node anew, after it has told those that the file
 * does not name. */
static void
change(struct world *w, process_name name, const struct world_file *file)
{
	struct process *p = &w->processes[name], next = *p;
	bool was_observer = p->role == ROLE_OBSERVER;
	nsec_t now = clock_local(p, w->now);
	struct node_setup setup;
	struct world_peers peers;
	void *memory;
	struct node *node;

	put(w, &next, file);
	world_configure(w, &next, &setup, &peers);
	setup.state_health =
	    was_observer && next.role != ROLE_OBSERVER
		? durable_found(&p->durable, !p->is_lost, &next.edition)
		: STATE_HEALTH_SOUND;
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
	will_begin_changes(w, name, &setup);
	if (w->now < p->fatal_until)
		suffer(w, name);
	world_note(w, "%u has generation %" PRIu32 ", stamp %" PRIu64, name,
	    file->generation, file->stamp);
}

static bool
is_named(const struct process *p, const struct world_file *file)
{
	return file->members >> p->id & 1;
}

/* True if the process may do what its operator or a peer wants. */
static bool
may_change(const struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];

	return world_runs(w, name) && !p->paused && !p->stops;
}

/* The host begins to keep a file, which is in effect only after that. */
static void
keep(struct world *w, process_name name, const struct world_file *file,
    enum rollout_kind kind)
{
	struct process *p = &w->processes[name];
	struct edition edition = edition_of(file);
	struct pending *end = pending_new(
	    PENDING_KEEP, nsec_after(w->now, disk_time(w, p)), NULL, 0);

	rollout_keep(&p->rollout, kind, &edition);
	p->keeping = *file;
	end->target = name;
	end->life = p->lives;
	world_queue_push(&w->queue, end);
}

/* The file has been kept, or could not be. */
static void
finish(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	nsec_t now = clock_local(p, w->now);
	enum rollout_end end =
	    rollout_kept(&p->rollout, p->node, now, p->is_kept);

	p->is_over = false;
	tap_listen(w, name);
	if (end == ROLLOUT_APPLY && !p->stops)
		change(w, name, &p->keeping);
	else /* it may have been paused: its lease may have ended */
		node_tick(p->node, now);
	process_act(w, name);
}

void
editions_kept(struct world *w, const struct pending *end)
{
	struct process *p = &w->processes[end->target];

	if (p->node == NULL || end->life != p->lives)
		return;
	p->is_kept = !p->disk_fails && !p->is_full;
	if (p->is_kept && !p->frozen && !w->loses_editions)
		p->kept = p->keeping;
	p->is_over = p->paused;
	if (!p->paused)
		finish(w, end->target);
}

void
editions_resume(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct pending *end;

	if (!p->is_over)
		return;
	p->is_over = false;
	end = pending_new(PENDING_KEEP, w->now, NULL, 0);
	end->target = name;
	end->life = p->lives;
	world_queue_push(&w->queue, end);
}

/* The disk has the file that it was writing, or the one before. */
void
editions_end(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (p->rollout.is_writing && !p->disk_fails && !p->is_full &&
	    !w->loses_editions && random_below(&w->hosts, 2) == 0)
		p->kept = p->keeping;
	p->is_over = p->is_whole = false;
	p->rollout = (struct rollout){ .is_quorum = is_quorum(w) };
}

void
editions_forget(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!w->exchanges)
		return;
	if (is_named(p, &w->file) && random_below(&w->hosts, 2) == 0)
		p->host_file = w->file;
	if (is_named(p, &p->host_file))
		p->kept = p->host_file;
}

struct edition
editions_kept_edition(const struct world *w, const struct process *p)
{
	return w->exchanges ? edition_of(&p->kept) : p->edition;
}

enum role
editions_role_kept(const struct world *w, const struct process *p)
{
	return world_role_in(w, &p->kept, p->id);
}

/* The process wants this file to be in effect, if it is newer. */
static void
wish(struct world *w, process_name name, const struct world_file *file,
    bool is_own)
{
	struct process *p = &w->processes[name];
	struct edition edition = edition_of(file);

	if (!rollout_wants(&p->rollout, p->node, &edition))
		return;
	p->wanted = *file;
	rollout_wish(&p->rollout, p->node, &edition,
	    (const uint8_t *)&p->wanted, sizeof(p->wanted), is_own);
}

/* The operator wants that of its host. */
static void
wish_own(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	rollout_withdraw(&p->rollout, p->node, p->host_file.generation);
	p->rollout.has_file = true;
	wish(w, name, &p->host_file, true);
}

void
world_reload(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(w->exchanges);
	p->host_file = w->file;
	world_note(w, "reload %u", name);
	world_disturb(w);
	if (!may_change(w, name) || !is_named(p, &p->host_file) ||
	    p->host_file.generation <= p->file.generation)
		return;
	if (is_quorum(w))
		wish_own(w, name);
	else if (!rollout_is_busy(&p->rollout))
		keep(w, name, &p->host_file, ROLLOUT_LATER);
	process_act(w, name);
}

bool
editions_tell_file(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	bool is_older = p->host_file.generation < p->file.generation;

	if (!w->exchanges || is_older == p->has_older_file)
		return false;
	p->has_older_file = is_older;
	tap_listen(w, name);
	node_set_file(p->node, p->step.local, is_older);
	return true;
}

void
world_adopt(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct edition edition = edition_of(&w->file);

	assert(w->exchanges && !world_runs(w, name));
	assert(!p->is_lost && w->file.generation > p->kept.generation);
	world_note(w, "adopt %u", name);
	p->host_file = p->kept = w->file;
	p->durable.edition = edition_in_place(&edition, &p->durable.edition);
}

void
editions_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!w->exchanges)
		return;
	if (!is_quorum(w) && is_named(p, &p->host_file) &&
	    p->host_file.generation > p->kept.generation)
		p->kept = p->host_file;
	put(w, p, &p->kept);
	if (p->state_health == STATE_HEALTH_SOUND)
		p->durable.edition =
		    edition_in_place(&p->edition, &p->durable.edition);
	p->rollout = (struct rollout){ .is_quorum = is_quorum(w) };
}

void
editions_started(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (w->exchanges && is_quorum(w) && is_named(p, &p->host_file))
		wish_own(w, name);
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

/* A file of a peer has come. */
static void
use_taken(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct edition edition = edition_of(&p->taken);
	enum rollout_offer offer =
	    rollout_offer(&p->rollout, p->node, &edition);

	p->is_whole = false;
	if (offer == OFFER_WISH)
		wish(w, name, &p->taken, false);
	else if (offer == OFFER_KEEP && is_named(p, &p->taken) &&
		 !p->refuses_later)
		keep(w, name, &p->taken, ROLLOUT_LATER);
	else if (offer == OFFER_KEEP)
		node_refuse(p->node, clock_local(p, w->now), &edition);
}

/* Begins to keep a file with the stamp of our term. */
static void
keep_stamped(struct world *w, process_name name, const struct world_file *file,
    uint64_t stamp)
{
	struct world_file stamped = *file;

	stamped.stamp = stamp;
	keep(w, name, &stamped, ROLLOUT_STEP);
}

/* What is next, by the setup of the wish. */
static enum rollout_todo
next_of(struct world *w, process_name name, uint64_t *stamp)
{
	struct process *p = &w->processes[name], next = *p;
	nsec_t now = clock_local(p, w->now);
	struct node_setup setup;
	struct world_peers peers;
	enum change_step step;

	if (!p->rollout.has_wish)
		return rollout_next(
		    &p->rollout, p->node, now, NULL, stamp, &step);
	put(w, &next, &p->wanted);
	world_configure(w, &next, &setup, &peers);
	return rollout_next(&p->rollout, p->node, now, &setup, stamp, &step);
}

/* True if the node has something new to do. */
static bool
pursue(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct world_file file = p->keeping;
	uint64_t stamp;

	if (rollout_wishes_file(&p->rollout, p->node, p->host_file.generation,
		p->file.generation))
		wish(w, name, &p->host_file, true);
	switch (next_of(w, name, &stamp)) {
	case ROLLOUT_WAIT:
		break;
	case ROLLOUT_AGAIN:
		keep(w, name, &file, p->rollout.kind);
		break;
	case ROLLOUT_RESTORE:
		keep(w, name, &p->file, ROLLOUT_CURRENT);
		break;
	case ROLLOUT_STAMP:
		keep_stamped(w, name, &p->file, stamp);
		break;
	case ROLLOUT_WISH:
		keep_stamped(w, name, &p->wanted, stamp);
		break;
	case ROLLOUT_RESIGNED:
	case ROLLOUT_STOOD:
	case ROLLOUT_REFUSED:
		return true;
	}
	return false;
}

bool
editions_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!w->exchanges || !may_change(w, name))
		return false;
	if (p->is_whole && !p->rollout.is_writing) {
		use_taken(w, name);
		return true;
	}
	return pursue(w, name);
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
	       !w->wires[a][b].cut && !w->wires[b][a].cut &&
	       !world_is_pulled(w, a) && !world_is_pulled(w, b);
}

/* True if the node calls the other: in a ring only up to the next one on each
 * side that it hears. */
static bool
calls(const struct world *w, node_id by, node_id other)
{
	const struct process *p = &w->processes[world_voice(w, by)];

	return !world_has_ring(w) || !names(w, by, other) ||
	       node_peer_status(p->node, world_peer_of(p, other)).sought;
}

/* True if the other hears a node that it does not know, when that calls. */
static bool
is_called(const struct world *w, node_id by, node_id other)
{
	return is_wired(w, by, other) && calls(w, by, other) &&
	       (address_of(w, by, other) == w->addresses[other] ||
		   w->named[other] == w->addresses[other]);
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
		else if (!is_called(w, id, other))
			continue;
		else if (order > 0 && names(w, id, other))
			return false;
		else
			earlier += names(w, id, other);
	}
	return earlier == 0 || earlier < ours;
}
