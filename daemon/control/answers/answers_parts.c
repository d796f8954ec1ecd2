/* SPDX-License-Identifier: ISC */
/* What many answers are made of: the view and the node behind it, and keys that
 * come in several of them. */
#include "daemon/control/answers/answers.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/history/put.h"

#define ERROR_MAX 256 /* of a text: names and a sentence fit */

json_t *
error_answer(enum control_code code, const char *format, ...)
{
	char text[ERROR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return json_pack(
	    "{s:o,s:i}", "error", put_string(text), "code", (int)code);
}

bool
answer_is_error(const json_t *answer)
{
	return json_object_get(answer, "error") != NULL;
}

json_t *
lines_of(const char *lines)
{
	json_t *array = json_array();
	const char *line = lines;

	while (line != NULL && *line != '\0') {
		size_t size = strcspn(line, "\n");
		char *text = strndup(line, size);

		if (text == NULL)
			break;
		json_array_append_new(array, put_string(text));
		free(text);
		line += size + (line[size] == '\n');
	}
	return array;
}

const char *
topology_name(enum topology topology)
{
	static const char *const names[] = {
		[TOPOLOGY_FULL] = "full",
		[TOPOLOGY_RING] = "ring",
		[TOPOLOGY_TREE] = "tree",
		[TOPOLOGY_GRAPH] = "graph",
	};

	assert(topology <= TOPOLOGY_GRAPH);
	return names[topology];
}

unsigned
view_peers(const struct control_view *view)
{
	return (unsigned)view->settings->shared.nodes_count - 1;
}

nsec_t
view_wake(const struct control_view *view)
{
	return view->wake(view->context);
}

struct node_status
view_status(const struct control_view *view)
{
	/* Waking the node may change its status, so it comes first. */
	nsec_t now = view_wake(view);

	return node_status(view->node, now);
}

void
put_node(json_t **object, const char *key, const struct settings *settings,
    node_id id)
{
	const struct config_node *node =
	    id == NODE_NONE ? NULL : config_find(&settings->shared, id);
	json_t *value = node == NULL ? json_null() : json_object();

	if (node != NULL) {
		put_id(&value, "id", id);
		put_text(&value, "name", node->name);
		put_text(&value, "address", node->address);
	}
	put_value(object, key, value);
}

void
put_reason_named(
    json_t **object, const struct settings *settings, struct reason reason)
{
	put_reason(object, reason);
	put_text_or_null(
	    object, "reason_name", settings_name(settings, reason.node));
}

void
put_standby(json_t **object, const struct standby *standby, bool is_own)
{
	static const char *const ends[] = {
		[STANDBY_ORDER] = "rejoin",
		[STANDBY_CHECK] = "well",
		[STANDBY_RESIGNED] = "alone",
	};
	bool has_end = standby->left != NSEC_NEVER;
	json_t *value = standby->is_on ? json_object() : json_null();

	if (standby->is_on) {
		put_text_or_null(&value, "reason",
		    standby->reason[0] == '\0' ? NULL : standby->reason);
		put_ms_or_null(&value, "since_ms", true, standby->age);
		put_ms_or_null(&value, "left_ms", has_end, standby->left);
		put_text_or_null(
		    &value, "until", is_own ? ends[standby->cause] : NULL);
	}
	put_value(object, "standby", value);
}

void
view_note_given(const struct control_view *view, nsec_t until)
{
	if (view->given != NULL && *view->given < until)
		*view->given = until;
}

const char *
view_no_carrier(const struct control_view *view)
{
	return view->lacks_carrier == NULL ? NULL
					   : view->lacks_carrier(view->context);
}

nsec_t
view_hand_out(const struct control_view *view, nsec_t now, bool holds)
{
	nsec_t until = node_hand_out(view->node, now);

	/* The helper must know the deadline before the client does. */
	if (until > 0 && view->hand_out != NULL)
		view->hand_out(view->context);
	if (!holds)
		view_note_given(view, until);
	return until;
}

json_t *
answer_messages(
    const struct algorithm *algorithm, const uint64_t counts[MESSAGE_KINDS_MAX])
{
	json_t *o = json_object();

	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++) {
		if (algorithm->kinds[i] != NULL)
			put_count(&o, algorithm->kinds[i], counts[i]);
	}
	return o;
}
