/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs.h"

#include <string.h>

#include "daemon/control/verbs/verbs_each.h"
#include "daemon/system/log.h"

#define DEPTH_MAX     8 /* of brackets in a request; valid ones need 1 */
#define ARGUMENTS_MAX 6 /* besides "verb" */

struct argument {
	const char *name;
	json_type type; /* JSON_TRUE: a boolean */
};

struct verb {
	const char *name;
	struct argument arguments[ARGUMENTS_MAX];
	bool is_admin; /* for the admin socket only */
	/* The argument with which it is for that alone; NULL: none. */
	const char *admin_argument;
	bool is_query;     /* it is not logged: it steers nothing, though it is
			    * for that socket, or comes every second */
	bool is_of_holder; /* only who watches and holds may send it */

	/* Answers, if the view is enough for that; else NULL. */
	json_t *(*show)(const struct control_view *view);

	/* Answers in all other cases. */
	json_t *(*serve)(struct request *request);
};

/* A deadline delays a failover, so not every user gets one. */
static bool
gets_deadline(const struct request *request)
{
	return request->may_rely && request_has(request, "deadline");
}

static json_t *
verb_leader(struct request *request)
{
	return answer_leader(request->view, gets_deadline(request));
}

static json_t *
verb_is_leader(struct request *request)
{
	return answer_is_leader(request->view, gets_deadline(request));
}

/* The present state is the first line, and counts towards the limit. */
static json_t *
verb_watch(struct request *request)
{
	const json_t *limit = json_object_get(request->body, "limit");
	json_int_t lines = json_integer_value(limit);
	bool holds = request_has(request, "holds");
	bool has_deadlines = holds || request_has(request, "deadlines");

	if (limit != NULL && lines < 1)
		return error_answer(CODE_USAGE, "limit: must be 1 or more");
	if (has_deadlines &&
	    request->view->settings->shared.guarantee != GUARANTEE_QUORUM)
		return error_answer(CODE_USAGE,
		    "watch deadlines: this cluster has guarantee = \"%s\", which gives none",
		    guarantee_words[request->view->settings->shared.guarantee]);
	if (has_deadlines && !request->may_rely)
		return error_answer(CODE_DENIED,
		    "uid %u gets no deadlines: only root, electd's own user and group, and those in control.group and control.deadlines do",
		    (unsigned)request->peer.uid);
	if (limit == NULL || lines > 1)
		request->pending = (struct pending_request){
			.kind = PENDING_WATCH,
			.left =
			    limit == NULL ? UINT64_MAX : (uint64_t)lines - 1,
			.has_deadlines = has_deadlines,
			.holds = holds,
		};
	return answer_state(request->view);
}

/* The client has stopped what it did as the leader. It may have a later
 * deadline to read yet, and then begin anew, unless it leaves. */
static json_t *
verb_release(struct request *request)
{
	json_int_t by = request_number(request, "until_boot_ns");

	request->leaves = request_has(request, "leaves");
	if (by < 1 && !request->leaves)
		return error_answer(CODE_USAGE,
		    "release: until_boot_ns must be the deadline to give back, or leaves must be true");
	request->releases = request->held != 0 &&
			    (request->leaves || (nsec_t)by >= request->held);
	return json_pack("{s:b}", "released", (int)request->releases);
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

static bool
wait_is_over(const struct pending_request *pending,
    const struct control_view *view, json_t **answer)
{
	return answer_leader_if(view, pending->fits, answer);
}

/* What "for" names; NULL if it is nothing to wait for. */
static status_fits *
find_condition(const char *word)
{
	if (word == NULL || strcmp(word, "leader") == 0)
		return is_led;
	if (strcmp(word, "no-leader") == 0)
		return is_not_led;
	return strcmp(word, "quorum") == 0 ? hears_quorum : NULL;
}

static json_t *
verb_wait(struct request *request)
{
	const struct control_view *view = request->view;
	status_fits *fits = find_condition(request_text(request, "for"));

	if (fits == NULL)
		return error_answer(CODE_USAGE,
		    "wait: \"for\" must be \"leader\", \"no-leader\" or \"quorum\"");
	if (fits == hears_quorum &&
	    view->settings->shared.guarantee != GUARANTEE_QUORUM)
		return error_answer(CODE_USAGE,
		    "wait quorum: this cluster has guarantee = \"%s\", which has no quorum",
		    guarantee_words[view->settings->shared.guarantee]);
	return request_await(request,
	    (struct pending_request){ .is_over = wait_is_over, .fits = fits });
}

static json_t *
verb_explain(struct request *request)
{
	const struct control_view *view = request->view;
	const json_t *given = json_object_get(request->body, "term");
	json_int_t term = json_integer_value(given);
	const struct past_election *past;

	if (given != NULL && term < 1)
		return error_answer(CODE_USAGE, "term: must be 1 or more");
	past = node_past_election(view->node, (uint64_t)term);
	if (past != NULL)
		return answer_explain(view, past);
	if (given == NULL)
		return error_answer(
		    CODE_NO, "this node has not taken part in an election yet");
	return error_answer(CODE_NO,
	    "nothing is known of term %" JSON_INTEGER_FORMAT
	    ": this node took no part in that election, or in %d others since",
	    term, HISTORY_ELECTIONS_MAX);
}

static json_t *
verb_history(struct request *request)
{
	const json_t *given = json_object_get(request->body, "from");
	json_int_t from = given == NULL ? 1 : json_integer_value(given);

	if (from < 1)
		return error_answer(CODE_USAGE, "from: must be 1 or more");
	if (json_object_get(request->body, "node") != NULL)
		return fetch_history(request, (uint64_t)from);
	return answer_history(request->view, (uint64_t)from);
}

static const struct verb verbs[] = {
	{ .name = "leader",
	    .arguments = { { "deadline", JSON_TRUE } },
	    .serve = verb_leader },
	{ .name = "is-leader",
	    .arguments = { { "deadline", JSON_TRUE } },
	    .serve = verb_is_leader },
	{ .name = "status", .show = answer_status },
	{ .name = "peers", .show = answer_peers },
	{ .name = "watch",
	    .arguments = { { "limit", JSON_INTEGER },
		{ "deadlines", JSON_TRUE }, { "holds", JSON_TRUE } },
	    .serve = verb_watch },
	{ .name = "release",
	    .arguments = { { "until_boot_ns", JSON_INTEGER },
		{ "leaves", JSON_TRUE } },
	    .is_of_holder = true,
	    .serve = verb_release },
	{ .name = "wait",
	    .arguments = { { "for", JSON_STRING } },
	    .serve = verb_wait },
	{ .name = "explain",
	    .arguments = { { "term", JSON_INTEGER } },
	    .serve = verb_explain },
	{ .name = "history",
	    .arguments = { { "from", JSON_INTEGER }, { "node", JSON_INTEGER } },
	    .admin_argument = "node",
	    .is_query = true,
	    .serve = verb_history },
	{ .name = "leaders", .show = answer_leaders },
	{ .name = "snapshot",
	    .is_admin = true,
	    .is_query = true,
	    .serve = verb_snapshot },
	{ .name = "members", .show = answer_members },
	{ .name = "config", .show = answer_config },
	{ .name = "key", .show = answer_key },
	{ .name = "stats", .show = answer_stats },
	{ .name = "names", .show = answer_names },
	{ .name = "version", .show = answer_version },
	{ .name = "elect", .is_admin = true, .serve = verb_elect },
	{ .name = "resign",
	    .arguments = { { "to", JSON_STRING }, { "reason", JSON_STRING } },
	    .is_admin = true,
	    .serve = verb_resign },
	{ .name = "standby",
	    .arguments = { { "for_ms", JSON_INTEGER },
		{ "reason", JSON_STRING }, { "force", JSON_TRUE } },
	    .is_admin = true,
	    .serve = verb_standby },
	{ .name = "rejoin", .is_admin = true, .serve = verb_rejoin },
	{ .name = "health",
	    .arguments = { { "list", JSON_INTEGER }, { "ok", JSON_TRUE },
		{ "reason", JSON_STRING } },
	    .is_admin = true,
	    .is_query = true,
	    .serve = verb_health },
	{ .name = "reload",
	    .arguments = { { "wait", JSON_TRUE }, { "force", JSON_TRUE } },
	    .is_admin = true,
	    .serve = verb_reload },
	{ .name = "record", .is_admin = true, .serve = verb_record },
	{ .name = "members-add",
	    .arguments = { { "id", JSON_INTEGER }, { "name", JSON_STRING },
		{ "address", JSON_STRING }, { "role", JSON_STRING },
		{ "priority", JSON_INTEGER }, { "force", JSON_TRUE } },
	    .is_admin = true,
	    .serve = verb_members_add },
	{ .name = "members-remove",
	    .arguments = { { "node", JSON_STRING } },
	    .is_admin = true,
	    .serve = verb_members_remove },
	{ .name = "members-replace",
	    .arguments = { { "node", JSON_STRING },
		{ "address", JSON_STRING } },
	    .is_admin = true,
	    .serve = verb_members_replace },
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

/* True if `key` is an argument of the verb and `value` has its type. */
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

/* NULL if the arguments are right, else the error. */
static json_t *
arguments_check(const struct verb *verb, json_t *body)
{
	const char *key;
	json_t *value;

	json_object_foreach(body, key, value)
	{
		if (!argument_fits(verb, key, value))
			return error_answer(CODE_USAGE,
			    "%s: \"%.32s\" is not an argument, or has the wrong type",
			    verb->name, key);
	}
	return NULL;
}

/*
 * How deep the brackets outside strings nest. The parser itself would go on to
 * 2048 levels of recursion.
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

/* Clients of the admin socket alone cause this line: root, electd's own user
 * and the group; each user but root has RATE_MAX requests a second. */
static void
log_steering(const struct request *request, const char *verb, bool allowed)
{
	log_info("control: %s by uid %u, gid %u, pid %d: %s", verb,
	    (unsigned)request->peer.uid, (unsigned)request->peer.gid,
	    (int)request->peer.pid, allowed ? "allowed" : "denied");
}

/* What the request has that is for the admin socket: the verb, or an argument.
 * NULL: nothing. */
static const char *
reserved_word(const struct verb *verb, const json_t *body)
{
	if (verb->is_admin)
		return verb->name;
	return json_object_get(body, verb->admin_argument) != NULL
		   ? verb->admin_argument
		   : NULL;
}

/* NULL if the sender may use the verb so, else the error. */
static json_t *
permission_check(const struct verb *verb, const struct request *request)
{
	const char *word = reserved_word(verb, request->body);
	bool allowed = request->is_admin && request->may_steer;

	if (word == NULL)
		return NULL;
	/* Any user may try this, so it is not logged. */
	if (!request->is_admin)
		return error_answer(
		    CODE_DENIED, "%s is for the admin socket", word);
	if (!allowed || !verb->is_query)
		log_steering(request, verb->name, allowed);
	if (allowed)
		return NULL;
	return error_answer(CODE_DENIED,
	    "uid %u may not %s: only root, electd's own user and the group in control.group may",
	    (unsigned)request->peer.uid, verb->name);
}

/* NULL if the verb may follow what the sender has asked before. */
static json_t *
order_check(const struct verb *verb, const struct request *request)
{
	if (request->holds == verb->is_of_holder)
		return NULL;
	return request->holds
		   ? error_answer(CODE_USAGE, WATCHES_ALREADY)
		   : error_answer(CODE_USAGE,
			 "%s: this connection holds nothing: watch with \"holds\" first",
			 verb->name);
}

/* Checks the verb, its arguments and the permission, then answers. */
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
	error = order_check(verb, request);
	if (error == NULL)
		error = arguments_check(verb, request->body);
	if (error == NULL)
		error = permission_check(verb, request);
	if (error != NULL)
		return error;
	return verb->show != NULL ? verb->show(request->view)
				  : verb->serve(request);
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
		return error_answer(CODE_USAGE, "not JSON: %s", error.text);
	request->body = body;
	answer = body_answer(request);
	request->body = NULL;
	json_decref(body);
	return answer;
}
