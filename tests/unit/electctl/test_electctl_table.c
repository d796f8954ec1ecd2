/* SPDX-License-Identifier: ISC */
/* `status` and `peers` for people: every line fits a terminal. */

#include "tests/unit/group.h"

#include "daemon/electctl/print/print.h"
#include "tests/lib/capture.h"

/* Five voters with long addresses; the second one follows node `follows`. */
static json_t *
make_answer(int follows)
{
	static const char *const whys[] = { "duplicate", "no-vote", "differs",
		"missed" };
	json_t *answer = json_pack(
	    "{s:s,s:[],s:s,s:s,s:s,s:s,s:i,s:{s:i,s:s},s:s,s:s,s:f,s:f,s:i,"
	    "s:i,s:i,s:{s:i,s:i,s:i},s:i,s:f,s:[]}",
	    "verdict", "degraded", "troubles", "cluster", "web", "guarantee",
	    "quorum", "algorithm", "hirschberg-sinclair", "topology", "full",
	    "term", 123456, "leader", "id", 1, "name", "three", "state",
	    "leader", "reason", "duplicate:1", "since_ms", 999.9, "lease_ms",
	    1234.5, "agree", 5, "reachable", 5, "nodes", 5, "quorum", "voters",
	    5, "quorum", 3, "votes", 2, "self", 1, "uptime_ms", 9999999.0,
	    "peers");
	json_t *self =
	    json_pack("{s:i,s:s,s:s,s:s,s:i,s:I,s:b,s:f,s:b,s:b,s:s,s:s}", "id",
		1, "name", "three", "address", "192.168.100.111:7420",
		"configured_role", "candidate", "priority", 0, "incarnation",
		(json_int_t)1838463064064, "unsteady", 1, "unsteady_ms",
		123456.0, "stopping", 1, "abstains", 1, "state_file", "lost",
		"ineligible", "handing-over");

	json_object_set_new(answer, "node", self);
	for (int id = 2; id <= 5; id++) {
		json_t *trouble = json_pack("{s:i,s:s,s:s}", "id", id, "name",
		    "three", "why", whys[id - 2]);
		json_t *peer = json_pack(
		    "{s:i,s:s,s:s,s:s,s:i,s:b,s:f,s:f,s:f,s:b,s:i,s:b,s:b,s:s}",
		    "id", id, "name", "three", "address",
		    "192.168.100.112:7420", "configured_role", "candidate",
		    "priority", 0, "up", id != 4, "since_ms", 123.4, "heard_ms",
		    123.4, "rtt_ms", 123.4, "neighbour", 1, "leader",
		    id == 2 ? follows : 1, "differs", id == 4, "is_voter", 1,
		    "evidence", "missed");

		json_object_set_new(
		    peer, "votes", json_boolean(id != 3 && id != 4));
		json_array_append_new(
		    json_object_get(answer, "troubles"), trouble);
		json_array_append_new(json_object_get(answer, "peers"), peer);
	}
	return answer;
}

static const char *
printed(void (*print)(json_t *), json_t *answer)
{
	capture_stdout();
	print(answer);
	json_decref(answer);
	return captured();
}

static void
assert_fits(const char *text)
{
	for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
		size_t width = strcspn(text, "\n");

		if (width > 80)
			fail_msg("%zu: %.*s", width, (int)width, text);
	}
}

TEST(every_line_of_status_fits_a_terminal)
{
	assert_fits(printed(print_status, make_answer(1)));
}

/* The verdict names them. */
TEST(status_names_the_missing_voters_once)
{
	const char *text = printed(print_status, make_answer(1));
	const char *first = strstr(text, "(does not vote)");

	assert_non_null(first);
	assert_null(strstr(first + 1, "(does not vote)"));
	assert_non_null(
	    strstr(text, "\nquorum   2 of 5 voters heard, 3 needed\n"));
}

/* With the longest words. */
static json_t *
make_standby(void)
{
	return json_pack("{s:s,s:f,s:f}", "reason",
	    "a reason of sixty-three bytes, which is as long as it may be so",
	    "since_ms", 1234567.8, "left_ms", 87654321.0);
}

TEST(status_says_who_is_on_standby_and_why)
{
	json_t *answer = make_answer(1);
	json_t *self = json_object_get(answer, "node");
	json_t *peers = json_object_get(answer, "peers");
	const char *text;

	json_object_set_new(self, "abstains", json_false());
	json_object_set_new(self, "standby", make_standby());
	json_object_set_new(
	    json_array_get(peers, 3), "standby", make_standby());
	text = printed(print_status, answer);
	assert_fits(text);
	text =
	    strstr(text, "\nstandby  three for 20m34s, ends in 1d0h: a reason");
	assert_non_null(text);
	text = strstr(
	    text + 1, "\nstandby  three for 20m34s, ends in 1d0h: a reason");
	assert_non_null(text);
	assert_non_null(strstr(text, " standby unsteady\n"));
	assert_non_null(strstr(text, " standby missed\n"));
}

static void
assert_status_has(json_t *answer, const char *part)
{
	json_incref(answer);
	assert_non_null(strstr(printed(print_status, answer), part));
}

TEST(status_says_what_the_settings_of_a_newer_file_wait_for)
{
	json_t *answer = make_answer(1);

	json_object_set_new(answer, "generation", json_integer(6));
	json_object_set_new(answer, "file_generation", json_integer(7));
	assert_status_has(answer, "generation 6 (newer file: 7)\n");
	json_object_set_new(answer, "proposed",
	    json_pack("{s:i,s:s}", "generation", 7, "waits_for", "leader"));
	assert_status_has(answer,
	    "\nproposed generation 7; there is no leader to put it into effect\n");
	json_object_set_new(answer, "proposed",
	    json_pack("{s:i,s:s}", "generation", 7, "waits_for", "majority"));
	assert_status_has(answer,
	    "\nproposed generation 7;\n         waits until this node has led for a lease");
	json_object_set_new(answer, "file_generation", json_integer(5));
	assert_status_has(answer, "generation 6 (older file: 5)\n");
	json_decref(answer);
}

/* No node has this trouble. */
TEST(verdict_says_what_is_wrong_with_the_cluster)
{
	json_t *answer = make_answer(1);

	json_array_insert_new(json_object_get(answer, "troubles"), 0,
	    json_pack("{s:n,s:n,s:s}", "id", "name", "why", "no-spare"));
	assert_status_has(answer,
	    "DEGRADED  three leads, 5 of 5 nodes up; the cluster survives no further failure,\n         three (its id is in use twice), ");
	json_decref(answer);
}

/* It has no peers any more, which is no news. */
TEST(status_of_a_node_that_was_removed_begins_with_that)
{
	json_t *answer = make_answer(1),
	       *self = json_object_get(answer, "node");
	const char *text;

	json_object_set_new(answer, "leader", json_null());
	json_object_set_new(answer, "verdict", json_string("outside"));
	assert_status_has(answer,
	    "OUTSIDE  the settings of the other nodes do not name this host:");
	json_object_set_new(self, "removed_by", json_integer(5));
	text = printed(print_status, answer);
	assert_memory_equal(text,
	    "OUTSIDE  this host was removed from the cluster by generation 5:\n",
	    64);
}

/* A voter's role says enough. */
TEST(status_says_why_a_candidate_may_not_lead)
{
	json_t *answer = make_answer(1),
	       *self = json_object_get(answer, "node");

	json_incref(answer);
	assert_non_null(strstr(printed(print_status, answer),
	    "candidate, not eligible (handing-over),"));
	json_object_set_new(self, "ineligible", json_string("role"));
	json_incref(answer);
	assert_non_null(strstr(
	    printed(print_status, answer), " leader, candidate, priority 0, "));
	json_object_set_new(self, "ineligible", json_null());
	assert_non_null(strstr(
	    printed(print_status, answer), " leader, candidate, priority 0, "));
}

TEST(every_line_of_explain_fits_a_terminal)
{
	const char *text = printed(print_explain,
	    json_pack("{s:i,s:s,s:s,s:{s:i,s:i,s:i},s:{s:i,s:i}}", "term", 7,
		"algorithm", "bully", "reason", "start:1", "sent", "ELECTION",
		1000, "OK", 1000, "COORDINATOR", 1000, "received", "ELECTION",
		1000, "OK", 1000));

	assert_non_null(strstr(text,
	    "\nIt sent 1000 ELECTION, 1000 OK, 1000 COORDINATOR and received"
	    " 1000 ELECTION,\n         1000 OK.\n"));
}

/* Another key can be forged, so it does not hide the evidence. */
TEST(a_sign_of_another_key_is_shown_beside_the_evidence)
{
	json_t *answer = make_answer(1);
	json_t *peer = json_array_get(json_object_get(answer, "peers"), 3);
	const char *text;

	json_object_set_new(peer, "up", json_false());
	json_object_set_new(peer, "other_key", json_true());
	text = printed(print_status, answer);
	assert_non_null(strstr(
	    text, "(down for 123.4 ms: missed; it seems to use another key)"));
	assert_non_null(strstr(text, "  missed other-key\n"));
}

TEST(columns_that_say_nothing_are_left_out)
{
	const char *text = printed(print_peers, make_answer(1));
	json_t *answer, *peer;

	assert_null(strstr(text, "FOLLOWS"));
	assert_null(strstr(text, "PRIO"));
	text = printed(print_peers, make_answer(99));
	assert_non_null(strstr(text, "FOLLOWS"));
	assert_null(strstr(text, "PRIO"));
	answer = make_answer(1);
	peer = json_array_get(json_object_get(answer, "peers"), 2);
	json_object_set_new(peer, "priority", json_integer(7));
	text = printed(print_peers, answer);
	assert_null(strstr(text, "FOLLOWS"));
	assert_non_null(strstr(text, "PRIO"));
}
