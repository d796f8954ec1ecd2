/* SPDX-License-Identifier: ISC */
/* The events of this node: a piece of them at a time, so that no answer takes
 * long or much memory. */
#include "daemon/control/answers/answers.h"

#include "daemon/system/clock.h"

struct history
answer_history_head(const struct control_view *view, node_id id)
{
	const struct settings *s = view->settings;
	const struct config_node *node = config_find(&s->shared, id);
	struct history h = { .id = id, .clock = HISTORY_NANOSECONDS };

	_Static_assert(HISTORY_NAME_MAX == NAME_MAX_BYTES, "names fit");
	snprintf(h.name, sizeof(h.name), "%s", node != NULL ? node->name : "-");
	snprintf(h.cluster, sizeof(h.cluster), "%s", s->shared.cluster);
	snprintf(
	    h.algorithm, sizeof(h.algorithm), "%s", s->shared.algorithm->name);
	snprintf(h.topology, sizeof(h.topology), "%s",
	    topology_name(s->shared.topology));
	history_set_kinds(&h, s->shared.algorithm->kinds);
	return h;
}

json_t *
answer_history(const struct control_view *view, uint64_t from)
{
	nsec_t now = view_wake(view);
	const struct event_log *log = node_events(view->node);
	struct event piece[HISTORY_PIECE_MAX];
	struct history h = answer_history_head(view, view->self);
	const struct event *e;

	h.incarnation = node_status(view->node, now).incarnation;
	h.epoch_ns = (int64_t)clock_epoch();
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
