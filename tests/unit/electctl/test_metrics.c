/* SPDX-License-Identifier: ISC */
/* The metrics that follow from the daemon's answers. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/metrics/metrics.h"

static const char stats[] =
    "{\"sent\":9,\"changes\":2,\"messages\":{\"OK\":1,"
    "\"ELECTION\":3},\"dropped\":{\"late\":4},\"control\":{\"clients\":7}}";

/* The metrics at second 1000, to be freed. NULL: there is no such answer. */
static char *
metrics_of(const char *status_text, const char *stats_text)
{
	json_t *status = status_text != NULL ? json_loads(status_text, 0, NULL)
					     : NULL,
	       *counters =
		   stats_text != NULL ? json_loads(stats_text, 0, NULL) : NULL;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_true(status_text == NULL || status != NULL);
	metrics_print(to, status, counters, 1000 * SEC);
	fclose(to);
	json_decref(status);
	json_decref(counters);
	return text;
}

/* Fails unless each line of `lines` is among the metrics, and no metric of
 * `absent` (NULL: none). */
static void
check(const char *status, const char *lines, const char *absent)
{
	char *text = metrics_of(status, stats);

	for (const char *line = lines; *line != '\0';) {
		char one[256];
		size_t size = strcspn(line, "\n");

		snprintf(one, sizeof(one), "\n%.*s\n", (int)size, line);
		if (strstr(text, one) == NULL)
			fail_msg("lacks%sin %s", one, text);
		line += size + (line[size] == '\n');
	}
	if (absent != NULL && strstr(text, absent) != NULL)
		fail_msg("has %s: %s", absent, text);
	free(text);
}

TEST(without_an_answer_the_daemon_is_down_and_nothing_else_is_known)
{
	const char *const answers[][2] = { { NULL, NULL }, { "{}", NULL },
		{ NULL, stats } };

	for (size_t i = 0; i < 3; i++) {
		char *text = metrics_of(answers[i][0], answers[i][1]);

		assert_string_equal(text,
		    "# HELP electd_up Whether the daemon answers.\n"
		    "# TYPE electd_up gauge\n"
		    "electd_up 0\n");
		free(text);
	}
}

TEST(leader_under_quorum_is_told_with_its_voters)
{
	check(
	    "{\"role\":\"leader\",\"leader\":{\"id\":1},\"state\":\"leader\","
	    "\"verdict\":\"ok\",\"uptime_ms\":5000.5,\"term\":7,\"token\":6,\"since_ms\":250.25,"
	    "\"quorum\":{\"voters\":5,\"quorum\":3,\"votes\":4},\"eligible\":4}",
	    "electd_up 1\nelectd_has_leader 1\nelectd_is_leader 1\n"
	    "electd_has_quorum 1\nelectd_verdict_ok 1\nelectd_term 7\n"
	    "electd_token 6\nelectd_votes 4\nelectd_spare_failures 1\n"
	    "electd_eligible_nodes 4\n"
	    "electd_last_leader_change_timestamp_seconds 999.74975\n"
	    "electd_start_time_seconds 994.9995\nelectd_leader_changes_total 2\n"
	    "# TYPE electd_leader_changes_total counter",
	    "electd_check_failing");
}

TEST(node_without_a_quorum_says_how_many_voters_lack)
{
	check("{\"role\":\"none\",\"leader\":null,\"state\":\"no-quorum\","
	      "\"verdict\":\"no-leader\",\"token\":null,"
	      "\"quorum\":{\"voters\":5,\"quorum\":3,\"votes\":1}}",
	    "electd_has_leader 0\nelectd_is_leader 0\nelectd_has_quorum 0\n"
	    "electd_verdict_ok 0\nelectd_spare_failures -2",
	    "electd_token");
}

TEST(component_has_no_quorum_to_tell)
{
	check("{\"role\":\"follower\",\"leader\":{},\"state\":\"follower\","
	      "\"quorum\":null,\"eligible\":null}",
	    "electd_has_leader 1\nelectd_is_leader 0", "quorum");
}

TEST(counts_by_kind_have_a_label)
{
	check("{}",
	    "electd_messages_sent_total{kind=\"OK\"} 1\n"
	    "electd_messages_sent_total{kind=\"ELECTION\"} 3\n"
	    "electd_datagrams_dropped_total{kind=\"late\"} 4\n"
	    "electd_clients_total 7",
	    NULL);
}

TEST(peers_are_told_by_name_and_counted_by_link)
{
	check("{\"peers\":[{\"name\":\"two\",\"up\":true,\"rtt_ms\":1.5},"
	      "{\"name\":\"three\",\"up\":false,\"rtt_ms\":null}]}",
	    "electd_peers{state=\"up\"} 1\nelectd_peers{state=\"down\"} 1\n"
	    "electd_peer_up{peer=\"two\"} 1\nelectd_peer_up{peer=\"three\"} 0\n"
	    "electd_peer_round_trip_seconds{peer=\"two\"} 0.0015",
	    "seconds{peer=\"three\"}");
}

TEST(checks_and_standby_are_told_while_there_are_any)
{
	check("{\"node\":{\"standby\":{\"reason\":\"x\"},\"damped\":true,"
	      "\"checks\":{\"count\":1,\"fault\":\"db\"}}}",
	    "electd_standby 1\nelectd_damped 1\nelectd_check_failing 1", NULL);
	check("{\"node\":{\"standby\":null,\"damped\":false,"
	      "\"checks\":{\"count\":1,\"fault\":null}}}",
	    "electd_standby 0\nelectd_damped 0\nelectd_check_failing 0", NULL);
}

TEST(text_of_a_label_cannot_leave_it)
{
	check("{\"cluster\":\"a\\\"b\\\\c\\nd\",\"version\":\"1\"}",
	    "electd_info{cluster=\"a\\\"b\\\\c\\nd\",version=\"1\"} 1", NULL);
}
