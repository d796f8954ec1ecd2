/* SPDX-License-Identifier: ISC */
/*
 * Programs that ask a node of their host whether it leads, as `electctl
 * is-leader` does, under the guarantee "quorum". A question waits while the
 * process does not run, or answers another one. The promise (PROTOCOL.md,
 * Invariants):
 *
 * I5  once a client was told "yes" in a term, no client that asks later is told
 * "yes" in a lower one.
 */
#include "tests/model/world/process/process.h"

#include <inttypes.h>
#include <string.h>

/* Reads the clock; true if the process is given up. */
static nsec_t
wake(struct world *w, process_name name)
{
	process_heed(w, name);
	return clock_local(&w->processes[name].clock, w->now);
}

/* Answers one question. `said` is the latest term of a "yes" when it was asked.
 */
static void
answer(struct world *w, process_name name, uint64_t said)
{
	struct process *p = &w->processes[name];
	struct node_status s;
	nsec_t local;

	local = wake(w, name);
	if (p->node == NULL || p->paused)
		return;
	s = node_status(p->node, local);
	w->counters.answers++;
	if (s.state != STATE_LEADER || deadlines_ask(w, name, local) == 0 ||
	    lead_is_excused(w, p))
		return;
	if (s.term < said)
		world_fail(w,
		    "I5: %u says that it leads in term %" PRIu64
		    ", asked after another said so in term %" PRIu64,
		    name, s.term, said);
	if (s.term > w->clients.said)
		w->clients.said = s.term;
}

/* Answers all clients that wait, until the process is stopped between two of
 * them. */
static void
serve(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	uint64_t said;

	while (p->questions.count > 0 && !w->halted) {
		if (p->node == NULL || p->paused)
			return;
		if (process_stalls(w, name, true))
			return;
		said = p->questions.said[0];
		p->questions.count--;
		memmove(p->questions.said, p->questions.said + 1,
		    p->questions.count * sizeof(p->questions.said[0]));
		answer(w, name, said);
		if (p->fate.stalls_answers && p->fate.stalls_after > 0)
			p->fate.stalls_after--;
	}
	p->questions.is_serving = false;
}

void
clients_serve(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (!p->questions.is_serving)
		p->step.local = clock_local(&p->clock, w->now);
	p->questions.is_serving = true;
	serve(w, name);
}

/* Gives the node that a client asks: the leader, or any node. */
static process_name
anybody(struct world *w)
{
	process_name leader = lead_first(w);

	if (leader != 0 && random_below(&w->clients.random, 2) == 0)
		return leader;
	return (process_name)random_between(
	    &w->clients.random, 1, w->setup.nodes);
}

static void
come_again(struct world *w)
{
	struct pending *next = pending_new(PENDING_QUESTION,
	    nsec_after(w->now, random_between(&w->clients.random, 1,
				   2 * w->clients.asks_each)),
	    NULL, 0);

	world_queue_push(&w->queue, next);
}

void
clients_ask(struct world *w)
{
	process_name name;
	struct process *p;

	if (w->clients.asks_each == 0)
		return;
	name = anybody(w);
	p = &w->processes[name];
	come_again(w);
	if (p->node == NULL || p->questions.count == WORLD_QUESTIONS_MAX)
		return;
	p->questions.said[p->questions.count++] = w->clients.said;
	if (!p->paused)
		clients_serve(w, name);
}

void
world_let_ask(struct world *w, nsec_t each)
{
	bool is_first = w->clients.asks_each == 0;

	w->clients.asks_each = each;
	if (is_first && each != 0)
		come_again(w);
}
