/* SPDX-License-Identifier: ISC */
#include "tests/model/sim/run/record.h"

#include <stdio.h>
#include <stdlib.h>

/* What a message is called: the sender's link is the session. */
struct name {
	uint32_t link;
	uint32_t sequence;
};

struct record {
	const struct run_setup *setup;
	struct histories histories;
	struct name *names;  /* of messages, by their numbers; allocated */
	uint64_t names_room; /* of these */
	uint32_t *sent;      /* on each link of the graph; allocated */
	uint64_t *counts;    /* of events, by position; allocated */
	bool is_whole;
};

static const char *
topology_of(const struct graph *g)
{
	switch (g->kind) {
	case TOPOLOGY_FULL:
		return "full";
	case TOPOLOGY_RING:
		return "ring";
	case TOPOLOGY_TREE:
		return "tree";
	case TOPOLOGY_GRAPH:
		break;
	}
	return "graph";
}

static void
make_head(struct history *h, const struct run_setup *setup, uint32_t node)
{
	*h = (struct history){
		.id = setup->ranks[node].id,
		.clock = setup->schedule == SCHEDULE_UNIT ? HISTORY_UNITS
							  : HISTORY_STEPS,
		.first = 1,
	};
	snprintf(h->name, sizeof(h->name), "%u", h->id);
	snprintf(h->cluster, sizeof(h->cluster), "electsim");
	snprintf(
	    h->algorithm, sizeof(h->algorithm), "%s", setup->algorithm->name);
	snprintf(
	    h->topology, sizeof(h->topology), "%s", topology_of(setup->graph));
	history_set_kinds(h, setup->algorithm->kinds);
}

struct record *
record_new(const struct run_setup *setup)
{
	uint32_t nodes = setup->graph->nodes;
	struct record *r = calloc(1, sizeof(*r));

	assert(nodes > 0);
	if (r == NULL)
		return NULL;
	r->setup = setup;
	r->is_whole = nodes <= HISTORY_NODES_MAX;
	if (!r->is_whole)
		return r;
	r->sent = calloc(2 * setup->graph->edges + 1, sizeof(*r->sent));
	r->counts = calloc(nodes, sizeof(*r->counts));
	r->histories.nodes = calloc(nodes, sizeof(*r->histories.nodes));
	if (r->sent == NULL || r->counts == NULL ||
	    r->histories.nodes == NULL) {
		record_free(r);
		return NULL;
	}
	r->histories.count = nodes;
	for (uint32_t i = 0; i < nodes; i++)
		make_head(&r->histories.nodes[i], setup, i);
	return r;
}

void
record_free(struct record *r)
{
	if (r == NULL)
		return;
	histories_free(&r->histories);
	free(r->names);
	free(r->sent);
	free(r->counts);
	free(r);
}

/* Names a message that is sent; false without memory. */
static bool
name_message(struct record *r, const struct moment *m)
{
	uint32_t *sent = &r->sent[r->setup->graph->first[m->node] + m->link];

	if (m->number >= r->names_room) {
		uint64_t room = r->names_room == 0 ? 64 : 2 * r->names_room;
		struct name *more = realloc(r->names, room * sizeof(*r->names));

		if (more == NULL)
			return false;
		r->names = more;
		r->names_room = room;
	}
	assert(m->number < r->names_room);
	r->names[m->number] = (struct name){ m->link, ++*sent };
	return true;
}

static void
fill_message(const struct record *r, struct event *e, const struct moment *m)
{
	const struct name *name = &r->names[m->number];

	e->peer = r->setup->ranks[m->other].id;
	e->session = name->link + 1;
	e->sequence = name->sequence;
	e->rank = m->message->rank.id;
	e->origin = m->message->origin;
	e->phase = m->message->phase;
	e->message = m->message->kind;
	if (r->setup->graph->kind == TOPOLOGY_RING)
		e->link = (uint8_t)name->link;
}

static struct event
event_of(const struct record *r, const struct moment *m)
{
	struct event e = {
		.number = r->counts[m->node] + 1,
		.at = r->setup->schedule == SCHEDULE_UNIT ? m->time : m->step,
	};

	switch (m->kind) {
	case MOMENT_START:
		e.kind = EVENT_STARTS;
		break;
	case MOMENT_DELIVER:
		e.kind = EVENT_TAKEN;
		fill_message(r, &e, m);
		break;
	case MOMENT_TIMER:
		e.kind = EVENT_TIMER;
		break;
	case MOMENT_SEND:
		e.kind = EVENT_SENT;
		fill_message(r, &e, m);
		break;
	case MOMENT_DECIDE:
		e.kind = EVENT_DECIDED;
		e.leader = m->winner->is_eligible ? m->winner->id : NODE_NONE;
		break;
	}
	return e;
}

void
record_observe(void *context, const struct moment *moment)
{
	struct record *r = context;
	struct event e;

	if (!r->is_whole)
		return;
	if ((moment->kind == MOMENT_SEND && !name_message(r, moment)) ||
	    r->histories.events_count == HISTORY_EVENTS_MAX) {
		r->is_whole = false;
		return;
	}
	e = event_of(r, moment);
	if (!history_add(&r->histories.nodes[moment->node], &e)) {
		r->is_whole = false;
		return;
	}
	r->counts[moment->node]++;
	r->histories.events_count++;
}

const struct histories *
record_histories(const struct record *r)
{
	return r->is_whole ? &r->histories : NULL;
}
