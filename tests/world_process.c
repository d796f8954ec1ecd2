/* SPDX-License-Identifier: ISC */
/*
 * The processes of a world: what a host does for its node. The same as
 * electd: an input goes in, then actions are pulled and performed one by
 * one; between any two of them the process may die.
 */
#include "tests/world_process.h"
#include "tests/world_shape.h"

#include <stdlib.h>
#include <string.h>

#define ACTIONS_MAX 10000 /* of one input: more is a loop */

bool
world_runs(const struct world *w, process_name name)
{
	assert(name >= 1);
	assert(name <= WORLD_COPY);
	return w->processes[name].node != NULL;
}

struct node_status
world_status(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(p->node != NULL);
	return node_status(p->node, clock_local(p, w->now));
}

const struct node_counters *
world_counters(struct world *w, process_name name)
{
	assert(w->processes[name].node != NULL);
	return node_counters(w->processes[name].node);
}

/* Peers are all other ids, ascending. */
static unsigned
peer_of(const struct process *p, node_id id)
{
	if (id == NODE_NONE || id == p->id)
		return PEER_NONE;
	return id < p->id ? id - 1 : id - 2;
}

static node_id
id_of(const struct process *p, unsigned peer)
{
	return peer + 1 < p->id ? peer + 1 : peer + 2;
}

static void
end(struct process *p)
{
	node_done(p->node);
	free(p->node);
	p->node = NULL;
	p->paused = false;
	p->frozen = false;
	p->dies = false;
	for (size_t i = 0; i < p->socket_count; i++)
		free(p->socket[i]);
	p->socket_count = 0;
}

static void
take_notice(struct world *w, process_name name, const struct notice *n)
{
	struct process *p = &w->processes[name];

	p->notices[n->kind]++;
	if (n->kind == NOTICE_LEADER || n->kind == NOTICE_NO_LEADER)
		p->leader = *n;
	if (n->kind == NOTICE_ELECTED)
		p->elected = *n;
	if (n->kind == NOTICE_LEADER && n->leader == p->id)
		w->counters.accessions++;
	world_trace_notice(w, name, n);
}

static void
reply(struct world *w, process_name name, const struct action *action)
{
	if (!w->may_reply)
		world_fail(w, "%u replies to no datagram", name);
	else if (action->size > w->reply_room)
		world_fail(w, "%u answers with more than came in", name);
	else
		world_send(
		    w, name, w->replying_to, action->datagram, action->size);
	w->reply_room -= action->size;
}

static void
perform(struct world *w, process_name name, const struct action *action)
{
	struct process *p = &w->processes[name];

	switch (action->kind) {
	case ACTION_PERSIST:
		if (action->incarnation < p->incarnation)
			world_fail(w, "%u forgets its incarnation", name);
		p->incarnation = action->incarnation;
		break;
	case ACTION_NOTICE:
		take_notice(w, name, &action->notice);
		break;
	case ACTION_SEND:
		assert(action->peer < w->setup.nodes - 1);
		world_send(w, name, id_of(p, action->peer), action->datagram,
		    action->size);
		break;
	case ACTION_REPLY:
		reply(w, name, action);
		break;
	}
}

/* Pulls and performs what the input led to, and sets the next deadline. */
static void
act(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	nsec_t local = clock_local(p, w->now);
	struct action action;

	for (unsigned i = 0; !w->halted; i++) {
		if (p->dies && p->actions_left == 0) {
			world_crash(w, name);
			return;
		}
		if (!node_act(p->node, local, &action))
			break;
		if (i == ACTIONS_MAX)
			world_fail(w, "%u never stops acting", name);
		perform(w, name, &action);
		p->actions++;
		if (p->dies)
			p->actions_left--;
	}
	p->wake = clock_world(p, node_deadline(p->node));
	world_check(w, name);
}

/* What a node's setup points to. */
struct peers {
	struct peer_setup setup[WORLD_NODES_MAX];
	unsigned sides[RING_LINKS][WORLD_NODES_MAX];
};

static void
fill_peers(struct world *w, const struct process *p, struct peers *peers)
{
	for (unsigned i = 0; i + 1 < w->setup.nodes; i++) {
		const struct process *q = &w->processes[id_of(p, i)];

		peers->setup[i] = (struct peer_setup){
			.id = q->id,
			.priority = q->priority,
			.role = q->role,
			.is_remote = !world_linked(w, p->id, q->id),
		};
	}
	for (unsigned side = 0; side < RING_LINKS; side++) {
		node_id ids[WORLD_NODES_MAX];
		unsigned count = world_side(w, p->id, side, ids);

		for (unsigned i = 0; i < count; i++)
			peers->sides[side][i] = peer_of(p, ids[i]);
	}
}

static void
fill_setup(struct world *w, const struct process *p, struct node_setup *setup,
    struct peers *peers)
{
	bool is_ring = w->setup.topology == TOPOLOGY_RING;

	fill_peers(w, p, peers);
	*setup = (struct node_setup){
		.self = p->id,
		.priority = p->priority,
		.role = p->role,
		.peers = peers->setup,
		.peers_count = w->setup.nodes - 1,
		.topology = w->setup.topology,
		.right = peers->sides[RING_RIGHT],
		.right_count = is_ring ? w->setup.nodes - 1 : 0,
		.left = peers->sides[RING_LEFT],
		.left_count = is_ring ? w->setup.nodes - 1 : 0,
		.algorithm = w->setup.algorithm,
		.choices = w->setup.choices,
		.prefer = w->setup.prefer,
		.preempt = w->setup.preempt,
		.preempt_after = w->setup.preempt_after,
		.heartbeat = w->setup.heartbeat,
		.misses = w->setup.misses,
		.startup = w->setup.startup,
		.cluster = "world",
		.incarnation = p->incarnation,
		.trace = w->setup.trace,
	};
	memset(setup->key, 0x5a, sizeof(setup->key));
	memcpy(setup->digest, p->digest, sizeof(setup->digest));
	for (size_t i = 0; i < sizeof(setup->entropy); i++)
		setup->entropy[i] = (uint8_t)random_next(&w->random);
}

static void
start(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct node_setup setup;
	struct peers peers;
	void *memory;

	fill_setup(w, p, &setup, &peers);
	memory = calloc(1, node_size(&setup));
	assert(memory != NULL);
	p->node = node_init(memory, &setup, clock_local(p, w->now));
	p->term = 0;
	p->heard = 0;
	p->leader = (struct notice){ .kind = NOTICE_NO_LEADER };
	w->fault_at = w->now;
	act(w, name);
}

void
world_start(struct world *w, process_name name)
{
	assert(name <= w->setup.nodes);
	if (world_runs(w, name))
		return;
	w->processes[name].incarnation++;
	world_note(w, "start %u", name);
	start(w, name);
}

void
world_copy(struct world *w, node_id id, uint64_t incarnation)
{
	struct process *p = &w->processes[WORLD_COPY];

	if (world_runs(w, WORLD_COPY))
		return;
	*p = w->processes[id];
	p->node = NULL;
	p->socket_count = 0;
	p->paused = false;
	p->frozen = false;
	p->dies = false;
	p->incarnation = incarnation;
	world_note(w, "start a copy of %u", id);
	start(w, WORLD_COPY);
}

void
world_crash(struct world *w, process_name name)
{
	if (!world_runs(w, name))
		return;
	world_note(w, "crash %u", name);
	w->fault_at = w->now;
	end(&w->processes[name]);
}

void
world_crash_after(struct world *w, process_name name, unsigned actions)
{
	w->processes[name].dies = world_runs(w, name);
	w->processes[name].actions_left = actions;
}

void
world_stop(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || p->paused)
		return;
	world_note(w, "stop %u", name);
	w->fault_at = w->now;
	node_stop(p->node);
	act(w, name);
	if (world_runs(w, name))
		end(p);
}

void
world_elect(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || p->paused)
		return;
	world_note(w, "elect at %u", name);
	w->fault_at = w->now;
	node_elect(p->node, clock_local(p, w->now));
	act(w, name);
}

void
world_forget(struct world *w, process_name name)
{
	if (world_runs(w, name))
		return;
	world_note(w, "the state of %u is lost", name);
	w->processes[name].incarnation = 0;
}

void
world_pause(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || p->paused)
		return;
	world_note(w, "pause %u", name);
	w->fault_at = w->now;
	p->paused = true;
	p->paused_at = w->now;
}

void
world_freeze(struct world *w, process_name name)
{
	world_pause(w, name);
	w->processes[name].frozen = w->processes[name].paused;
}

/* What waits in its socket arrives now: before its deadline, if that is due. */
void
world_resume(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!world_runs(w, name) || !p->paused)
		return;
	world_note(w, "resume %u", name);
	w->fault_at = w->now;
	if (p->frozen) {
		p->clock_zero += w->now - p->paused_at;
		p->wake = nsec_after(p->wake, w->now - p->paused_at);
	}
	p->paused = false;
	p->frozen = false;
	p->resumed_at = w->now;
	for (size_t i = 0; i < p->socket_count; i++) {
		p->socket[i]->at = w->now;
		world_queue_push(&w->queue, p->socket[i]);
	}
	p->socket_count = 0;
}

void
world_set_clock(struct world *w, process_name name, int rate)
{
	struct process *p = &w->processes[name];

	clock_set_rate(p, w->now, rate);
	w->fault_at = w->now;
	if (p->node != NULL)
		p->wake = clock_world(p, node_deadline(p->node));
}

/* A datagram arrives at a process; gives whether it is done with. */
bool
process_arrive(struct world *w, struct pending *d)
{
	struct process *p = &w->processes[d->target];

	if (p->node == NULL) {
		w->counters.unheard++;
		return true;
	}
	if (p->paused && p->socket_count == WORLD_SOCKET_MAX) {
		w->counters.overflow++;
		return true;
	}
	if (p->paused) {
		p->socket[p->socket_count++] = d;
		return false;
	}
	w->counters.delivered++;
	p->heard = d->sent > p->heard ? d->sent : p->heard;
	w->may_reply = true;
	w->replying_to = d->from;
	w->reply_room = d->size;
	node_receive(p->node, clock_local(p, w->now), peer_of(p, d->from),
	    d->bytes, d->size);
	act(w, d->target);
	w->may_reply = false;
	return true;
}

void
process_tick(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	p->ticks++;
	node_tick(p->node, clock_local(p, w->now));
	act(w, name);
}
