/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs_snapshot.h"

#include <inttypes.h>

#include "daemon/control/answers.h"

bool
snapshot_is_over(
    const struct control_view *view, uint64_t number, json_t **answer)
{
	struct surveyed surveyed = view->surveyed(view->context);

	if (surveyed.number < number)
		return false;
	*answer = answer_snapshot(view, &surveyed);
	return true;
}

json_t *
verb_snapshot(struct request *request)
{
	const struct control_view *view = request->view;
	struct node_status status = view_status(view);
	uint64_t number;

	if (view->survey == NULL)
		return error_answer(CODE_REFUSED, "no snapshots here");
	if (status.is_leaving || status.eligibility == INELIGIBLE_ENDING)
		return error_answer(
		    CODE_REFUSED, "this node is stopping: ask another");
	number = view->survey(view->context);
	if (number == 0)
		return error_answer(CODE_UNKNOWN, "out of memory");
	view->perform(view->context);
	return request_await(request, (struct pending_request){
					  .kind = PENDING_SURVEY,
					  .reload = number,
				      });
}

bool
fetch_is_over(const struct control_view *view, uint64_t number, json_t **answer)
{
	const struct fetched *fetched = view->fetched(view->context, number);

	if (fetched == NULL)
		return false;
	*answer = answer_fetched(view, fetched);
	return true;
}

json_t *
verb_history_of(struct request *request)
{
	const struct control_view *view = request->view;
	json_int_t node =
	    json_integer_value(json_object_get(request->body, "node"));
	json_int_t from =
	    json_integer_value(json_object_get(request->body, "from"));
	uint64_t number;

	if (node < 1 || node > NODE_ID_MAX || from < 1)
		return error_answer(
		    CODE_USAGE, "history-of: takes a node and from, from 1");
	if (view->survey == NULL)
		return error_answer(CODE_REFUSED, "no snapshots here");
	view_wake(view);
	number = view->fetch(view->context, (node_id)node, (uint64_t)from);
	if (number == 0)
		return error_answer(CODE_REFUSED,
		    "no snapshot has shown the way to node %" JSON_INTEGER_FORMAT
		    ", or too many fetches are under way",
		    node);
	view->perform(view->context);
	return request_await(request, (struct pending_request){
					  .kind = PENDING_FETCH,
					  .reload = number,
				      });
}
