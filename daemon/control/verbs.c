/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs.h"

#include <stdarg.h>

#include "daemon/control/answers.h"
#include "daemon/control/answers_put.h"
#include "daemon/control/verbs_steer.h"
#include "daemon/system/log.h"

#define DEPTH_MAX     8   /* of brackets in a request; the deepest needs 1 */
#define ERROR_MAX     256 /* bytes of an error's text and its end */
#define ARGUMENTS_MAX 2   /* besides "verb" */

struct argument {
	const char *name;
	json_type type; /* JSON_TRUE: or JSON_FALSE */
};

struct verb {
	const char *name;
	struct argument arguments[ARGUMENTS_MAX];
	bool is_admin;
	json_t *(*answer)(struct request *request);
};

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

static json_t *
verb_leader(struct request *request)
{
	if (json_is_false(json_object_get(request->body, "deadline")))
		return answer_leader_now(request->view);
	return answer_leader(request->view);
}

static json_t *
verb_is_leader(struct request *request)
{
	return answer_is_leader(request->view);
}

static json_t *
verb_status(struct request *request)
{
	return answer_status(request->view);
}

static json_t *
verb_peers(struct request *request)
{
	return answer_peers(request->view);
}

static json_t *
verb_stats(struct request *request)
{
	return answer_stats(request->view, request->counters);
}

static json_t *
verb_version(struct request *request)
{
	return json_pack("{s:i,s:s}", "protocol", CONTROL_PROTOCOL, "version",
	    request->view->version);
}

static json_t *
verb_names(struct request *request)
{
	return answer_names(request->view);
}

/* The present state is the first line and counts against the limit. */
static json_t *
verb_watch(struct request *request)
{
	const json_t *limit = json_object_get(request->body, "limit");
	json_int_t lines = json_integer_value(limit);
	bool has_deadlines =
	    json_is_true(json_object_get(request->body, "deadlines"));

	if (limit != NULL && lines < 1)
		return error_answer(CODE_USAGE, "limit: must be 1 or more");
	if (has_deadlines &&
	    request->view->settings->guarantee != GUARANTEE_QUORUM)
		return error_answer(CODE_USAGE,
		    "watch deadlines: this cluster has guarantee = \"%s\": "
		    "there are none",
		    guarantee_name(request->view->settings->guarantee));
	if (limit == NULL || lines > 1)
		request->pending = (struct pending_request){
			.kind = STANDING_WATCH,
			.left =
			    limit == NULL ? UINT64_MAX : (uint64_t)lines - 1,
			.has_deadlines = has_deadlines,
		};
	return answer_state(request->view);
}

static bool
is_led(const struct node_status *status)
{
	return status->leader != NODE_NONE;
}

static bool
is_not_led(const struct node_status *status)
{
	return status->leader == NODE_NONE;
}

static bool
hears_quorum(const struct node_status *status)
{
	return status->votes >= status->quorum;
}

bool
pending_request_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer)
{
	switch (pending->kind) {
	case STANDING_LEADER:
		return answer_leader_if(view, is_led, answer);
	case STANDING_NO_LEADER:
		return answer_leader_if(view, is_not_led, answer);
	case STANDING_QUORUM:
		return answer_leader_if(view, hears_quorum, answer);
	case STANDING_RESIGN:
		return resign_is_over(view, pending->to, answer);
	case STANDING_NONE:
	case STANDING_WATCH:
		break;
	}
	return false;
}

json_t *
request_stand(struct request *request, struct pending_request pending)
{
	json_t *answer = NULL;

	if (!pending_request_is_over(&pending, request->view, &answer))
		request->pending = pending;
	return answer;
}

/* STANDING_NONE: there is nothing of this name to wait for. */
static enum pending_request_kind
wish_find(const char *word)
{
	static const char *const wishes[] = {
		[STANDING_LEADER] = "leader",
		[STANDING_NO_LEADER] = "no-leader",
		[STANDING_QUORUM] = "quorum",
	};

	for (enum pending_request_kind i = STANDING_LEADER;
	     i <= STANDING_QUORUM; i++) {
		if (strcmp(wishes[i], word) == 0)
			return i;
	}
	return STANDING_NONE;
}

static json_t *
verb_wait(struct request *request)
{
	const struct control_view *view = request->view;
	const json_t *what = json_object_get(request->body, "for");
	enum pending_request_kind kind =
	    what == NULL ? STANDING_LEADER : wish_find(json_string_value(what));

	if (kind == STANDING_NONE)
		return error_answer(CODE_USAGE,
		    "wait: \"for\" must be \"leader\", \"no-leader\" or \"quorum\"");
	if (kind == STANDING_QUORUM &&
	    view->settings->guarantee != GUARANTEE_QUORUM)
		return error_answer(CODE_USAGE,
		    "wait quorum: this cluster has guarantee = \"%s\": there "
		    "is no quorum to wait for",
		    guarantee_name(view->settings->guarantee));
	return request_stand(request, (struct pending_request){ .kind = kind });
}

static json_t *
verb_explain(struct request *request)
{
	const struct control_view *view = request->view;
	const json_t *wish = json_object_get(request->body, "term");
	json_int_t term = json_integer_value(wish);
	const struct past_election *past;

	if (wish != NULL && term < 1)
		return error_answer(CODE_USAGE, "term: must be 1 or more");
	past = node_past_election(view->node, (uint64_t)term);
	if (past != NULL)
		return answer_explain(view, past);
	if (wish == NULL)
		return error_answer(
		    CODE_NO, "this node has taken part in no election yet");
	return error_answer(CODE_NO,
	    "nothing is known of term %" JSON_INTEGER_FORMAT
	    ": this node took no part in its election, or in %d others since",
	    term, HISTORY_ELECTIONS_MAX);
}

static const struct verb verbs[] = {
	{ .name = "leader",
	    .arguments = { { "deadline", JSON_TRUE } },
	    .answer = verb_leader },
	{ .name = "is-leader", .answer = verb_is_leader },
	{ .name = "status", .answer = verb_status },
	{ .name = "peers", .answer = verb_peers },
	{ .name = "watch",
	    .arguments = { { "limit", JSON_INTEGER },
		{ "deadlines", JSON_TRUE } },
	    .answer = verb_watch },
	{ .name = "wait",
	    .arguments = { { "for", JSON_STRING } },
	    .answer = verb_wait },
	{ .name = "explain",
	    .arguments = { { "term", JSON_INTEGER } },
	    .answer = verb_explain },
	{ .name = "stats", .answer = verb_stats },
	{ .name = "names", .answer = verb_names },
	{ .name = "version", .answer = verb_version },
	{ .name = "elect", .is_admin = true, .answer = verb_elect },
	{ .name = "resign",
	    .arguments = { { "to", JSON_STRING } },
	    .is_admin = true,
	    .answer = verb_resign },
	{ .name = "rejoin", .is_admin = true, .answer = verb_rejoin },
};

static const struct verb *
verb_find(const char *name)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

/* Is `key` an argument of the verb, and of the right type? */
static bool
argument_fits(const struct verb *verb, const char *key, const json_t *value)
{
	for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
		const struct argument *argument = &verb->arguments[i];

		if (argument->name != NULL && strcmp(argument->name, key) == 0)
			return json_typeof(value) == argument->type ||
			       (argument->type == JSON_TRUE &&
				   json_is_false(value));
	}
	return strcmp(key, "verb") == 0;
}

/* NULL if all is well, else the error. */
static json_t *
arguments_check(const struct verb *verb, json_t *body)
{
	const char *key;
	json_t *value;

	json_object_foreach(body, key, value)
	{
		if (!argument_fits(verb, key, value))
			return error_answer(CODE_USAGE,
			    "%s: \"%.32s\" is no argument of it, or of another type",
			    verb->name, key);
	}
	return NULL;
}

/*
 * How deep the brackets nest, strings left out; the parser itself would go on
 * to 2048 levels of recursion.
 */
static size_t
nesting(const char *line, size_t size)
{
	size_t depth = 0, deepest = 0;
	bool in_string = false;

	for (size_t i = 0; i < size; i++) {
		if (in_string && line[i] == '\\')
			i++;
		else if (line[i] == '"')
			in_string = !in_string;
		else if (!in_string && (line[i] == '{' || line[i] == '['))
			deepest = ++depth > deepest ? depth : deepest;
		else if (!in_string && depth > 0 &&
			 (line[i] == '}' || line[i] == ']'))
			depth--;
	}
	return deepest;
}

static void
log_steering(const struct request *request, const char *verb, bool allowed)
{
	log_info("control: %s by uid %u, gid %u, pid %d: %s", verb,
	    (unsigned)request->peer.uid, (unsigned)request->peer.gid,
	    (int)request->peer.pid, allowed ? "allowed" : "denied");
}

/* NULL if the sender may, else the error. */
static json_t *
permission_check(const struct verb *verb, const struct request *request)
{
	bool allowed = request->is_admin && request->may_steer;

	if (!verb->is_admin)
		return NULL;
	/* Anyone may try this: it is not worth a line of the log. */
	if (!request->is_admin)
		return error_answer(
		    CODE_DENIED, "%s is for the admin socket", verb->name);
	log_steering(request, verb->name, allowed);
	if (allowed)
		return NULL;
	return error_answer(CODE_DENIED,
	    "uid %u may not %s: that is for root, electd's own user and the "
	    "group in control.group",
	    (unsigned)request->peer.uid, verb->name);
}

/* Checks from the outside in, then answers. */
static json_t *
body_answer(struct request *request)
{
	const json_t *name = json_object_get(request->body, "verb");
	const struct verb *verb;
	json_t *error;

	if (!json_is_string(name))
		return error_answer(
		    CODE_USAGE, "a request is an object with a \"verb\"");
	verb = verb_find(json_string_value(name));
	if (verb == NULL)
		return error_answer(CODE_USAGE, "unknown verb \"%.32s\"",
		    json_string_value(name));
	error = arguments_check(verb, request->body);
	if (error == NULL)
		error = permission_check(verb, request);
	return error != NULL ? error : verb->answer(request);
}

json_t *
verbs_answer(struct request *request, const char *line, size_t size)
{
	json_error_t error;
	json_t *body, *answer;

	if (nesting(line, size) > DEPTH_MAX)
		return error_answer(
		    CODE_USAGE, "nested deeper than %d levels", DEPTH_MAX);
	body = json_loadb(line, size, JSON_REJECT_DUPLICATES, &error);
	if (body == NULL)
		return error_answer(CODE_USAGE, "no JSON: %s", error.text);
	request->body = body;
	answer = body_answer(request);
	request->body = NULL;
	json_decref(body);
	return answer;
}
