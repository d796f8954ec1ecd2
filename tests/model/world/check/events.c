/* SPDX-License-Identifier: ISC */
/*
 * The events that nodes keep of themselves: a message that one has taken is one
 * that the other has sent, under the same name.
 */
#include "tests/model/world/check/check.h"

#include <inttypes.h>

static bool
is_same_message(const struct event *sent, const struct event *taken)
{
	return sent->term == taken->term && sent->rank == taken->rank &&
	       sent->origin == taken->origin && sent->phase == taken->phase &&
	       sent->message == taken->message && sent->link == taken->link;
}

/* The events of the sender that are left of a message. */
struct finding {
	const struct event *sent; /* NULL: it is not there */
	bool knows_session;       /* but other messages of its session are */
};

static struct finding
find_sent(const struct event_log *log, node_id taker, const struct event *taken)
{
	struct finding f = { NULL, false };

	for (uint64_t i = event_log_first(log); i <= log->count; i++) {
		const struct event *e = event_log_find(log, i);

		if (e->kind != EVENT_SENT || e->peer != taker ||
		    e->session != taken->session)
			continue;
		f.knows_session = true;
		if (e->sequence == taken->sequence)
			f.sent = e;
	}
	return f;
}

/* The sender may be dead, or another process of its id, or may have forgotten
 * it. */
static void
check_taken(struct world *w, process_name name, const struct event *taken)
{
	const struct process *taker = &w->processes[name];

	for (process_name i = 1; i <= WORLD_COPY; i++) {
		const struct process *p = &w->processes[i];
		struct finding f;

		if (p->node == NULL || p->id != taken->peer)
			continue;
		f = find_sent(node_events(p->node), taker->id, taken);
		if (f.sent != NULL && !is_same_message(f.sent, taken))
			world_fail(w,
			    "%u took another message %" PRIu32
			    " than %u says it sent",
			    name, taken->sequence, i);
		else if (f.sent == NULL && f.knows_session &&
			 node_events(p->node)->forgotten == 0)
			world_fail(w,
			    "%u took message %" PRIu32
			    ", which %u does not say it sent",
			    name, taken->sequence, i);
		else
			w->counters.matched += f.sent != NULL;
	}
}

void
world_check_events(struct world *w, process_name name)
{
	struct process *p = &w->processes[name];
	const struct event_log *log = node_events(p->node);

	while (p->observed.events < log->count) {
		const struct event *e =
		    event_log_find(log, ++p->observed.events);

		if (e != NULL && e->kind == EVENT_TAKEN)
			check_taken(w, name, e);
	}
}
