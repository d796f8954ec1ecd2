/* SPDX-License-Identifier: ISC */
/*
 * The control sockets explain an election: its reason and its way; and that there is none to be had.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "daemon/control/answers/answers.h"
#include "tests/lib/control_world.h"

#define EXPLAIN "{\"verb\":\"explain\"}\n"

static void
assert_explains(const struct control_view *view, const struct past_election *a,
    const char *part)
{
	json_t *answer = answer_explain(view, a);
	char *text = json_dumps(answer, JSON_COMPACT);

	assert_non_null(text);
	assert_has(text, part);
	free(text);
	json_decref(answer);
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(before_the_first_election_there_is_nothing_to_explain)
{
	struct control_world *world = *state;

	assert_string_equal(ask_text(world, world->query, EXPLAIN),
	    "{\"error\":\"this node has not taken part in an election yet\","
	    "\"code\":1}\n");
	assert_has(ask_text(world, world->query, "{\"verb\":\"stats\"}\n"),
	    "\"term_messages\":{\"term\":null,\"self\":{\"ELECTION\":0,"
	    "\"OK\":0,\"COORDINATOR\":0}}");
}

/* The others do not run: the node elects itself and sends nothing. */
CASE(an_election_is_explained_with_all_keys_in_order)
{
	static const char expected[] =
	    "{\"term\":1,\"self\":2,\"algorithm\":\"bully\","
	    "\"topology\":\"full\",\"reason\":\"start:2\",\"starter\":true,"
	    "\"restarts\":0,\"links\":0,\"leader\":2,"
	    "\"winner\":{\"id\":2,\"name\":\"web2\",\"eligible\":true,"
	    "\"contender\":true,\"priority\":0},\"ms\":0.0,"
	    "\"phases\":[{\"phase\":\"decided\",\"ms\":0.0}],"
	    "\"sent\":{\"ELECTION\":0,\"OK\":0,\"COORDINATOR\":0},"
	    "\"received\":{\"ELECTION\":0,\"OK\":0,\"COORDINATOR\":0},"
	    "\"evidence\":null,\"nodes\":3,\"names\":{\"2\":\"web2\"}}\n";
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_string_equal(ask_text(world, world->query, EXPLAIN), expected);
	assert_string_equal(ask_text(world, world->query,
				"{\"verb\":\"explain\",\"term\":1}\n"),
	    expected);
	assert_has(ask_text(world, world->query, "{\"verb\":\"stats\"}\n"),
	    "\"term_messages\":{\"term\":1,\"self\":{\"ELECTION\":0,"
	    "\"OK\":0,\"COORDINATOR\":0}}");
}

CASE(an_earlier_election_is_explained)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_has(ask_text(world, world->admin, "{\"verb\":\"elect\"}\n"),
	    "{\"ok\":true,\"term\":2}");
	control_world_pass(world, SEC);
	assert_has(
	    ask_text(world, world->query, EXPLAIN), "\"reason\":\"forced:2\"");
	assert_has(ask_text(world, world->query,
		       "{\"verb\":\"explain\",\"term\":1}\n"),
	    "\"reason\":\"start:2\"");
}

CASE(an_unknown_term_is_a_no)
{
	static const char *const terms[] = { "2", "9223372036854775807" };
	struct control_world *world = *state;
	char line[80], expected[160];

	control_world_pass(world, 10 * SEC);
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		snprintf(line, sizeof(line),
		    "{\"verb\":\"explain\",\"term\":%s}\n", terms[i]);
		snprintf(expected, sizeof(expected),
		    "{\"error\":\"nothing is known of term %s: this node took "
		    "no part in that election, or in 16 others since\","
		    "\"code\":1}\n",
		    terms[i]);
		assert_string_equal(
		    ask_text(world, world->query, line), expected);
	}
}

CASE(terms_begin_at_one)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	assert_string_equal(ask_text(world, world->query,
				"{\"verb\":\"explain\",\"term\":0}\n"),
	    "{\"error\":\"term: must be 1 or more\",\"code\":2}\n");
}

CASE(phases_and_durations_are_in_milliseconds)
{
	const struct control_world *world = *state;
	struct past_election a = {
		.term = 7,
		.reason = { REASON_MISSED, 3 },
		.restarts = 2,
		.links = 4,
		.began = SEC,
		.decided = SEC + 1500 * USEC,
		.winner = { .is_eligible = true, .priority = -5, .id = 1 },
		.sent = { 4, 2, 0 },
		.received = { 0, 0, 1 },
	};

	past_election_phase(&a, "asking", SEC);
	past_election_phase(&a, "waiting", SEC + 250 * USEC);
	assert_explains(&world->view, &a,
	    "\"reason\":\"missed:3\",\"starter\":false,\"restarts\":2,"
	    "\"links\":4,\"leader\":1,\"winner\":{\"id\":1,\"name\":\"web1\","
	    "\"eligible\":true,\"contender\":false,\"priority\":-5},\"ms\":1.5,"
	    "\"phases\":[{\"phase\":\"asking\",\"ms\":0.0},"
	    "{\"phase\":\"waiting\",\"ms\":0.25}],"
	    "\"sent\":{\"ELECTION\":4,\"OK\":2,\"COORDINATOR\":0},"
	    "\"received\":{\"ELECTION\":0,\"OK\":0,\"COORDINATOR\":1},"
	    "\"evidence\":null,"
	    "\"nodes\":3,\"names\":{\"2\":\"web2\",\"3\":\"web3\",\"1\":\"web1\"}");
}

CASE(without_a_decision_there_is_no_winner)
{
	const struct control_world *world = *state;
	const struct past_election a = { .term = 7, .began = SEC };

	assert_explains(&world->view, &a,
	    "\"leader\":null,\"winner\":null,\"ms\":null,\"phases\":[],");
}

CASE(the_best_node_leads_only_if_it_is_eligible)
{
	const struct control_world *world = *state;
	const struct past_election a = {
		.term = 7,
		.began = SEC,
		.decided = SEC,
		.winner = { .is_eligible = false, .id = 3 },
	};

	assert_explains(&world->view, &a,
	    "\"leader\":null,\"winner\":{\"id\":3,\"name\":\"web3\","
	    "\"eligible\":false,");
}

/* The winner's id comes from a cluster with another configuration. */
CASE(a_node_that_is_not_configured_has_no_name)
{
	const struct control_world *world = *state;
	const struct past_election a = {
		.term = 7,
		.reason = { REASON_FORCED, NODE_ID_MAX },
		.decided = SEC,
		.winner = { .is_eligible = true, .id = 9 },
	};

	assert_explains(&world->view, &a,
	    "\"leader\":9,\"winner\":{\"id\":9,\"name\":null,");
	assert_explains(&world->view, &a, "\"names\":{\"2\":\"web2\"}}");
}

CASE(a_node_that_is_stopping_begins_no_election)
{
	struct control_world *world = *state;

	control_world_pass(world, 10 * SEC);
	node_stop(world->node, control_world_now());
	assert_string_equal(
	    ask_text(world, world->admin, "{\"verb\":\"elect\"}\n"),
	    "{\"error\":\"this node is stopping: it begins no election\","
	    "\"code\":6}\n");
	assert_has(ask_text(world, world->query, EXPLAIN), "{\"term\":1,");
}
