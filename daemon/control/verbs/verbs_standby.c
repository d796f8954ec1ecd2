/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs_each.h"

#include <string.h>

#include "daemon/history/put.h"

#define FOR_MS_MAX ((json_int_t)366 * 24 * 3600 * 1000) /* longer: a mistake */

json_t *
take_reason(const struct request *request, char reason[STANDBY_REASON_MAX + 1])
{
	const json_t *given = json_object_get(request->body, "reason");
	const char *text = given == NULL ? "" : json_string_value(given);
	size_t size = strlen(text);

	if (size != json_string_length(given) ||
	    !standby_reason_is_valid(text, size))
		return error_answer(CODE_USAGE,
		    "%s: a reason has at most %d bytes, and no control characters",
		    json_string_value(json_object_get(request->body, "verb")),
		    STANDBY_REASON_MAX);
	memcpy(reason, text, size + 1);
	return NULL;
}

/* NULL, or why these are no words and no time for a standby. */
static json_t *
find_standby(const struct request *request, struct standby *standby)
{
	const json_t *lasts = json_object_get(request->body, "for_ms");
	json_int_t ms = json_integer_value(lasts);

	*standby = (struct standby){
		.is_on = true,
		.left = lasts == NULL ? NSEC_NEVER : (nsec_t)ms * MSEC,
	};
	if (lasts != NULL && (ms < 1 || ms > FOR_MS_MAX))
		return error_answer(
		    CODE_USAGE, "standby: for_ms is from 1 to a year");
	return take_reason(request, standby->reason);
}

/* Without this node nobody would lead. NULL: another could, or the operator
 * wants that. */
static json_t *
refuse_last(const struct request *request)
{
	struct node_status status = view_status(request->view);

	if (request_has(request, "force") || status.eligibility != ELIGIBLE ||
	    status.eligible != 1)
		return NULL;
	return error_answer(CODE_REFUSED,
	    "standby: no other node could lead at present, so there would be no leader: give --force if you want that");
}

/* Why the change has not come into effect. */
static json_t *
refuse_unkept(const struct control_view *view, int error)
{
	return error_answer(CODE_REFUSED,
	    "cannot write the standby to %s: %s; nothing has changed",
	    view->settings->state_dir, strerror(-error));
}

static bool
standby_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	struct node_status status = view_status(view);

	(void)pending;
	if (outcome->error != 0) {
		*answer = refuse_unkept(view, outcome->error);
		return true;
	}
	if (!standby_is_by(&status.standby, STANDBY_ORDER)) {
		*answer = error_answer(CODE_REFUSED,
		    "the standby is over already: its time has passed, or somebody ran `electctl rejoin`");
		return true;
	}
	if (status.state == STATE_LEADER || status.state == STATE_ELECTING)
		return false;
	*answer = json_object();
	put_standby(answer, &status.standby, true);
	put_node(answer, "leader", view->settings, status.leader);
	return true;
}

json_t *
verb_standby(struct request *request)
{
	const struct control_view *view = request->view;
	struct operation operation = { .kind = OPERATION_STANDBY };
	json_t *error = find_standby(request, &operation.standby);

	if (error == NULL)
		error = refuse_last(request);
	if (error != NULL)
		return error;
	return request_await_end(request, operation.kind,
	    view->begin(view->context, &operation), standby_is_done);
}

/* A check may keep the node on standby all the same. */
static json_t *
answer_rejoined(const struct control_view *view, bool rejoined)
{
	struct standby standby = view_status(view).standby;
	json_t *answer = json_pack("{s:b}", "rejoined", rejoined);

	put_standby(&answer, &standby, true);
	return answer;
}

static bool
rejoin_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	(void)pending;
	*answer = outcome->error != 0 ? refuse_unkept(view, outcome->error)
				      : answer_rejoined(view, true);
	return true;
}

json_t *
verb_rejoin(struct request *request)
{
	static const struct operation off = { .kind = OPERATION_STANDBY };
	static const struct standby stands = { .cause = STANDBY_RESIGNED };
	const struct control_view *view = request->view;
	struct standby before = view_status(view).standby;
	uint64_t number;

	if (standby_is_by(&before, STANDBY_RESIGNED)) {
		node_set_standby(view->node, view_wake(view), &stands);
		view->perform(view->context);
	}
	number = view->begin(view->context, &off);
	if (number == 0)
		return answer_rejoined(
		    view, standby_is_by(&before, STANDBY_RESIGNED));
	return request_await_end(request, off.kind, number, rejoin_is_done);
}
