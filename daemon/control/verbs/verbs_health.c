/* SPDX-License-Identifier: ISC */
#include "daemon/control/verbs/verbs_each.h"

#include <string.h>

#include "daemon/history/put.h"

/* NULL, or why the arguments are no report. */
static json_t *
read_report(const struct request *request, struct health_report *report)
{
	const json_t *list = json_object_get(request->body, "list");
	const json_t *ok = json_object_get(request->body, "ok");

	*report = (struct health_report){
		.session = request->session,
		.list = (uint64_t)json_integer_value(list),
		.is_known = ok != NULL,
		.is_well = json_is_true(ok),
	};
	if (json_integer_value(list) < 0)
		return error_answer(CODE_USAGE, "health: list is from 0");
	return take_reason(request, report->reason);
}

static json_t *
command_of(const struct settings_check *check)
{
	json_t *words = json_array();
	const char *word = check->command;

	for (size_t i = 0; i < check->words_count; i++) {
		put_next(&words, put_string(word));
		word += strlen(word) + 1;
	}
	return words;
}

static json_t *
answer_check(const struct settings_check *check)
{
	json_t *o = json_object();

	put_text(&o, "name", check->name);
	if (check->words_count > 0)
		put_value(&o, "command", command_of(check));
	if (check->unit[0] != '\0')
		put_text(&o, "unit", check->unit);
	if (check->disk[0] != '\0')
		put_text(&o, "disk", check->disk);
	if (check->pressure[0] != '\0') {
		put_text(&o, "pressure", check->pressure);
		put_count(&o, "limit", check->limit);
	}
	put_ms_or_null(&o, "interval_ms", true, check->interval);
	put_ms_or_null(&o, "timeout_ms", true, check->timeout);
	put_count(&o, "rise", check->rise);
	put_count(&o, "fall", check->fall);
	return o;
}

static json_t *
answer_checks(const struct settings *settings)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < settings->checks_count; i++)
		put_next(&rows, answer_check(&settings->checks[i]));
	return rows;
}

json_t *
verb_health(struct request *request)
{
	const struct control_view *view = request->view;
	struct health_report report;
	struct health_view health;
	json_t *error = read_report(request, &report), *o;

	if (error != NULL)
		return error;
	if (view->health == NULL)
		return error_answer(
		    CODE_REFUSED, "health: this daemon has no checks");
	if (!view->health(view->context, &report, &health))
		return error_answer(CODE_REFUSED,
		    "another `electctl checks` is connected already");
	o = json_object();
	put_count(&o, "list", health.list);
	put_ms_or_null(&o, "valid_ms", true, health.valid);
	if (report.list != health.list)
		put_value(&o, "checks", answer_checks(view->settings));
	return o;
}
