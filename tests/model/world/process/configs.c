/* SPDX-License-Identifier: ISC */
/*
 * Roll-outs: an operator writes later files, and hosts get them one after
 * another, in any order, perhaps never. A file is the document of its
 * configuration.
 */
#include "tests/model/world/process/process.h"

#include "common/host/proposal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
is_quorum(const struct world *w)
{
	return w->setup.guarantee == GUARANTEE_QUORUM;
}

/* The process uses this file from now on. */
static void
put(struct world *w, struct process *p, const struct world_file *file)
{
	p->configs.file = *file;
	p->configs.config_id = world_file_identify(file);
	p->priority = world_priority_in(file, p->id);
	p->role = world_role_in(w, file, p->id);
	world_disturb(w);
}

void
world_exchange(struct world *w)
{
	w->files.is_on = true;
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		const struct process *p = &w->processes[id];

		w->files.newest.priorities[id] = p->priority;
		if (p->role == ROLE_CANDIDATE)
			w->files.newest.candidates |= 1u << id;
		if (p->role != ROLE_OBSERVER)
			w->files.newest.voters |= 1u << id;
	}
	for (node_id id = 1; id <= w->setup.nodes; id++) {
		w->processes[id].configs.host_file =
		    w->processes[id].configs.kept = w->files.newest;
		put(w, &w->processes[id], &w->files.newest);
	}
}

/* The change of its settings that is under way is fatal to the process. */
static void
suffer(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	p->configs.fatal_until = 0;
	if (p->configs.fatal_for > 0)
		world_stall(w, name, p->configs.fatal_after,
		    p->configs.fatal_for, false);
	else
		world_crash_after(w, name, p->configs.fatal_after);
}

/* Fills in the setup that the process would have with this file, which has to
 * live as long. */
static void
configure_with(struct world *w, struct process *p,
    const struct world_file *file, struct node_setup *setup,
    struct world_peers *peers)
{
	const struct world_file now = p->configs.file;
	const struct config_id config_id = p->configs.config_id;
	int32_t priority = p->priority;
	enum role role = p->role;

	put(w, p, file);
	world_configure(w, p, setup, peers);
	setup->document = world_bytes(file);
	p->configs.file = now;
	p->configs.config_id = config_id;
	p->priority = priority;
	p->role = role;
}

/* Makes the running process's node anew, after it has told those that the file
 * does not name. */
static void
change(struct world *w, process_name name, const struct world_file *file)
{
	struct process *p = &w->processes[name];
	bool was_observer = p->role == ROLE_OBSERVER;
	nsec_t now = clock_local(&p->clock, w->now);
	struct node_setup setup;
	struct world_peers peers;
	const struct document *before;
	void *memory;
	struct node *node;

	configure_with(w, p, file, &setup, &peers);
	setup.state_health = was_observer && setup.role != ROLE_OBSERVER
				 ? durable_found(&p->disk.durable,
				       !p->disk.is_lost, &setup.config_id)
				 : STATE_HEALTH_SOUND;
	memory = calloc(1, node_change_size(p->node, &setup));
	assert(memory != NULL);
	tap_listen(w, name);
	node_tell_removed(p->node, now, &setup);
	process_drain(w, name);
	before = p->configs.file.document;
	put(w, p, file);
	if (before != NULL)
		address_follow(w, name, &before->config);
	setup.document = world_bytes(&p->configs.file);
	tap_listen(w, name);
	node = node_change(memory, p->node, &setup, now);
	free(p->node);
	p->node = node;
	will_begin_changes(w, name, &setup);
	if (w->now < p->configs.fatal_until)
		suffer(w, name);
	world_note(w, "%u has config version %" PRIu32 ", config term %" PRIu64,
	    name, file->config_version, file->config_term);
}

static bool
is_named(const struct process *p, const struct world_file *file)
{
	return world_names(file, p->id);
}

/* True if the process may do what its operator or a peer wants. */
static bool
may_change(const struct world *w, process_name name)
{
	const struct process *p = &w->processes[name];

	return world_runs(w, name) && !p->paused && !p->stops;
}

/* A host gives a disk time that did not take a file. */
static void
check_pause(
    struct world *w, process_name name, const struct config_id *config_id)
{
	const struct configs *e = &w->processes[name].configs;
	struct config_id failed = world_file_identify(&e->keeping);

	if (e->failed_at != 0 && config_id_equal(&failed, config_id) &&
	    nsec_since(w->now, e->failed_at) < ROLLOUT_PAUSE / 2)
		world_fail(w,
		    "%u writes again what its disk has just not taken", name);
}

/* The host begins to keep a file, which is in effect only after that. */
static void
keep(struct world *w, process_name name, enum rollout_origin origin,
    const struct world_file *file)
{
	struct process *p = &w->processes[name];
	struct config_id config_id = world_file_identify(file);
	struct pending *end = pending_new(PENDING_KEEP,
	    nsec_after(w->now, disk_time(&w->hosts, &p->disk)), NULL, 0);

	check_pause(w, name, &config_id);
	rollout_keep(&p->configs.rollout, origin, &config_id);
	p->configs.keeping = *file;
	end->target = name;
	end->life = p->lives;
	world_queue_push(&w->queue, end);
}

/* The file has been kept, or could not be. */
static void
finish(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	nsec_t now = clock_local(&p->clock, w->now);
	enum rollout_end end =
	    rollout_kept(&p->configs.rollout, p->node, now, p->configs.is_kept);

	p->configs.is_over = false;
	p->configs.failed_at = p->configs.is_kept ? 0 : w->now;
	tap_listen(w, name);
	if (end == ROLLOUT_APPLY)
		change(w, name, &p->configs.keeping);
	else /* it may have been paused: its lease may have ended */
		node_tick(p->node, now);
	process_act(w, name);
}

void
configs_kept(struct world *w, const struct pending *end)
{
	struct process *p = &w->processes[end->target];

	if (p->node == NULL || end->life != p->lives)
		return;
	p->configs.is_kept = !p->disk.fails && !p->disk.is_full;
	if (p->configs.is_kept && !p->clock.is_frozen && !w->files.are_lost)
		p->configs.kept = p->configs.keeping;
	p->configs.is_over = p->paused;
	if (!p->paused)
		finish(w, end->target);
}

void
configs_resume(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct pending *end;

	if (!p->configs.is_over)
		return;
	p->configs.is_over = false;
	end = pending_new(PENDING_KEEP, w->now, NULL, 0);
	end->target = name;
	end->life = p->lives;
	world_queue_push(&w->queue, end);
}

/* The disk has the file that it was writing, or the one before. */
void
configs_end(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (p->configs.rollout.is_writing && !p->disk.fails &&
	    !p->disk.is_full && !w->files.are_lost &&
	    random_below(&w->hosts, 2) == 0)
		p->configs.kept = p->configs.keeping;
	p->configs.is_over = p->configs.is_whole = false;
	p->configs.is_read = false;
	free(p->configs.taken);
	p->configs.taken = NULL;
	p->configs.failed_at = 0;
	p->configs.rollout = (struct rollout){ .is_quorum = is_quorum(w) };
}

void
configs_forget(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!w->files.is_on)
		return;
	if (is_named(p, &w->files.newest) && random_below(&w->hosts, 2) == 0)
		p->configs.host_file = w->files.newest;
	if (is_named(p, &p->configs.host_file))
		p->configs.kept = p->configs.host_file;
}

/* The host proposes this file, if it is newer. */
static void
proposal(struct world *w, process_name name, enum rollout_origin origin,
    const struct world_file *file)
{
	struct process *p = &w->processes[name];
	struct config_id config_id = world_file_identify(file);

	if (!rollout_wants(&p->configs.rollout, p->node, origin, &config_id))
		return;
	p->configs.wanted = *file;
	rollout_propose(&p->configs.rollout, p->node, origin, &config_id,
	    world_bytes(&p->configs.wanted),
	    world_bytes_count(&p->configs.wanted));
}

/* The host judges its file. Its operator knows that a new voter may be dead. */
static enum proposal_end
judge_file(struct world *w, process_name name, const struct world_file *file)
{
	struct process *p = &w->processes[name];
	struct node_setup setup;
	struct world_peers peers;
	struct proposal proposal = {
		.origin = ORIGIN_FILE,
		.is_wrong = !is_named(p, file),
		.has_document = true,
		.running.config_version = p->configs.file.config_version,
		.wanted.config_version = file->config_version,
		.is_forced = true,
		.setup = &setup,
	};

	/* An older file counts for nothing that hosts share. */
	if (file->config_version > p->configs.file.config_version)
		proposal.changes = 1u << CHANGE_CLUSTER;
	configure_with(w, p, file, &setup, &peers);
	return proposal_judge(&p->configs.rollout, p->node,
	    clock_local(&p->clock, w->now), &proposal);
}

void
world_reload(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(w->files.is_on);
	p->configs.host_file = w->files.newest;
	world_note(w, "reload %u", name);
	world_disturb(w);
	if (!may_change(w, name))
		return;
	p->configs.is_read = true;
	process_act(w, name);
}

/* The file of a host as it follows from what is in effect. */
static struct world_file
follow_file(struct world *w, process_name name, const struct world_file *file)
{
	return w->discovery.is_on ? discovery_file(w, name, file,
					&w->processes[name].configs.file)
				  : *file;
}

/* The host has read its file. */
static void
use_file(struct world *w, process_name name)
{
	struct configs *e = &w->processes[name].configs;
	struct world_file file = follow_file(w, name, &e->host_file);

	e->is_read = false;
	if (judge_file(w, name, &file) == PROPOSAL_PROPOSED)
		proposal(w, name, ORIGIN_FILE, &file);
	if (e->rollout.has_file)
		e->own = e->host_file.config_version > e->file.config_version
			     ? e->host_file
			     : e->file;
}

bool
configs_tell_file(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	bool is_older = p->configs.host_file.config_version <
			p->configs.file.config_version;

	if (!w->files.is_on || w->discovery.is_on ||
	    is_older == p->configs.has_older_file)
		return false;
	p->configs.has_older_file = is_older;
	tap_listen(w, name);
	node_set_file(p->node, p->step.local, is_older);
	return true;
}

void
world_adopt(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct config_id config_id = world_file_identify(&w->files.newest);

	assert(w->files.is_on && !world_runs(w, name));
	assert(!p->disk.is_lost &&
	       w->files.newest.config_version > p->configs.kept.config_version);
	world_note(w, "adopt %u", name);
	p->configs.host_file = p->configs.kept = w->files.newest;
	p->disk.durable.config_id =
	    config_id_in_place(&config_id, &p->disk.durable.config_id);
}

/* The host has its file, and what it has kept. */
static struct host_start
how_to_start(const struct world *w, const struct process *p)
{
	struct world_file stamped = p->configs.host_file;
	struct config_id file = world_file_identify(&stamped), copy;
	const struct config_id kept = world_file_identify(&p->configs.kept);

	stamped.config_term = p->configs.kept.config_term;
	copy = world_file_identify(&stamped);
	return host_start(
	    w->setup.guarantee, &file, &kept, config_id_equal(&copy, &kept));
}

/* The settings that are kept are in effect. */
static void
use_kept(struct world *w, struct process *p)
{
	put(w, p, &p->configs.kept);
	if (p->state_health == STATE_HEALTH_SOUND)
		p->disk.durable.config_id = config_id_in_place(
		    &p->configs.config_id, &p->disk.durable.config_id);
}

static void
start_among_strangers(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	bool is_later;

	discovery_start(w, name);
	is_later = p->configs.host_file.config_version >
		   p->configs.kept.config_version;
	if (is_later && !is_quorum(w))
		p->configs.kept = discovery_file(
		    w, name, &p->configs.host_file, &p->configs.kept);
	use_kept(w, p);
	address_follow(w, name, NULL);
	p->configs.rollout = (struct rollout){
		.is_quorum = is_quorum(w),
		.has_file = is_later && is_quorum(w),
	};
	p->configs.own = p->configs.host_file;
}

void
configs_start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct host_start start;

	if (!w->files.is_on)
		return;
	if (w->discovery.is_on) {
		start_among_strangers(w, name);
		return;
	}
	start = how_to_start(w, p);
	if (is_named(p, &p->configs.host_file) && !start.uses_kept) {
		uint64_t config_term = p->configs.kept.config_term;

		p->configs.kept = p->configs.host_file;
		p->configs.kept.config_term =
		    start.takes_config_term ? config_term : 0;
	}
	use_kept(w, p);
	p->configs.rollout = (struct rollout){
		.is_quorum = is_quorum(w),
		.has_file =
		    start.wants_current ||
		    (start.wants_file && is_named(p, &p->configs.host_file)),
	};
	p->configs.own =
	    start.wants_current ? p->configs.kept : p->configs.host_file;
}

void
configs_take(struct world *w, process_name name, const struct action *action)
{
	struct process *p = &w->processes[name];

	if (action->offset == 0) {
		free(p->configs.taken);
		p->configs.taken = malloc(action->total);
		p->configs.taken_size = action->total;
	}
	assert(p->configs.taken != NULL);
	assert(action->total == p->configs.taken_size);
	assert(action->offset + action->size <= action->total);
	memcpy(
	    p->configs.taken + action->offset, action->datagram, action->size);
	p->configs.is_whole = action->offset + action->size == action->total;
}

/* A file of a peer has come. */
static void
use_taken(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	const struct world_file taken =
	    world_file_of(w, p->configs.taken, p->configs.taken_size);
	struct config_id config_id = world_file_identify(&taken);
	nsec_t now = clock_local(&p->clock, w->now);
	enum offered offered = OFFERED_RIGHT;

	if (!is_named(p, &taken) || p->configs.refuses_later ||
	    discovery_usurps(w, name, &taken))
		offered = OFFERED_WITHOUT_US;
	p->configs.is_whole = false;
	switch (rollout_offer(
	    &p->configs.rollout, p->node, now, &config_id, offered)) {
	case OFFER_IGNORE:
		break;
	case OFFER_KEEP:
		keep(w, name, ORIGIN_PEER, &taken);
		break;
	case OFFER_PROPOSAL:
		proposal(w, name, ORIGIN_PEER, &taken);
		break;
	case OFFER_REFUSE:
		node_refuse(p->node, now, &config_id);
		break;
	}
}

/* What is next, by the setup of the proposal. */
static struct rollout_todo
next_of(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	nsec_t now = clock_local(&p->clock, w->now);
	struct node_setup setup;
	struct world_peers peers;

	if (!p->configs.rollout.has_proposal)
		return rollout_next(&p->configs.rollout, p->node, now, NULL);
	configure_with(w, p, &p->configs.wanted, &setup, &peers);
	return rollout_next(&p->configs.rollout, p->node, now, &setup);
}

/* Writes what the host is to write. */
static void
write_file(struct world *w, process_name name, const struct rollout_todo *todo)
{
	const struct configs *e = &w->processes[name].configs;
	struct world_file file = e->keeping;

	if (todo->which == ROLLOUT_CURRENT)
		file = e->file;
	else if (todo->which == ROLLOUT_PROPOSED)
		file = e->wanted;
	if (todo->config_term != 0)
		file = world_stamped(w, &file, todo->config_term);
	keep(w, name, todo->origin, &file);
}

/* True if the node has something new to do. */
static bool
pursue(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct rollout_todo todo;
	struct world_file file;

	if (rollout_look_at_file(&p->configs.rollout, p->node,
		p->configs.own.config_version,
		p->configs.file.config_version)) {
		file = follow_file(w, name, &p->configs.own);
		proposal(w, name, ORIGIN_FILE, &file);
	}
	todo = next_of(w, name);
	if (todo.act == ROLLOUT_WRITE)
		write_file(w, name, &todo);
	return todo.act != ROLLOUT_WRITE && todo.act != ROLLOUT_WAIT;
}

bool
configs_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct world_file next;

	if (!w->files.is_on || !may_change(w, name))
		return false;
	if (p->configs.rollout.is_writing)
		return pursue(w, name);
	if (p->configs.is_read) {
		use_file(w, name);
		return true;
	}
	if (p->configs.is_whole) {
		use_taken(w, name);
		return true;
	}
	if (w->discovery.is_on && discovery_next(w, name, &next))
		proposal(w, name, ORIGIN_NODES, &next);
	return pursue(w, name);
}
