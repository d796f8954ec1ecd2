/* SPDX-License-Identifier: ISC */
/* The events of this node: a piece of them at a time, so that no answer takes
 * long or much memory. */
#include "daemon/control/answers.h"

#include "daemon/history/history.h"
#include "daemon/system/clock.h"

/* The piece's head: whose events they are, and by which clock. */
static struct history
head_of(const struct control_view *view, nsec_t now)
{
	const struct settings *s = view->settings;
	const struct node_settings *own = settings_node(s, view->self);
	struct history h = {
		.id = view->self,
		.incarnation = node_status(view->node, now).incarnation,
		.clock = HISTORY_NANOSECONDS,
		.epoch_ns = (int64_t)clock_epoch(),
	};

	_Static_assert(HISTORY_NAME_MAX == NAME_MAX_BYTES, "names fit");
	snprintf(h.name, sizeof(h.name), "%s", own != NULL ? own->name : "-");
	snprintf(h.cluster, sizeof(h.cluster), "%s", s->cluster);
	snprintf(h.algorithm, sizeof(h.algorithm), "%s", s->algorithm->name);
	snprintf(
	    h.topology, sizeof(h.topology), "%s", topology_name(s->topology));
	history_set_kinds(&h, s->algorithm->kinds);
	return h;
}

json_t *
answer_history(const struct control_view *view, uint64_t from)
{
	nsec_t now = view_wake(view);
	const struct event_log *log = node_events(view->node);
	struct event piece[HISTORY_PIECE_MAX];
	struct history h = head_of(view, now);
	const struct event *e;

	h.first = from < event_log_first(log) ? event_log_first(log)
		  : from > log->count         ? log->count + 1
					      : from;
	h.last = log->count;
	h.events = piece;
	while (h.count < HISTORY_PIECE_MAX &&
	       (e = event_log_find(log, h.first + h.count)) != NULL)
		piece[h.count++] = *e;
	return history_json(&h);
}
