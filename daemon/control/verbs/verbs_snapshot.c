/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs_each.h"

static bool
snapshot_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	(void)pending;
	*answer = answer_snapshot(view, &outcome->assembled);
	return true;
}

json_t *
verb_snapshot(struct request *request)
{
	static const struct operation snapshot = { .kind = OPERATION_SNAPSHOT };
	const struct control_view *view = request->view;
	struct node_status status = view_status(view);
	uint64_t number;

	if (status.is_leaving || status.eligibility == INELIGIBLE_ENDING)
		return error_answer(
		    CODE_REFUSED, "this node is stopping: ask another");
	number = view->begin(view->context, &snapshot);
	if (number == 0)
		return error_answer(CODE_UNKNOWN, "out of memory");
	view->perform(view->context);
	return request_await_end(
	    request, snapshot.kind, number, snapshot_is_done);
}

static bool
fetch_is_done(const struct pending_request *pending,
    const struct control_view *view, const struct outcome *outcome,
    json_t **answer)
{
	(void)pending;
	*answer = outcome->fetched == NULL
		      ? error_answer(CODE_UNKNOWN,
			    "too many fetches are under way: ask again")
		      : answer_fetched(view, outcome->fetched);
	return true;
}

json_t *
fetch_history(struct request *request, uint64_t from)
{
	const struct control_view *view = request->view;
	json_int_t node = request_number(request, "node");
	const struct operation fetch = {
		.kind = OPERATION_FETCH,
		.node = (node_id)node,
		.from = from,
	};
	uint64_t number;

	if (node < 1 || node > NODE_ID_MAX)
		return error_answer(CODE_USAGE, "node: must be 1 or more");
	view_wake(view);
	number = view->begin(view->context, &fetch);
	if (number == 0)
		return error_answer(CODE_REFUSED,
		    "no path to node %" JSON_INTEGER_FORMAT
		    " is known: take a snapshot first"
		    ", or too many fetches are under way",
		    node);
	view->perform(view->context);
	return request_await_end(request, fetch.kind, number, fetch_is_done);
}
