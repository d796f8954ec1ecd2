/* SPDX-License-Identifier: ISC */
/*
 * A step of a process. It has an input, and the time that its clock showed
 * then. The world pulls and performs what follows one by one, as electd does.
 * Between any two actions the process may die, or be stopped. When it runs
 * again it goes on in the same place, with the time that it read before: so
 * what it sends then is late, and what came in meanwhile waits.
 */
#include "tests/model/world/process/process.h"

#define ACTIONS_MAX 10000 /* of one input; more is a loop */

static void
take_notice(struct world *w, process_name name, const struct notice *n)
{
	struct process *p = &w->processes[name];

	p->observed.notices[n->kind]++;
	will_check_death(w, name, n);
	runs_note(w, name, n);
	w->changes.count += n->kind == NOTICE_PEER_DOWN;
	p->observed.has_followed |= n->kind == NOTICE_LEADER;
	if (n->kind == NOTICE_LEADER || n->kind == NOTICE_NO_LEADER) {
		p->observed.leader = *n;
		p->lead.left |= n->leader != p->id;
	}
	if (n->kind == NOTICE_ELECTED)
		p->observed.elected = *n;
	if (n->kind == NOTICE_LEADER && n->leader == p->id)
		w->counters.accessions++;
	world_trace_notice(w, name, n);
}

static void
reply(struct world *w, process_name name, const struct action *action)
{
	if (!w->source.may_reply)
		world_fail(w, "%u replies to no datagram", name);
	else if (action->size > w->source.room)
		world_fail(w, "%u answers with more than came in", name);
	else
		wires_send(w, name, w->source.place.host,
		    w->source.place.address, action->datagram, action->size);
	w->source.room -= action->size;
}

/* Sends to each address where the peer may be. */
static void
call(struct world *w, process_name name, const struct action *action)
{
	node_id to = world_id_of(&w->processes[name], action->peer);
	const struct place named = address_named(w, name, to);
	const struct place found = address_of(w, name, to);

	world_check_datagram(w, name, action);
	world_send(w, name, to, action->datagram, action->size);
	if (found.host != named.host || found.address != named.address)
		wires_send(w, name, named.host, named.address, action->datagram,
		    action->size);
}

static void
perform(struct world *w, process_name name, const struct action *action)
{
	struct process *p = &w->processes[name];

	switch (action->kind) {
	case ACTION_PERSIST:
		disk_write(w, name, &action->durable, action->is_anew);
		break;
	case ACTION_NOTICE:
		take_notice(w, name, &action->notice);
		break;
	case ACTION_ADDRESS:
		address_find(w, name, action->peer);
		break;
	case ACTION_HELLO:
		call(w, name, action);
		break;
	case ACTION_SEND:
		world_check_datagram(w, name, action);
		world_send(w, name, world_id_of(p, action->peer),
		    action->datagram, action->size);
		break;
	case ACTION_REPLY:
		world_check_datagram(w, name, action);
		reply(w, name, action);
		break;
	case ACTION_WILL:
		will_take(w, name, action);
		break;
	case ACTION_DOCUMENT:
		configs_take(w, name, action);
		break;
	case ACTION_GROUP:
		world_check_datagram(w, name, action);
		wires_send_group(w, name, action->datagram, action->size);
		break;
	case ACTION_PULLED:
		snapshots_take(w, name, action);
		break;
	case ACTION_JOIN:
		world_check_datagram(w, name, action);
		wires_send(w, name, 1, w->network.addresses[1],
		    action->datagram, action->size);
		break;
	case ACTION_JOINER:
		discovery_meet(w, name, &action->joiner);
		break;
	}
}

void
process_drain(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct action action;

	while (node_act(p->node, clock_local(&p->clock, w->now), &action))
		perform(w, name, &action);
}

static void
stall(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	const struct fault resume = { .kind = FAULT_RESUME, .target = name };

	p->step.source = w->source;
	world_pause(w, name);
	world_at(w, nsec_after(w->now, p->fate.stalls_for), &resume);
	p->fate.stalls_for = 0;
	w->counters.stalls++;
}

bool
process_stalls(struct world *w, process_name name, bool answers)
{
	struct process *p = &w->processes[name];

	if (p->fate.stalls_for == 0 || p->fate.stalls_answers != answers ||
	    p->fate.stalls_after > 0)
		return false;
	stall(w, name);
	return true;
}

/* A trace must not change the node. */
static void
count_action(struct process *p, const struct action *action)
{
	if (action->kind == ACTION_NOTICE &&
	    action->notice.kind == NOTICE_TRACE)
		return;
	p->observed.actions++;
	if (p->fate.dies)
		p->fate.actions_left--;
	if (!p->fate.stalls_answers && p->fate.stalls_after > 0)
		p->fate.stalls_after--;
}

/* Hears what the process says now: as a check, as its clients and as its
 * supervisor. */
static void
hear(struct world *w, process_name name, const struct node_status *s)
{
	lead_look(w, name, s);
	if (w->setup.guarantee != GUARANTEE_QUORUM)
		return;
	if (s->state == STATE_LEADER)
		deadlines_draw(w, name);
	runs_look(w, name, s);
}

/* Pulls and performs the rest of a step, and sets the next deadline. */
static void
go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct action action;
	struct node_status s;

	while (!w->halted) {
		if (p->fate.dies && p->fate.actions_left == 0) {
			world_crash(w, name);
			return;
		}
		if (process_stalls(w, name, false)) {
			s = world_status(w, name);
			hear(w, name, &s);
			p->step.is_open = true;
			return;
		}
		tap_listen(w, name);
		if (!node_act(p->node, p->step.local, &action)) {
			will_end_changes(w, name);
			if (configs_go_on(w, name) ||
			    configs_tell_file(w, name) ||
			    snapshots_go_on(w, name) ||
			    deadlines_go_on(w, name))
				continue;
			break;
		}
		if (p->step.actions++ == ACTIONS_MAX)
			world_fail(w, "%u never stops acting", name);
		perform(w, name, &action);
		count_action(p, &action);
	}
	p->wake = clock_world(&p->clock, node_deadline(p->node));
	s = world_check(w, name);
	hear(w, name, &s);
	if (node_is_unborn(p->node))
		world_crash(w, name);
	else if (p->stops && node_stopped(p->node))
		process_end(w, name);
}

void
process_act(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	assert(!p->step.is_open);
	p->step.local = clock_local(&p->clock, w->now);
	p->step.actions = 0;
	go_on(w, name);
}

void
process_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!p->step.is_open)
		return;
	p->step.is_open = false;
	p->step.is_late = true;
	w->source = p->step.source;
	go_on(w, name);
	w->source.may_reply = false;
	p->step.is_late = false;
}

void
world_stall(struct world *w, process_name name, unsigned after, nsec_t duration,
    bool answers)
{
	struct process *p = &w->processes[name];

	p->fate.stalls_after = after;
	p->fate.stalls_answers = answers;
	p->fate.stalls_for = world_runs(w, name) && !p->paused ? duration : 0;
}

void
world_crash_after(struct world *w, process_name name, unsigned actions)
{
	w->processes[name].fate.dies = world_runs(w, name);
	w->processes[name].fate.actions_left = actions;
}
