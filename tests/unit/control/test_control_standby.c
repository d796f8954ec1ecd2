/* SPDX-License-Identifier: ISC */
/*
 * `standby` and `rejoin` on the control socket: which words are refused, and
 * when the answer comes. Node 3 leads; node 2 and the member, 1, follow. The
 * test plays the disk.
 */
#include "tests/unit/group.h"

#include <errno.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/stage_view.h"

#define LEADER  1 /* node 3, by its place on the stage */
#define STANDBY "{\"verb\":\"standby\"}"
#define REJOIN  "{\"verb\":\"rejoin\"}"
#define FORCED  "{\"verb\":\"standby\",\"force\":true}"
#define BECAUSE(reason)                                                        \
	"{\"verb\":\"standby\",\"reason\":\"" reason "\",\"for_ms\":5000}"
#define X16 "xxxxxxxxxxxxxxxx"

static struct stage s;
static struct config_node nodes[3];
static struct settings settings;
static struct pending_request pending; /* of the last request */
static unsigned asked;                 /* the node that was */

/* The disk. */
static struct standby requested;
static uint64_t requests;
static uint64_t kept;  /* the requests that have ended */
static int kept_error; /* of the last one */

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
		.state_dir = "./here",
	};
	requests = kept = 0;
	kept_error = 0;
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, LEADER).leader, 3);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	stage_strike(&s);
	return 0;
}

static uint64_t
on_begin(void *context, const struct operation *operation)
{
	(void)context;
	assert_int_equal(operation->kind, OPERATION_STANDBY);
	if (!operation->standby.is_on && kept == requests &&
	    !stage_status(&s, asked).standby.is_on)
		return 0;
	requested = operation->standby;
	return ++requests;
}

static bool
on_has_ended(void *context, enum operation_kind kind, uint64_t number,
    struct outcome *outcome)
{
	(void)context;
	assert_int_equal(kind, OPERATION_STANDBY);
	outcome->error = kept_error;
	return kept >= number;
}

static struct control_view
view_of(unsigned node)
{
	struct control_view view = stage_view(&s, node, &settings);

	view.begin = on_begin;
	view.has_ended = on_has_ended;
	asked = node;
	return view;
}

/* A new reference, or NULL: the request is pending. */
static json_t *
ask(unsigned node, const char *line)
{
	struct control_view view = view_of(node);

	return stage_ask(&view, true, line, &pending);
}

/* The answer to the pending request; NULL: there is none yet. */
static json_t *
hear(void)
{
	struct control_view view = view_of(asked);
	json_t *answer;

	return pending_request_is_over(&pending, &view, &answer) ? answer
								 : NULL;
}

/* The disk has kept the request, or failed. */
static void
disk_ends(int error)
{
	kept = requests;
	kept_error = error;
	if (error == 0)
		node_set_standby(s.nodes[asked], s.now, &requested);
	stage_perform(&s, asked);
}

static void
assert_error(json_t *answer, enum control_code code, const char *text)
{
	assert_non_null(answer);
	assert_string_equal(
	    json_string_value(json_object_get(answer, "error")), text);
	assert_int_equal(
	    json_integer_value(json_object_get(answer, "code")), code);
	json_decref(answer);
}

/* Takes the answer of a node that is on standby while another leads. */
static void
assert_on_standby(json_t *answer, const char *reason, node_id leader)
{
	json_t *standby = json_object_get(answer, "standby");
	json_t *leads = json_object_get(answer, "leader");

	assert_true(json_is_object(standby));
	if (reason == NULL)
		assert_true(json_is_null(json_object_get(standby, "reason")));
	else
		assert_string_equal(
		    json_string_value(json_object_get(standby, "reason")),
		    reason);
	assert_int_equal(
	    json_integer_value(json_object_get(leads, "id")), leader);
	json_decref(answer);
}

#define CASE(name) TEST(name, enter, leave)

CASE(words_without_sense_are_refused)
{
	static const char long_reason[] =
	    "standby: a reason has at most 63 bytes, and no control characters";
	static const char long_time[] = "standby: for_ms is from 1 to a year";

	assert_error(ask(0, BECAUSE("\\u001b[2J")), CODE_USAGE, long_reason);
	assert_error(ask(0, BECAUSE(X16 X16 X16 X16)), CODE_USAGE, long_reason);
	assert_error(ask(0, "{\"verb\":\"standby\",\"for_ms\":0}"), CODE_USAGE,
	    long_time);
	assert_error(ask(0, "{\"verb\":\"standby\",\"for_ms\":-1}"), CODE_USAGE,
	    long_time);
	assert_error(ask(0, "{\"verb\":\"standby\",\"for_ms\":31622400001}"),
	    CODE_USAGE, long_time);
	assert_error(ask(0, "{\"verb\":\"standby\",\"for_ms\":\"2h\"}"),
	    CODE_USAGE,
	    "standby: \"for_ms\" is not an argument, or has the wrong type");
	assert_int_equal(requests, 0);
}

CASE(verb_is_for_privileged_clients)
{
	struct control_view view = view_of(0);
	json_t *answer = stage_ask(&view, false, STANDBY, &pending);

	assert_int_equal(
	    json_integer_value(json_object_get(answer, "code")), CODE_DENIED);
	assert_int_equal(requests, 0);
	json_decref(answer);
}

CASE(follower_is_on_standby_once_that_is_kept)
{
	assert_null(ask(0, BECAUSE("disk")));
	assert_int_equal(pending.kind, PENDING_ANSWER);
	assert_true(requested.left == 5 * SEC);
	assert_null(hear());
	assert_false(stage_status(&s, 0).standby.is_on);
	disk_ends(0);
	assert_on_standby(hear(), "disk", 3);
}

/* The wire takes no time, so another leads at once. */
CASE(leader_answers_when_another_leads)
{
	assert_null(ask(LEADER, STANDBY));
	disk_ends(0);
	assert_on_standby(hear(), NULL, 2);
	assert_int_equal(stage_status(&s, LEADER).state, STATE_FOLLOWER);
}

/* Lets the node be the only one. */
static void
leave_alone(void)
{
	s.is_cut = true;
	s.is_beating = false;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, LEADER).eligible, 1);
}

CASE(last_node_that_could_lead_stays_eligible)
{
	static const struct standby order = { .is_on = true,
		.left = NSEC_NEVER };

	leave_alone();
	assert_error(ask(LEADER, STANDBY), CODE_REFUSED,
	    "standby: no other node could lead at present, so there would be no leader: give --force if you want that");
	assert_int_equal(requests, 0);
	/* The node leads no more, so an order with another time or reason takes
	 * nothing. */
	node_set_standby(s.nodes[LEADER], s.now, &order);
	stage_perform(&s, LEADER);
	assert_null(ask(LEADER, STANDBY));
}

CASE(leader_that_nobody_follows_answers_too)
{
	json_t *answer;

	leave_alone();
	assert_null(ask(LEADER, FORCED));
	disk_ends(0);
	stage_run(&s, 5 * SEC);
	answer = hear();
	assert_true(json_is_null(json_object_get(answer, "leader")));
	assert_true(json_is_object(json_object_get(answer, "standby")));
	json_decref(answer);
}

CASE(disk_that_fails_changes_nothing)
{
	assert_null(ask(LEADER, STANDBY));
	disk_ends(-ENOSPC);
	assert_error(hear(), CODE_REFUSED,
	    "cannot write the standby to ./here: No space left on device; nothing has changed");
	assert_int_equal(stage_status(&s, LEADER).state, STATE_LEADER);
}

CASE(rejoin_that_came_meanwhile_refuses_the_standby)
{
	struct pending_request standby;
	json_t *answer;

	assert_null(ask(0, STANDBY));
	standby = pending;
	assert_null(ask(0, REJOIN));
	assert_int_equal(pending.kind, PENDING_ANSWER);
	assert_false(requested.is_on);
	disk_ends(0);
	answer = hear();
	assert_true(json_is_true(json_object_get(answer, "rejoined")));
	json_decref(answer);
	pending = standby;
	assert_error(hear(), CODE_REFUSED,
	    "the standby is over already: its time has passed, or somebody ran `electctl rejoin`");
}

CASE(rejoin_is_answered_once_that_is_kept)
{
	json_t *answer;

	assert_null(ask(0, STANDBY));
	disk_ends(0);
	assert_null(ask(0, REJOIN));
	assert_null(hear());
	disk_ends(-EIO);
	assert_error(hear(), CODE_REFUSED,
	    "cannot write the standby to ./here: Input/output error; nothing has changed");
	assert_true(stage_status(&s, 0).standby.is_on);
	assert_null(ask(0, REJOIN));
	disk_ends(0);
	json_decref(hear());
	assert_false(stage_status(&s, 0).standby.is_on);
	answer = ask(0, REJOIN);
	assert_true(json_is_false(json_object_get(answer, "rejoined")));
	json_decref(answer);
}
