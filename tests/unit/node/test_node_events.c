/* SPDX-License-Identifier: ISC */
/* What two nodes record of the election that they hold with each other. */
#include "algorithms/registry.h"
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#define ROOM 64

static struct stage s;

static int
enter_with(const struct algorithm *algorithm)
{
	stage_set(&s, 2);
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		s.setups[i].events_max = ROOM;
		s.setups[i].algorithm = algorithm;
	}
	stage_begin(&s, 3 * SEC);
	return 0;
}

static int
enter(void **state)
{
	(void)state;
	return enter_with(&algorithm_bully);
}

static int
enter_with_a_timer(void **state)
{
	(void)state;
	return enter_with(&algorithm_bully_broadcast);
}

static const struct event_log *
log_of(unsigned node)
{
	return node_events(s.nodes[node]);
}

/* The first event of this kind after `number`; NULL: there is none. */
static const struct event *
event_after(unsigned node, uint64_t number, enum event_kind kind)
{
	const struct event *e;

	while ((e = event_log_find(log_of(node), ++number)) != NULL) {
		if (e->kind == kind)
			return e;
	}
	return NULL;
}

STAGE_CASE(message_has_the_same_name_at_both_ends, enter, &s)
{
	uint64_t before[STAGE_NODES] = { log_of(0)->count, log_of(1)->count };
	const struct event *sent, *taken;

	assert_true(stage_elect(&s, 0) != 0);
	stage_run(&s, SEC);
	taken = event_after(1, before[1], EVENT_TAKEN);
	for (sent = event_after(0, before[0], EVENT_SENT);
	     sent != NULL && sent->peer != 3;
	     sent = event_after(0, sent->number, EVENT_SENT))
		;
	while (taken != NULL && taken->peer != 2)
		taken = event_after(1, taken->number, EVENT_TAKEN);
	assert_non_null(sent);
	assert_non_null(taken);
	assert_true(sent->session != 0);
	assert_true(sent->session <= SESSION_NAME_MAX);
	assert_true(sent->session == taken->session);
	assert_int_equal(sent->sequence, taken->sequence);
	assert_true(sent->term == taken->term);
	assert_int_equal(sent->message, taken->message);
	assert_int_equal(sent->rank, taken->rank);
}

STAGE_CASE(starter_records_its_start_before_what_it_sends, enter, &s)
{
	uint64_t before = log_of(0)->count;
	const struct event *start;

	assert_true(stage_elect(&s, 0) != 0);
	start = event_log_find(log_of(0), before + 1);
	assert_non_null(start);
	assert_int_equal(start->kind, EVENT_STARTS);
	assert_int_equal(start->reason.kind, REASON_FORCED);
	assert_int_equal(
	    event_log_find(log_of(0), before + 2)->kind, EVENT_SENT);
}

STAGE_CASE(leader_is_the_last_event_of_an_election, enter, &s)
{
	assert_true(stage_elect(&s, 0) != 0);
	stage_run(&s, SEC);
	for (unsigned i = 0; i < STAGE_NODES; i++) {
		const struct event *e =
		    event_log_find(log_of(i), log_of(i)->count);

		assert_int_equal(e->leader, stage_status(&s, i).leader);
		assert_true(e->term == stage_status(&s, i).term);
		assert_int_equal(e->kind, EVENT_LEADER);
	}
}

/* The starter waits for the answers of all. */
STAGE_CASE(timer_of_the_algorithm_is_an_event, enter_with_a_timer, &s)
{
	uint64_t before = log_of(0)->count;
	const struct event *timer;

	assert_true(stage_elect(&s, 0) != 0);
	stage_run(&s, SEC);
	timer = event_after(0, before, EVENT_TIMER);
	assert_non_null(timer);
	assert_true(timer->term == event_after(0, before, EVENT_STARTS)->term);
}

STAGE_CASE(quiet_node_records_nothing, enter, &s)
{
	uint64_t before = log_of(0)->count;

	stage_run(&s, 60 * SEC);
	assert_int_equal(log_of(0)->count, before);
}

STAGE_CASE(config_id_keeps_the_events, enter, &s)
{
	const struct event_log before = *log_of(0);

	assert_true(before.count > 0);
	s.setups[0].config_id.config_version++;
	stage_change(&s, 0);
	assert_true(log_of(0)->count >= before.count);
	assert_int_equal(event_log_first(log_of(0)), event_log_first(&before));
	assert_int_equal(
	    event_log_find(log_of(0), before.count)->number, before.count);
}
