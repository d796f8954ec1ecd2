/* SPDX-License-Identifier: ISC */
/* `health` on the admin socket: how `electctl checks` gets the checks, what it
 * may say, and what `status` and `rejoin` then show. */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/stage_view.h"

#define X16    "xxxxxxxxxxxxxxxx"
#define CHECKS 4

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;
static struct health_report taken; /* the last one */
static bool is_taken;              /* the view takes reports */
static const char *fault;

static int
enter(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	stage_name(nodes, 3);
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
		.checks_count = CHECKS,
	};
	settings.checks[0] = (struct settings_check){
		.name = "web",
		.command = "curl\0-f\0http://web/",
		.words_count = 3,
		.interval = 2 * SEC,
		.timeout = 1500 * USEC,
		.rise = 4,
		.fall = 5,
	};
	settings.checks[1] = (struct settings_check){
		.name = "db",
		.unit = "db.service",
		.interval = 60 * SEC,
		.timeout = 60 * SEC,
		.rise = 1,
		.fall = 1,
	};
	settings.checks[2] = settings.checks[3] = settings.checks[1];
	settings.checks[2].unit[0] = settings.checks[3].unit[0] = '\0';
	strcpy(settings.checks[2].disk, "/srv");
	strcpy(settings.checks[3].pressure, "memory");
	settings.checks[3].limit = 60;
	taken = (struct health_report){ .session = 0 };
	is_taken = true;
	fault = NULL;
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	stage_strike(&s);
	return 0;
}

static bool
on_health(void *context, const struct health_report *report,
    struct health_view *health)
{
	(void)context;
	*health = (struct health_view){
		.list = 3,
		.valid = 3 * SEC,
		.fault = fault,
	};
	if (report == NULL)
		return true;
	taken = *report;
	return is_taken;
}

static struct control_view
view_of_checks(void)
{
	struct control_view view = stage_view(&s, 0, &settings);

	view.health = on_health;
	return view;
}

/* The answer as text. */
static void
assert_answer(const char *line, const char *wanted)
{
	struct control_view view = view_of_checks();
	json_t *answer = stage_ask(&view, true, line, NULL);
	char *text = json_dumps(answer, JSON_COMPACT);

	assert_string_equal(text, wanted);
	free(text);
	json_decref(answer);
}

TEST(helper_gets_the_checks_unless_it_has_them, enter, leave)
{
	assert_answer("{\"verb\":\"health\"}",
	    "{\"list\":3,\"valid_ms\":3000.0,\"checks\":["
	    "{\"name\":\"web\",\"command\":[\"curl\",\"-f\",\"http://web/\"],"
	    "\"interval_ms\":2000.0,\"timeout_ms\":1.5,\"rise\":4,\"fall\":5},"
	    "{\"name\":\"db\",\"unit\":\"db.service\",\"interval_ms\":60000.0,"
	    "\"timeout_ms\":60000.0,\"rise\":1,\"fall\":1},"
	    "{\"name\":\"db\",\"disk\":\"/srv\",\"interval_ms\":60000.0,"
	    "\"timeout_ms\":60000.0,\"rise\":1,\"fall\":1},"
	    "{\"name\":\"db\",\"pressure\":\"memory\",\"limit\":60,"
	    "\"interval_ms\":60000.0,\"timeout_ms\":60000.0,\"rise\":1,"
	    "\"fall\":1}]}");
	assert_int_equal(taken.list, 0);
	assert_false(taken.is_known);
	assert_answer("{\"verb\":\"health\",\"list\":3,\"ok\":true}",
	    "{\"list\":3,\"valid_ms\":3000.0}");
	assert_int_equal(taken.list, 3);
	assert_true(taken.is_known);
	assert_true(taken.is_well);
	assert_string_equal(taken.reason, "");
}

TEST(fault_has_a_reason, enter, leave)
{
	assert_answer(
	    "{\"verb\":\"health\",\"list\":3,\"ok\":false,\"reason\":\"no\"}",
	    "{\"list\":3,\"valid_ms\":3000.0}");
	assert_true(taken.is_known);
	assert_false(taken.is_well);
	assert_string_equal(taken.reason, "no");
}

TEST(words_must_make_sense, enter, leave)
{
	static const char usage[] =
	    "{\"error\":\"health: a reason has at most 63 bytes, and no control characters\",\"code\":2}";

	assert_answer("{\"verb\":\"health\",\"list\":-1}",
	    "{\"error\":\"health: list is from 0\",\"code\":2}");
	assert_answer(
	    "{\"verb\":\"health\",\"reason\":\"" X16 X16 X16 X16 "\"}", usage);
	assert_answer("{\"verb\":\"health\",\"reason\":\"a\\u001b\"}", usage);
	assert_answer("{\"verb\":\"health\",\"reason\":\"a\\nb\"}", usage);
	assert_answer("{\"verb\":\"health\",\"ok\":1}",
	    "{\"error\":\"health: \\\"ok\\\" is not an argument, or has the wrong type\",\"code\":2}");
	assert_int_equal(taken.list, 0);
	assert_false(taken.is_known);
}

TEST(second_helper_is_refused, enter, leave)
{
	is_taken = false;
	assert_answer("{\"verb\":\"health\",\"list\":3,\"ok\":true}",
	    "{\"error\":\"another `electctl checks` is connected already\",\"code\":6}");
}

TEST(nobody_else_may_report, enter, leave)
{
	struct control_view view = view_of_checks();
	json_t *answer =
	    stage_ask(&view, false, "{\"verb\":\"health\",\"ok\":true}", NULL);

	assert_int_equal(
	    json_integer_value(json_object_get(answer, "code")), CODE_DENIED);
	assert_false(taken.is_known);
	json_decref(answer);
}

static void
assert_shown(const char *wanted)
{
	struct control_view view = view_of_checks();
	json_t *answer = stage_ask(&view, true, "{\"verb\":\"status\"}", NULL);
	json_t *node = json_object_get(answer, "node");
	char *text = json_dumps(
	    json_object_get(node, "checks"), JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, wanted);
	free(text);
	json_decref(answer);
}

TEST(status_shows_the_health, enter, leave)
{
	assert_shown("{\"count\":4,\"fault\":null}");
	fault = "check db: exited 3";
	assert_shown("{\"count\":4,\"fault\":\"check db: exited 3\"}");
	settings.checks_count = 0;
	assert_shown("null");
}

TEST(rejoin_tells_that_the_checks_keep_the_node_on_standby, enter, leave)
{
	const struct standby sick = { .is_on = true,
		.cause = STANDBY_CHECK,
		.left = NSEC_NEVER,
		.reason = "check db: x" };

	assert_answer(
	    "{\"verb\":\"rejoin\"}", "{\"rejoined\":false,\"standby\":null}");
	node_set_standby(s.nodes[0], s.now, &sick);
	stage_perform(&s, 0);
	assert_answer("{\"verb\":\"rejoin\"}",
	    "{\"rejoined\":false,\"standby\":{\"reason\":\"check db: x\","
	    "\"since_ms\":0.0,\"left_ms\":null,\"until\":\"well\"}}");
}
