/* SPDX-License-Identifier: ISC */
/*
 * `resign` and `rejoin` on the control socket: which successors and which nodes
 * are refused, and the answer once the outcome is known. Node 3 leads; node 2
 * and the member, 1, follow.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/system/log.h"
#include "tests/lib/capture.h"
#include "tests/lib/stage_view.h"
#include "tests/model/world/assert/world_assert.h"

#define SELF    3
#define LEADER  1   /* node 3, by its place on the stage */
#define MANY    100 /* nodes, for names that do not all fit in a complaint */
#define RESIGN  "{\"verb\":\"resign\"}"
#define REJOIN  "{\"verb\":\"rejoin\"}"
#define TO(who) "{\"verb\":\"resign\",\"to\":\"" who "\"}"

static struct stage s;
static struct config_node nodes[MANY];
static struct settings settings;
static struct pending_request pending; /* of the last request */
static struct world *world;

static void
make_settings(void)
{
	stage_name(nodes, MANY);
	settings = (struct settings){
		.shared.cluster = "web",
		.shared.algorithm = algorithm_find("bully"),
		.shared.nodes = nodes,
		.shared.nodes_count = 3,
	};
}

static int
enter(void **state)
{
	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	make_settings();
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, LEADER).leader, SELF);
	assert_int_equal(stage_status(&s, LEADER).reachable, 3);
	return 0;
}

/* Asks `node`; a new reference, or NULL: the request is pending. */
static json_t *
ask_node(unsigned node, bool may_steer, const char *line)
{
	struct control_view view = stage_view(&s, node, &settings);

	return stage_ask(&view, may_steer, line, &pending);
}

/* Takes the answer. */
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

static void
assert_refused(const char *line, enum control_code code, const char *text)
{
	assert_error(ask_node(LEADER, true, line), code, text);
	assert_false(stage_status(&s, LEADER).standby.is_on);
}

/* Takes the answer, which is that of `leader`. */
static void
assert_leads(json_t *answer, node_id id)
{
	json_t *leader = json_object_get(answer, "leader");

	assert_int_equal(json_integer_value(json_object_get(leader, "id")), id);
	assert_true(json_is_integer(json_object_get(answer, "agree")));
	json_decref(answer);
}

/* The answer to the pending request; NULL: there is none yet. */
static json_t *
hear(void)
{
	struct control_view view = stage_view(&s, LEADER, &settings);
	json_t *answer;

	assert_int_equal(pending.kind, PENDING_ANSWER);
	return pending_request_is_over(&pending, &view, &answer) ? answer
								 : NULL;
}

#define CASE(name) STAGE_CASE(name, enter, &s)

/* The wire takes no time, so the answer is there at once. */
CASE(the_answer_is_the_new_leader)
{
	assert_leads(ask_node(LEADER, true, RESIGN), 2);
	assert_int_equal(pending.kind, PENDING_NONE);
	assert_true(stage_status(&s, LEADER).standby.is_on);
	assert_int_equal(stage_status(&s, LEADER).reason.kind, REASON_RESIGN);
	assert_int_equal(stage_status(&s, LEADER).reason.node, SELF);
}

CASE(a_node_is_named_by_its_name_or_its_id)
{
	assert_leads(ask_node(LEADER, true, TO("web2")), 2);
	assert_true(stage_status(&s, LEADER).standby.is_on);
	json_decref(ask_node(LEADER, true, REJOIN));
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, LEADER).leader, SELF);
	assert_leads(ask_node(LEADER, true, TO("2")), 2);
}

CASE(a_node_that_does_not_lead_refuses_to_resign)
{
	assert_error(ask_node(0, true, RESIGN), CODE_NO,
	    "this node does not lead: web3 does, run this there");
	assert_false(stage_status(&s, 0).standby.is_on);
}

CASE(an_unknown_name_gets_a_list_of_the_known_ones)
{
	assert_refused(TO("web9"), CODE_USAGE,
	    "unknown node \"web9\"; nodes: web1, web2, web3");
	assert_refused(
	    TO(""), CODE_USAGE, "unknown node \"\"; nodes: web1, web2, web3");
	assert_refused(
	    TO("web3"), CODE_USAGE, "web3 is this node itself: choose another");
	assert_refused("{\"verb\":\"resign\",\"to\":2}", CODE_USAGE,
	    "resign: \"to\" is not an argument, or has the wrong type");
}

/* The list fits an error, however many names there are and however long. */
CASE(a_list_of_names_that_is_too_long_is_cut)
{
	json_t *answer;
	const char *text;

	settings.shared.nodes_count = MANY;
	answer = ask_node(LEADER, true, TO("x"));
	text = json_string_value(json_object_get(answer, "error"));
	assert_non_null(strstr(text, "nodes: web1, web2, web3, "));
	assert_string_equal(text + strlen(text) - 5, ", ...");
	json_decref(answer);
	memset(nodes[0].name, 'n', sizeof(nodes[0].name) - 1);
	memset(nodes[1].name, 'o', sizeof(nodes[1].name) - 1);
	memset(nodes[2].name, 'p', sizeof(nodes[2].name) - 1);
	answer = ask_node(LEADER, true, TO("x"));
	text = json_string_value(json_object_get(answer, "error"));
	assert_string_equal(text + strlen(text) - 6, "o, ...");
	json_decref(answer);
}

CASE(a_successor_that_a_better_node_would_replace_is_refused)
{
	assert_refused(TO("web1"), CODE_REFUSED,
	    "a better node would take over from web1 at once: "
	    "preempt = \"always\"");
	settings.shared.preempt = PREEMPT_AFTER;
	settings.shared.preempt_after = 1500 * MSEC;
	assert_refused(TO("web1"), CODE_REFUSED,
	    "a better node would take over from web1: "
	    "preempt = \"after 1.5s\"");
}

CASE(a_successor_that_is_not_heard_is_refused)
{
	s.is_beating = false;
	stage_run(&s, 5 * SEC);
	assert_refused(
	    TO("web1"), CODE_REFUSED, "this node does not hear web1");
	nodes[0].role = ROLE_VOTER;
	assert_refused(TO("web1"), CODE_REFUSED,
	    "web1 never leads: its role is \"voter\"");
	s.is_cut = true;
	stage_run(&s, 5 * SEC);
	assert_refused(
	    RESIGN, CODE_REFUSED, "no other node can lead at present");
}

CASE(a_successor_that_has_resigned_is_refused)
{
	assert_leads(ask_node(LEADER, true, RESIGN), 2);
	assert_error(ask_node(0, true, TO("web3")), CODE_REFUSED,
	    "web3 is on standby: resigned; unless a check failed, run `electctl rejoin` there");
	assert_int_equal(stage_status(&s, 0).leader, 2);
}

CASE(a_node_that_is_stopping_refuses_to_resign)
{
	s.is_cut = true;
	stage_stop(&s, LEADER);
	assert_true(stage_status(&s, LEADER).is_leaving);
	assert_refused(RESIGN, CODE_REFUSED,
	    "this node is stopping, and hands over already");
}

CASE(only_privileged_users_may_steer)
{
	assert_error(ask_node(LEADER, false, RESIGN), CODE_DENIED,
	    "uid 0 may not resign: only root, electd's own user and "
	    "the group in control.group may");
	assert_error(ask_node(LEADER, false, REJOIN), CODE_DENIED,
	    "uid 0 may not rejoin: only root, electd's own user and "
	    "the group in control.group may");
	assert_int_equal(stage_status(&s, LEADER).leader, SELF);
}

/* What only looks, and is for privileged users, is logged if it is denied. */
CASE(client_that_is_denied_is_logged)
{
	static const char *const verbs[] = { "resign", "snapshot", "health" };

	log_set_level(LOG_LEVEL_INFO);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		char line[64], logged[64];

		snprintf(line, sizeof(line), "{\"verb\":\"%s\"}", verbs[i]);
		snprintf(
		    logged, sizeof(logged), "control: %s by uid 0", verbs[i]);
		capture();
		json_decref(ask_node(LEADER, false, line));
		assert_non_null(strstr(captured(), logged));
	}
	log_set_level(LOG_LEVEL_ERROR);
}

/* The leader keeps leading until the answer: no other node is left. */
CASE(a_request_is_pending_until_its_outcome_is_known)
{
	s.is_cut = true;
	s.is_beating = false;
	assert_null(ask_node(LEADER, true, RESIGN));
	assert_int_equal(stage_status(&s, LEADER).leader, SELF);
	while (stage_status(&s, LEADER).standby.is_on) {
		assert_null(hear());
		assert_int_equal(stage_status(&s, LEADER).leader, SELF);
		stage_run(&s, MSEC);
	}
	assert_error(hear(), CODE_REFUSED,
	    "web3 still leads: no other node took over, or it rejoined");
	assert_false(stage_status(&s, LEADER).standby.is_on);
}

/* The handover was lost on the network; the others detect the loss. */
CASE(a_pending_request_is_answered_with_the_next_leader)
{
	s.is_cut = true;
	assert_null(ask_node(LEADER, true, RESIGN));
	stage_run(&s, 100 * MSEC);
	s.is_cut = false;
	stage_run(&s, 5 * SEC);
	assert_leads(hear(), 2);
	pending.to = 2;
	assert_leads(hear(), 2);
	pending.to = 1;
	assert_error(hear(), CODE_REFUSED, "web2 leads, not web1");
}

CASE(a_node_that_rejoins_is_eligible_again)
{
	assert_leads(ask_node(LEADER, true, RESIGN), 2);
	for (int i = 0; i < 2; i++) {
		json_t *answer = ask_node(LEADER, true, REJOIN);

		assert_int_equal(
		    json_is_true(json_object_get(answer, "rejoined")), i == 0);
		json_decref(answer);
		assert_false(stage_status(&s, LEADER).standby.is_on);
	}
	stage_run(&s, SEC);
	assert_int_equal(stage_status(&s, LEADER).leader, SELF);
}

CASE(status_shows_that_a_node_has_resigned)
{
	json_t *answer, *standby;

	assert_leads(ask_node(LEADER, true, RESIGN), 2);
	answer = ask_node(LEADER, true, "{\"verb\":\"status\"}");
	standby = json_object_get(json_object_get(answer, "node"), "standby");
	assert_string_equal(
	    json_string_value(json_object_get(standby, "reason")), "resigned");
	assert_string_equal(
	    json_string_value(json_object_get(standby, "until")), "alone");
	json_decref(answer);
}

CASE(reason_of_a_resignation_is_shown)
{
	json_t *answer, *standby;

	assert_leads(ask_node(LEADER, true,
			 "{\"verb\":\"resign\",\"reason\":\"the job hangs\"}"),
	    2);
	answer = ask_node(LEADER, true, "{\"verb\":\"status\"}");
	standby = json_object_get(json_object_get(answer, "node"), "standby");
	assert_string_equal(
	    json_string_value(json_object_get(standby, "reason")),
	    "the job hangs");
	json_decref(answer);
}

static nsec_t
wake_in_world(void *context)
{
	(void)context;
	return world->now;
}

static void
do_nothing(void *context)
{
	(void)context;
}

/* Makes SELF lead three settled nodes under the guarantee "quorum". */
static void
lead_in_world(void)
{
	world = world_with(
	    (struct world_setup){ .nodes = 3, .guarantee = GUARANTEE_QUORUM });
	settings.shared.guarantee = GUARANTEE_QUORUM;
	world_begin(world);
	assert_int_equal(world_status(world, SELF).state, STATE_LEADER);
}

static void
leave_world(void)
{
	settings.shared.guarantee = GUARANTEE_COMPONENT;
	world_end(world);
}

/* A new reference; NULL: not yet. */
static json_t *
world_ask(const char *line)
{
	struct control_view view = {
		.node = world->processes[SELF].node,
		.settings = &settings,
		.self = SELF,
		.wake = wake_in_world,
		.perform = do_nothing,
	};
	struct request request = {
		.view = &view,
		.is_admin = true,
		.may_steer = true,
		.may_rely = true,
	};

	return verbs_answer(&request, line, strlen(line));
}

/* The leader leads until its lease ends, but no other node could be elected. */
TEST(a_leader_in_a_minority_refuses_to_resign)
{
	lead_in_world();
	world_split(world, 1U << SELF);
	world_run(world, 500 * MSEC);
	assert_int_equal(world_status(world, SELF).state, STATE_LEADER);
	assert_error(world_ask(RESIGN), CODE_NO_QUORUM,
	    "no quorum: 1 of 3 voters heard, 2 needed");
	assert_int_equal(world_status(world, SELF).state, STATE_LEADER);
	assert_false(world_status(world, SELF).standby.is_on);
	leave_world();
}

/* Asks is-leader and gives the deadline, or 0; a yes has one. */
static nsec_t
world_deadline(void)
{
	json_t *answer =
	    world_ask("{\"verb\":\"is-leader\",\"deadline\":true}");
	json_t *until = json_object_get(answer, "until_boot_ns");
	nsec_t deadline = (nsec_t)json_integer_value(until);

	assert_string_equal(
	    json_string_value(json_object_get(answer, "state")), "leader");
	assert_int_equal(json_is_true(json_object_get(answer, "is_leader")),
	    json_is_integer(until));
	json_decref(answer);
	return deadline;
}

/* The leader still leads, but may hand over the next instant. */
TEST(a_leader_that_hands_over_says_no_without_a_deadline_to_give)
{
	lead_in_world();
	assert_null(world_ask(RESIGN));
	assert_true(world_deadline() == 0);
	leave_world();
}

TEST(a_leader_that_hands_over_leads_until_the_deadline_that_it_gave)
{
	nsec_t until;

	lead_in_world();
	until = world_deadline();
	assert_true(until > world->now);
	assert_null(world_ask(RESIGN));
	world_run(world, 100 * MSEC);
	assert_true(world_deadline() == until);
	leave_world();
}
