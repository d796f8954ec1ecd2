/* SPDX-License-Identifier: ISC */
/*
 * The promises of a world that hold after every event: the node that moved is
 * sound and says nothing it must not.
 */
#include "tests/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

void
world_fail(struct world *w, const char *format, ...)
{
	char why[240];
	va_list args;

	if (w->halted)
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	world_note(w, "BROKEN: %.140s", why);
	w->halted = true;
	if (w->setup.failed != NULL) {
		w->setup.failed(w, why);
		return;
	}
	fprintf(stderr, "%s\n%s\n", w->trace, why);
	abort();
}

/* State and leader must tell the same story. */
static bool
is_sane(const struct process *p, const struct node_status *s)
{
	switch (s->state) {
	case STATE_LEADER:
		return s->leader == p->id && p->role == ROLE_CANDIDATE &&
		       !s->duplicate;
	case STATE_FOLLOWER:
		return s->leader != NODE_NONE && s->leader != p->id;
	case STATE_STARTING:
	case STATE_ELECTING:
		return s->leader != p->id;
	case STATE_NO_LEADER:
		return s->leader == NODE_NONE;
	}
	return false;
}

/* Did it tell its host of the leader that it has? */
static bool
has_told(const struct process *p, const struct node_status *s)
{
	if (p->leader.kind == NOTICE_LEADER)
		return p->leader.leader == s->leader;
	return s->leader == NODE_NONE;
}

void
world_check(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	struct node_status s = world_status(w, name);

	node_check(p->node);
	if (!is_sane(p, &s))
		world_fail(w, "%u is %s and its leader is %" PRIu32, name,
		    node_state_name(s.state), s.leader);
	if (s.term < p->term)
		world_fail(w, "%u fell from term %" PRIu64 " to %" PRIu64, name,
		    p->term, s.term);
	if (!has_told(p, &s))
		world_fail(w,
		    "%u has leader %" PRIu32 " and told its host %" PRIu32,
		    name, s.leader, p->leader.leader);
	if (s.incarnation > p->incarnation)
		world_fail(
		    w, "%u bears an incarnation that is not durable", name);
	p->term = s.term;
}
