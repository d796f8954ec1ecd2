/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs_members.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_document.h"
#include "daemon/control/answers.h"
#include "daemon/control/verbs_steer.h"
#include "daemon/history/put.h"

static const char *
text_of(const struct request *request, const char *key)
{
	return json_string_value(json_object_get(request->body, key));
}

static json_int_t
number_of(const struct request *request, const char *key)
{
	return json_integer_value(json_object_get(request->body, key));
}

/* Why this node changes no nodes, whatever the change. NULL if it does. */
static json_t *
refuse_any(const struct control_view *view)
{
	struct node_status status = view_status(view);

	if (view->change == NULL)
		return error_answer(
		    CODE_REFUSED, "members: this configuration is no file");
	if (!config_has_document(&view->settings->shared))
		return error_answer(CODE_REFUSED,
		    "members: this host knows only its neighbours: see CHANGING A CLUSTER in electd.conf(5)");
	if (status.is_leaving || status.eligibility == INELIGIBLE_ENDING)
		return error_answer(CODE_REFUSED,
		    "members: this node is stopping: ask another");
	if (status.is_outside)
		return error_answer(CODE_REFUSED,
		    "members: the settings of the other nodes do not name this node: ask another");
	return NULL;
}

/* Begins the change, which is taken as it is: whoever parses the settings that
 * come of it finds what is wrong. */
static json_t *
begin(struct request *request, const struct member_change *change)
{
	const struct control_view *view = request->view;
	json_t *error = refuse_any(view);
	uint64_t number;

	if (error != NULL)
		return error;
	number = view->change(view->context, change);
	if (number == 0)
		return error_answer(CODE_REFUSED,
		    "members: another change is proposed, and not yet in effect");
	return request_await(request, (struct pending_request){
					  .kind = PENDING_MEMBERS,
					  .reload = number,
				      });
}

json_t *
verb_members_add(struct request *request)
{
	const struct member_change change = {
		.kind = MEMBER_ADD,
		.id = number_of(request, "id"),
		.name = text_of(request, "name"),
		.address = text_of(request, "address"),
		.role = text_of(request, "role"),
		.priority = number_of(request, "priority"),
		.is_forced = request_forces(request),
	};

	return begin(request, &change);
}

/* A node that was discovered and runs would join again. */
static json_t *
refuse_present(const struct control_view *view, node_id id)
{
	if (!config_find(&view->settings->shared, id)->is_discovered)
		return NULL;
	for (unsigned i = 0; i < view_peers(view); i++) {
		struct peer_status peer = node_peer_status(view->node, i);

		if (peer.id == id && peer.up)
			return error_answer(CODE_REFUSED,
			    "members: %s runs, and would join again: stop electd there first",
			    config_find(&view->settings->shared, id)->name);
	}
	return NULL;
}

/* The changes of a node that there is. This node cannot go from the settings
 * that are in effect here, and its own socket keeps its address. */
static json_t *
begin_known(struct request *request, struct member_change change)
{
	const struct control_view *view = request->view;
	node_id id;
	json_t *error = find_node(request, "node", &id);

	if (error != NULL)
		return error;
	if (id == NODE_NONE)
		return error_answer(CODE_USAGE, "members: \"node\" is missing");
	if (id == view->self)
		return error_answer(CODE_REFUSED,
		    "members: %s is this node itself: ask another",
		    config_find(&view->settings->shared, id)->name);
	if (change.kind == MEMBER_REMOVE)
		error = refuse_present(request->view, id);
	if (error != NULL)
		return error;
	change.id = id;
	return begin(request, &change);
}

json_t *
verb_members_remove(struct request *request)
{
	return begin_known(
	    request, (struct member_change){ .kind = MEMBER_REMOVE });
}

json_t *
verb_members_replace(struct request *request)
{
	return begin_known(request, (struct member_change){
					.kind = MEMBER_REPLACE,
					.address = text_of(request, "address"),
				    });
}

/* True if the settings are as the change wants them. */
static bool
is_in_effect(const struct settings *settings, const struct membership *members)
{
	const struct config_node *want = &members->node;
	const struct config_node *is = config_find(&settings->shared, want->id);

	if (members->kind == MEMBER_REMOVE || is == NULL)
		return members->kind == MEMBER_REMOVE && is == NULL;
	return strcmp(is->name, want->name) == 0 &&
	       strcmp(is->address, want->address) == 0 &&
	       is->priority == want->priority && is->role == want->role;
}

static json_t *
answer_changed(
    const struct control_view *view, const struct membership *members)
{
	static const char *const words[] = {
		[MEMBER_ADD] = "added",
		[MEMBER_REMOVE] = "removed",
		[MEMBER_REPLACE] = "replaced",
	};
	struct node_status status = view_status(view);
	json_t *o = json_object();

	put_flag(&o, "ok", true);
	put_text(&o, "change", words[members->kind]);
	put_id(&o, "id", members->node.id);
	put_text(&o, "name", members->node.name);
	put_text(&o, "address", members->node.address);
	put_count(&o, "generation", view->settings->shared.generation);
	put_count(
	    &o, "file_generation", settings_file_generation(view->settings));
	put_count_or_null(&o, "spare",
	    status.quorum > 0 && status.votes >= status.quorum,
	    status.votes - status.quorum);
	return o;
}

/* The change was judged, and is to come into effect. */
static bool
change_is_over(const struct control_view *view,
    const struct membership *members, json_t **answer)
{
	const struct settings *settings = view->settings;

	if (settings->shared.generation < members->generation)
		return false;
	if (is_in_effect(settings, members))
		*answer = answer_changed(view, members);
	else
		*answer = error_answer(CODE_REFUSED,
		    "members: another change came first, generation %" PRIu32
		    ": try again",
		    settings->shared.generation);
	return true;
}

bool
members_is_over(
    const struct control_view *view, uint64_t number, json_t **answer)
{
	const struct membership *members = view->changed(view->context);
	const struct reload *change = &members->change;
	const char *trouble;

	if (change->number > number) {
		*answer = error_answer(CODE_UNKNOWN,
		    "members: another change came after this one; `electctl members` shows the outcome");
		return true;
	}
	if (!members->is_judged)
		return false;
	trouble = reload_trouble(change->end);
	if (trouble == NULL)
		return change_is_over(view, members, answer);
	*answer = error_answer(
	    change->end == RELOAD_WRONG ? CODE_SETTINGS : CODE_REFUSED,
	    "members: %s", trouble);
	put_value(answer, "details", lines_of(change->lines));
	return true;
}

json_t *
answer_config(const struct control_view *view)
{
	json_t *o = json_object();
	size_t size;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	if (to != NULL) {
		settings_print_file(view->settings, to);
		fclose(to);
	}
	put_count(&o, "generation", view->settings->shared.generation);
	put_value(&o, "lines", text != NULL ? lines_of(text) : NULL);
	free(text);
	return o;
}
