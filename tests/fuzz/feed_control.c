/* SPDX-License-Identifier: ISC */
/* Any line gets an answer that is one line of JSON, or is pending. */
#include "tests/fuzz/feed.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_document.h"
#include "daemon/control/answers.h"
#include "daemon/control/verbs.h"
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
static uint64_t
take_change(void *context, const struct member_change *change)
{
	char *errors;
	struct settings *changed =
	    settings_change_member(settings, change, &errors);

	(void)context;
	assert((changed == NULL) == (errors[0] != '\0'));
	if (changed != NULL) {
		assert(changed->shared.generation ==
		       settings->shared.generation + 1);
		assert(changed->shared.nodes_count + 1 >=
		       settings->shared.nodes_count);
		assert(changed->shared.nodes_count <=
		       settings->shared.nodes_count + 1);
		assert(changed->shared.stamp == 0);
	}
	settings_free(changed);
	free(errors);
	return 1;
}

static const struct membership *
none_changed(void *context)
{
	static const struct membership none = { .change.number = 1 };

	(void)context;
	return &none;
}

/* No disk is so fast. */
static uint64_t
keep_standby(void *context, const struct standby *standby)
{
	(void)context;
	assert(!standby->is_on || standby->left > 0);
	assert(
	    standby_reason_is_valid(standby->reason, strlen(standby->reason)));
	return 1;
}

static struct standby_change
none_kept(void *context)
{
	(void)context;
	return (struct standby_change){ .number = 0 };
}

static bool
take_health(void *context, const struct health_report *report)
{
	(void)context;
	assert(standby_reason_is_valid(report->reason, strlen(report->reason)));
	assert(report->is_known || !report->is_well);
	return report->session == 1;
}

static struct health_view
find_health(void *context)
{
	(void)context;
	return (struct health_view){ .list = 1, .valid = SEC, .fault = "x" };
}

static void
check_answer(const struct request *request, json_t *answer)
{
	char *line;

	if (answer == NULL) {
		assert(request->pending.kind == PENDING_LEADER ||
		       request->pending.kind == PENDING_NO_LEADER ||
		       request->pending.kind == PENDING_RESIGN ||
		       request->pending.kind == PENDING_STANDBY ||
		       request->pending.kind == PENDING_MEMBERS);
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
		.change = take_change,
		.changed = none_changed,
		.set_standby = keep_standby,
		.standby_set = none_kept,
		.take_health = take_health,
		.health = find_health,
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
