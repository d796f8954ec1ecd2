/* SPDX-License-Identifier: ISC */
/* The deadlines that a leader hands out to clients, who may give them back. */
#include "tests/model/world/host/host.h"

nsec_t
deadlines_hand_out(struct world *w, process_name name, nsec_t local)
{
	struct process *p = &w->processes[name];
	nsec_t until = node_hand_out(p->node, local);

	if (until == 0)
		return 0;
	will_hand_out(w, name);
	w->counters.deadlines++;
	if (until <= local)
		world_fail(w, "%u hands out a deadline that has passed", name);
	if (p->deadlines.life != p->lives)
		p->deadlines.given = p->deadlines.handed;
	if (until > p->deadlines.handed)
		p->deadlines.handed = until;
	p->deadlines.life = p->lives;
	if (until > p->deadlines.bound)
		p->deadlines.bound = until;
	return until;
}

/* The clients of `electctl run` are the only ones that give back where there
 * are such. */
nsec_t
deadlines_ask(struct world *w, process_name name, nsec_t local)
{
	nsec_t until = deadlines_hand_out(w, name, local);

	if (until > w->processes[name].deadlines.given &&
	    (w->runs.is_on || w->clients.give_back == 0 ||
		random_below(&w->hosts, 1000) >= w->clients.give_back))
		deadlines_keep(w, name, until);
	return until;
}

void
deadlines_draw(struct world *w, process_name name)
{
	if (w->clients.hold > 0 &&
	    random_below(&w->hosts, 1000) < w->clients.hold)
		deadlines_ask(
		    w, name, clock_local(&w->processes[name].clock, w->now));
}

void
deadlines_keep(struct world *w, process_name name, nsec_t until)
{
	struct process *p = &w->processes[name];

	if (p->deadlines.life == p->lives && until > p->deadlines.given)
		p->deadlines.given = until;
}

bool
deadlines_take_back(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	nsec_t local = clock_local(&p->clock, w->now);

	if (p->deadlines.life != p->lives)
		return false;
	p->deadlines.handed = p->deadlines.given;
	w->counters.releases++;
	tap_listen(w, name);
	node_take_back(p->node, local, p->deadlines.given);
	will_hand_out(w, name);
	return true;
}

bool
deadlines_go_on(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];

	if (w->runs.is_on || p->deadlines.life != p->lives ||
	    p->deadlines.given >= p->deadlines.handed ||
	    !node_status(p->node, p->step.local).hands_over ||
	    random_below(&w->hosts, 4) != 0)
		return false;
	p->deadlines.handed = p->deadlines.given;
	w->counters.releases++;
	world_note(w, "the clients of %u give back their deadlines", name);
	node_take_back(p->node, p->step.local, p->deadlines.given);
	will_hand_out(w, name);
	return true;
}
