/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/request.h"

#include <string.h>

#define NAMES_MAX 160 /* bytes of the names that an error lists */

bool
pending_request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer)
{
	return pending->kind == PENDING_ANSWER &&
	       pending->is_over(pending, view, answer);
}

json_t *
request_await(struct request *request, struct pending_request pending)
{
	json_t *answer = NULL;

	pending.kind = PENDING_ANSWER;
	if (!pending_request_is_over(&pending, request->view, &answer))
		request->pending = pending;
	return answer;
}

static bool
operation_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer)
{
	struct outcome outcome;

	return view->has_ended(view->context, pending->operation,
		   pending->number, &outcome) &&
	       pending->is_done(pending, view, &outcome, answer);
}

json_t *
request_await_end(struct request *request, enum operation_kind operation,
    uint64_t number, request_is_done *is_done)
{
	return request_await(request,
	    (struct pending_request){
		.is_over = operation_is_over,
		.waits = !json_is_false(json_object_get(request->body, "wait")),
		.operation = operation,
		.number = number,
		.is_done = is_done,
	    });
}

const char *
request_text(const struct request *request, const char *key)
{
	return json_string_value(json_object_get(request->body, key));
}

json_int_t
request_number(const struct request *request, const char *key)
{
	return json_integer_value(json_object_get(request->body, key));
}

bool
request_has(const struct request *request, const char *flag)
{
	return json_is_true(json_object_get(request->body, flag));
}

/* "web1, web2"; if not all names fit, "..." ends the list. */
static void
list_names(const struct settings *settings, char text[NAMES_MAX])
{
	size_t size = 0;

	text[0] = '\0';
	for (size_t i = 0; i < settings->shared.nodes_count; i++) {
		const char *name = settings->shared.nodes[i].name;
		const char *before = i == 0 ? "" : ", ";

		if (size + strlen(name) + sizeof(", , ...") > NAMES_MAX) {
			snprintf(
			    text + size, NAMES_MAX - size, "%s...", before);
			return;
		}
		size += (size_t)snprintf(
		    text + size, NAMES_MAX - size, "%s%s", before, name);
	}
}

json_t *
request_node(const struct request *request, const char *key, node_id *id)
{
	const struct control_view *view = request->view;
	const json_t *given = json_object_get(request->body, key);
	const struct config_node *node;
	char names[NAMES_MAX];

	*id = NODE_NONE;
	if (given == NULL)
		return NULL;
	node = config_named(&view->settings->shared, json_string_value(given));
	if (node == NULL) {
		list_names(view->settings, names);
		return error_answer(CODE_USAGE,
		    "unknown node \"%.32s\"; nodes: %s",
		    json_string_value(given), names);
	}
	*id = node->id;
	return NULL;
}
