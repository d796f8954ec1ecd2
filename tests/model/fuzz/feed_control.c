/* SPDX-License-Identifier: ISC */
/* Any line gets an answer that is one line of JSON, or is pending. */
#include "tests/model/fuzz/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_document.h"
#include "daemon/control/answers/answers.h"
#include "daemon/control/verbs/verbs.h"
#include "daemon/system/log.h"
#include "tests/lib/stage.h"

static const char text[] = "cluster = \"web\"; guarantee = \"component\";\n"
			   "nodes = ({ id = 1; address = \"192.0.2.1:1\"; },\n"
			   "{ id = 2; address = \"192.0.2.2:1\"; },\n"
			   "{ id = 3; address = \"192.0.2.3:1\"; });\n"
			   "security = { key_file = \"/k\"; };\n"
			   "checks = ({ name = \"x\"; unit = \"x.service\"; },"
			   "{ name = \"y\"; command = [\"y\", \"z\"]; });\n";

static struct stage stage;
static struct settings *settings;

static nsec_t
stage_wake(void *context)
{
	return ((const struct stage *)context)->now;
}

static void
stage_follow(void *context)
{
	stage_perform(context, 0);
}

/* Whatever the change, its settings are right or have errors, and differ in
 * one node alone. */
static void
take_change(const struct member_change *change)
{
	char *errors;
	struct settings *changed =
	    settings_change_member(settings, change, &errors);

	assert((changed == NULL) == (errors != NULL));
	if (changed != NULL) {
		assert(changed->shared.config_version ==
		       settings->shared.config_version + 1);
		assert(changed->shared.nodes_count + 1 >=
		       settings->shared.nodes_count);
		assert(changed->shared.nodes_count <=
		       settings->shared.nodes_count + 1);
		assert(changed->shared.config_term == 0);
	}
	settings_free(changed);
	free(errors);
}

/* No disk is so fast that anything ends, and no snapshot can be taken. */
static uint64_t
begin(void *context, const struct operation *operation)
{
	const struct standby *standby = &operation->standby;

	(void)context;
	if (operation->kind == OPERATION_MEMBERS)
		take_change(&operation->change);
	assert(!standby->is_on || standby->left > 0);
	assert(
	    standby_reason_is_valid(standby->reason, strlen(standby->reason)));
	return operation->kind < OPERATION_SNAPSHOT;
}

static bool
has_ended(void *context, enum operation_kind kind, uint64_t number,
    struct outcome *outcome)
{
	(void)context;
	(void)kind;
	(void)outcome;
	assert(number == 1);
	return false;
}

static int
record(void *context, size_t *size)
{
	(void)context;
	(void)size;
	return -ENODATA;
}

static bool
health(
    void *context, const struct health_report *report, struct health_view *view)
{
	(void)context;
	*view = (struct health_view){ .list = 1, .valid = SEC, .fault = "x" };
	if (report == NULL)
		return true;
	assert(standby_reason_is_valid(report->reason, strlen(report->reason)));
	assert(report->is_known || !report->is_well);
	return report->session == 1;
}

static void
check_answer(const struct request *request, json_t *answer)
{
	char *line;

	if (answer == NULL) {
		assert(request->pending.kind == PENDING_ANSWER);
		return;
	}
	assert(json_is_object(answer) || json_is_array(answer));
	line = json_dumps(answer, JSON_COMPACT);
	assert(line != NULL);
	assert(strchr(line, '\n') == NULL);
	free(line);
	json_decref(answer);
}

static void
ask(const struct control_view *view, uint8_t who, const char *line, size_t size)
{
	struct request request = {
		.view = view,
		.session = 1 + (who >> 4 & 1),
		.is_admin = who & 1,
		.may_steer = who & 2,
		.may_rely = who & 2,
	};

	check_answer(&request, verbs_answer(&request, line, size));
}

void
feed_control(const uint8_t *bytes, size_t size)
{
	static const struct control_counters counters = { .clients = 1 };
	static const struct fingerprints fingerprints = { .first = "aa" };
	struct control_view view = { .counters = &counters,
		.fingerprints = &fingerprints,
		.self = 2,
		.started = STAGE_BEGIN,
		.version = "0",
		.wake = stage_wake,
		.perform = stage_follow,
		.record = record,
		.begin = begin,
		.has_ended = has_ended,
		.health = health,
		.context = &stage };
	char copy[sizeof(text)];

	if (size == 0 || size > CONTROL_REQUEST_MAX)
		return;
	log_set_level(LOG_LEVEL_ERROR);
	memcpy(copy, text, sizeof(text));
	if (settings == NULL)
		settings = settings_parse("web", copy, NODE_NONE, stderr);
	assert(settings != NULL);
	stage_set(&stage, 1);
	stage_start(&stage);
	stage_run(&stage, (bytes[0] >> 2 & 3) * SEC);
	view.node = stage.nodes[0];
	view.settings = settings;
	ask(&view, bytes[0], (const char *)bytes + 1, size - 1);
	stage_strike(&stage);
}
