/* SPDX-License-Identifier: ISC */
/* What a program that follows electd is told, with a daemon that the test
 * plays. */

#include "tests/unit/group.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/util/types.h"
#include "daemon/libelectd/electd.h"
#include "tests/lib/fake_daemon.h"

#define CASE(name) TEST(name, fake_daemon_begin, fake_daemon_end)

#define LEADS                                                                  \
	"{\"event\":\"state\",\"leader\":1,\"self\":1,\"term\":7,\"token\":5,\"hands_over\":false}\n"
#define FOLLOWS                                                                \
	"{\"event\":\"leader\",\"leader\":2,\"self\":1,\"term\":8,\"token\":8}\n"
#define DEADLINE                                                               \
	"{\"event\":\"deadline\",\"term\":7,\"token\":5,\"valid_ms\":40000,\"until_boot_ns\":@+40000}\n"
#define HANDOVER "{\"event\":\"handover\",\"self\":1,\"on\":true}\n"

/* A handle that leads under quorum. */
static struct electd *
lead(struct fake_daemon *d)
{
	struct electd *e = client_meet(d, ELECTD_LEAD, "quorum");

	fake_daemon_send(d, LEADS);
	assert_false(client_news(e)->is_leader);
	fake_daemon_send(d, DEADLINE);
	assert_true(client_news(e)->is_leader);
	return e;
}

/* The handle connects anew, by itself. */
static void
come_again(struct fake_daemon *d, struct electd *e)
{
	struct pollfd come = { .fd = d->listener, .events = POLLIN };
	struct pollfd wakes = { .fd = electd_fd(e), .events = POLLIN };

	while (poll(&come, 1, 0) == 0) {
		assert_int_equal(poll(&wakes, 1, PLAY_MS), 1);
		assert_null(electd_next(e));
	}
	fake_daemon_accept(d);
}

/* The deadline of the handle has come back. */
static void
wait_released(struct fake_daemon *d, uint64_t until)
{
	char line[64];

	snprintf(line, sizeof(line),
	    "{\"verb\":\"release\",\"until_boot_ns\":%" PRIu64 "}", until);
	fake_daemon_expect(d, line);
}

CASE(daemon_that_answers_is_met)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");
	const struct electd_news *n = electd_state(e);

	assert_true(n->is_connected && n->is_quorum);
	assert_false(n->is_leader || electd_holds(e));
	assert_string_equal(n->cluster, "web");
	assert_string_equal(n->node, "one");
	assert_non_null(strstr(n->line, "\"guarantee\":\"quorum\""));
	assert_null(electd_next(e));
	electd_free(e);
}

CASE(deadline_makes_the_leader)
{
	struct electd *e = lead(*state);
	const struct electd_news *n = electd_state(e);

	assert_true(electd_holds(e));
	assert_in_range(electd_left(e), 1, 40 * SEC);
	assert_int_equal(n->span, 40 * SEC);
	assert_int_equal(n->term, 7);
	assert_int_equal(n->token, 5);
	assert_string_equal(n->leader, "one");
	fake_daemon_send(*state, FOLLOWS);
	assert_false(client_news(e)->is_leader);
	assert_string_equal(n->leader, "two");
	assert_int_equal(n->until, 0);
	assert_false(electd_holds(e));
	electd_free(e);
}

CASE(deadline_is_given_back_once)
{
	struct fake_daemon *d = *state;
	struct electd *e = lead(d);
	uint64_t until;

	electd_give_back(e);
	fake_daemon_expect_nothing(d); /* nobody wants it */
	assert_false(electd_holds(e));
	fake_daemon_send(d,
	    "{\"event\":\"deadline\",\"valid_ms\":1,\"until_boot_ns\":@+40000}\n");
	assert_true(client_news(e)->is_leader && electd_holds(e));
	fake_daemon_send(d, HANDOVER);
	assert_false(client_news(e)->is_leader);
	assert_true(electd_holds(e)); /* until the program has stopped */
	fake_daemon_expect_nothing(d);
	until = electd_state(e)->until;
	electd_give_back(e);
	electd_give_back(e);
	wait_released(d, until);
	fake_daemon_expect_nothing(d);
	assert_false(electd_holds(e));
	electd_free(e);
}

/* A handover must not wait for a program that has not begun. */
CASE(deadline_of_a_program_that_does_not_act_is_given_back_at_once)
{
	struct fake_daemon *d = *state;
	struct electd *e = client_meet(d, ELECTD_LEAD, "quorum");

	fake_daemon_send(d,
	    "{\"event\":\"state\",\"leader\":1,\"self\":1,\"term\":7,\"token\":5,\"hands_over\":true}\n");
	fake_daemon_send(d,
	    "{\"event\":\"deadline\",\"valid_ms\":4e4,\"until_boot_ns\":9000000000000000000}\n");
	assert_false(client_news(e)->is_leader);
	assert_false(client_news(e)->is_leader);
	wait_released(d, 9000000000000000000);
	assert_null(electd_next(e));
	electd_free(e);
}

CASE(deadline_that_is_near_ends_the_lead_and_a_later_one_begins_it)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");

	fake_daemon_send(*state, LEADS);
	assert_false(client_news(e)->is_leader);
	fake_daemon_send(*state,
	    "{\"event\":\"deadline\",\"valid_ms\":60,\"until_boot_ns\":@+60}\n");
	assert_false(client_news(e)->is_leader);
	assert_int_equal(client_news(e)->kind, ELECTD_LATE);
	fake_daemon_send(*state,
	    "{\"event\":\"deadline\",\"valid_ms\":1,\"until_boot_ns\":@+200}\n");
	assert_true(client_news(e)->is_leader);
	assert_int_equal(client_news(e)->kind, ELECTD_LATE);
	assert_false(electd_state(e)->is_leader);
	fake_daemon_send(*state, DEADLINE);
	assert_true(client_news(e)->is_leader);
	electd_free(e);
}

CASE(late_line_of_an_old_deadline_begins_nothing)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");

	fake_daemon_send(*state, LEADS);
	assert_false(client_news(e)->is_leader);
	fake_daemon_send(*state,
	    "{\"event\":\"deadline\",\"valid_ms\":1400,\"until_boot_ns\":5}\n");
	assert_false(client_news(e)->is_leader);
	assert_false(electd_holds(e));
	electd_free(e);
}

CASE(deadline_outlives_the_daemon_and_no_other_one)
{
	struct fake_daemon *d = *state;
	struct electd *e = lead(d);

	fake_daemon_drop(d);
	assert_int_equal(client_news(e)->kind, ELECTD_GONE);
	assert_false(electd_state(e)->is_connected);
	assert_true(electd_state(e)->is_leader && electd_holds(e));
	come_again(d, e);
	fake_daemon_expect(d, "{\"verb\":\"status\"}");
	fake_daemon_send(d,
	    "{\"cluster\":\"web\",\"guarantee\":\"quorum\",\"node\":{\"name\":\"one\"}}\n");
	assert_int_equal(client_news(e)->kind, ELECTD_MET);
	assert_false(electd_state(e)->is_leader || electd_holds(e));
	electd_free(e);
}

CASE(lead_without_a_deadline_ends_with_the_daemon)
{
	struct electd *e =
	    client_meet(*state, ELECTD_LEAD_EVEN_IF_TWO, "component");

	fake_daemon_send(*state, LEADS);
	assert_true(client_news(e)->is_leader);
	assert_true(electd_left(e) == ELECTD_NEVER);
	fake_daemon_drop(*state);
	assert_int_equal(client_news(e)->kind, ELECTD_GONE);
	assert_false(electd_state(e)->is_leader || electd_holds(e));
	electd_free(e);
}

CASE(deadline_that_nobody_asked_for_does_not_count)
{
	struct electd *e =
	    client_meet(*state, ELECTD_LEAD_EVEN_IF_TWO, "component");

	fake_daemon_send(*state, FOLLOWS DEADLINE);
	assert_false(client_news(e)->is_leader);
	assert_false(client_news(e)->is_leader);
	assert_int_equal(electd_state(e)->until, 0);
	electd_free(e);
}

CASE(component_is_refused_unless_two_leaders_will_do)
{
	struct fake_daemon *d = *state;
	struct electd *e = electd_new(d->path, ELECTD_LEAD);

	assert_null(electd_next(e));
	fake_daemon_accept(d);
	fake_daemon_expect(d, "{\"verb\":\"status\"}");
	fake_daemon_send(d,
	    "{\"cluster\":\"web\",\"guarantee\":\"component\",\"node\":{\"name\":\"one\"}}\n");
	assert_int_equal(client_news(e)->kind, ELECTD_REFUSED);
	assert_int_equal(electd_state(e)->error, ENOTSUP);
	assert_non_null(strstr(electd_why(e), "two nodes may lead at once"));
	electd_free(e);
}

CASE(watcher_gets_every_event_and_leads_never)
{
	struct electd *e = client_meet(*state, ELECTD_WATCH, "component");
	const struct electd_news *n;

	fake_daemon_send(*state, "{\"event\":\"peer-up\",\"peer\":2}\n" LEADS);
	n = client_news(e);
	assert_int_equal(n->kind, ELECTD_EVENT);
	assert_string_equal(n->line, "{\"event\":\"peer-up\",\"peer\":2}");
	n = client_news(e);
	assert_string_equal(n->leader, "one");
	assert_false(n->is_leader || electd_holds(e));
	electd_free(e);
}

CASE(leader_gets_only_events_of_the_lead)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");

	fake_daemon_send(
	    *state, "{\"event\":\"peer-up\",\"peer\":2}\n" FOLLOWS);
	assert_non_null(strstr(client_news(e)->line, "\"leader\":2"));
	electd_free(e);
}

CASE(line_in_two_halves_is_one)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");

	fake_daemon_send(*state, "{\"event\":\"leader\",\"lea");
	assert_null(electd_next(e));
	fake_daemon_send(*state, "der\":7,\"self\":1}\n");
	assert_string_equal(client_news(e)->leader, "7");
	electd_free(e);
}

/* 4 MiB are enough for each answer. */
CASE(line_without_an_end_ends_the_connection)
{
	struct fake_daemon *d = *state;
	struct electd *e = client_meet(d, ELECTD_WATCH, "quorum");
	const struct electd_news *n = NULL;
	char bytes[65536];
	size_t sent = 0;

	memset(bytes, ' ', sizeof(bytes));
	while (n == NULL) {
		ssize_t put = send(d->client, bytes, sizeof(bytes),
		    MSG_DONTWAIT | MSG_NOSIGNAL);

		sent += put > 0 ? (size_t)put : 0;
		assert_true(sent < (size_t)10 << 20);
		n = electd_next(e);
	}
	assert_int_equal(n->kind, ELECTD_GONE);
	assert_true(sent > (size_t)4 << 20);
	electd_free(e);
}

CASE(line_that_is_no_json_ends_the_connection)
{
	struct electd *e = lead(*state);

	fake_daemon_send(*state, "{\"event\":\n");
	assert_int_equal(client_news(e)->kind, ELECTD_GONE);
	electd_free(e);
}

CASE(refusal_is_told_once_in_plain_words)
{
	struct fake_daemon *d = *state;
	struct electd *e = client_meet(d, ELECTD_LEAD, "quorum");

	fake_daemon_send(d, "{\"error\":\"no \\u001b[1m\",\"code\":4}\n");
	assert_int_equal(client_news(e)->kind, ELECTD_REFUSED);
	assert_int_equal(electd_state(e)->error, EPROTO);
	assert_string_equal(electd_why(e), "the daemon refuses: no ?[1m");
	come_again(d, e);
	fake_daemon_send(d, "{\"error\":\"no\",\"code\":4}\n");
	assert_null(electd_next(e));
	electd_free(e);
}

/* What makes no sense is taken for nothing. */
CASE(numbers_and_names_have_limits)
{
	struct electd *e = client_meet(*state, ELECTD_LEAD, "quorum");
	const struct electd_news *n = electd_state(e);

	fake_daemon_send(*state,
	    "{\"event\":\"state\",\"leader\":1,\"self\":1,\"term\":-7,\"token\":\"5\"}\n");
	fake_daemon_send(*state,
	    "{\"event\":\"deadline\",\"term\":1e3,\"valid_ms\":1e300,\"until_boot_ns\":-5}\n");
	assert_false(client_news(e)->is_leader);
	assert_int_equal(n->term, 0);
	assert_int_equal(n->token, 0);
	assert_false(client_news(e)->is_leader);
	assert_int_equal(n->until, 0);
	assert_int_equal(n->span, 0);
	fake_daemon_send(*state, "[]\n{\"event\":7}\n{}\n" FOLLOWS);
	assert_string_equal(client_news(e)->leader, "two");
	electd_free(e);
}

CASE(daemon_of_another_cluster_is_not_met)
{
	struct fake_daemon *d = *state;
	struct electd *e = client_meet(d, ELECTD_WATCH, "quorum");

	fake_daemon_drop(d);
	assert_int_equal(client_news(e)->kind, ELECTD_GONE);
	for (int i = 0; i < 2; i++) {
		come_again(d, e);
		fake_daemon_send(d,
		    i == 0
			? "{\"cluster\":\"mail\",\"node\":{\"name\":\"x\"}}\n"
			: "{\"cluster\":\"web\",\"node\":{\"name\":\"x\"}}\n");
	}
	assert_int_equal(client_news(e)->kind, ELECTD_MET);
	electd_free(e);
}

CASE(program_that_leaves_gives_all_back)
{
	struct fake_daemon *d = *state;
	struct electd *e = lead(d);

	fake_daemon_send(d, "{\"released\":true}\n");
	electd_leave(e);
	fake_daemon_expect(d, "{\"verb\":\"release\",\"leaves\":true}");
	assert_false(electd_state(e)->is_connected || electd_holds(e));
	electd_free(e);
}

/* Another node has led meanwhile. */
CASE(lead_that_was_lost_and_is_back_is_another)
{
	struct fake_daemon *d = *state;
	struct electd *e = lead(d);

	assert_true(electd_leads(e));
	fake_daemon_send(d, FOLLOWS
	    "{\"event\":\"leader\",\"leader\":1,\"self\":1,\"term\":9,\"token\":9}\n");
	fake_daemon_send(d, DEADLINE);
	assert_false(electd_leads(e));
	electd_give_back(e);
	assert_int_equal(electd_lead(e, SEC, PLAY_MS * MSEC), 0);
	assert_true(electd_leads(e));
	electd_free(e);
}

CASE(waiting_for_the_lead_ends_when_it_comes)
{
	struct fake_daemon *d = *state;
	struct electd *e = client_meet(d, ELECTD_LEAD, "quorum");
	uint64_t until;

	assert_int_equal(electd_lead(e, SEC, 1), ETIMEDOUT);
	fake_daemon_send(d, LEADS DEADLINE);
	assert_int_equal(electd_lead(e, SEC, PLAY_MS * MSEC), 0);
	assert_true(electd_leads(e) && electd_holds(e));
	assert_int_equal(electd_lead(e, 50 * SEC, 1), ETIMEDOUT);
	assert_false(electd_holds(e)); /* for too short a time */
	assert_int_equal(electd_lead(e, SEC, PLAY_MS * MSEC), 0);
	fake_daemon_send(d, HANDOVER);
	while (electd_leads(e))
		;
	fake_daemon_expect_nothing(d);
	until = electd_state(e)->until;
	electd_give_back(e);
	wait_released(d, until);
	assert_int_equal(electd_lead(e, SEC, 1), ETIMEDOUT);
	electd_free(e);
}
