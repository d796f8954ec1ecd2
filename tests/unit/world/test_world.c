/* SPDX-License-Identifier: ISC */
/*
 * The simulated world itself: its clock, queue, network and processes do what
 * world.h says, and its checks can fail.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

static void
push(struct world_queue *q, nsec_t at, enum pending_kind kind, unsigned target)
{
	struct pending *p = pending_new(kind, at, NULL, 0);

	p->target = target;
	world_queue_push(q, p);
}

/* The order is time, then faults before datagrams, then the lower node, then
 * the first made. */
TEST(queue_breaks_ties_by_the_written_rule)
{
	static const uint64_t order[] = { 5, 3, 4, 1, 2, 0 };
	struct world_queue q = { 0 };

	push(&q, 9, PENDING_FAULT, 1);
	push(&q, 7, PENDING_DATAGRAM, 2);
	push(&q, 7, PENDING_DATAGRAM, 2);
	push(&q, 7, PENDING_FAULT, 3);
	push(&q, 7, PENDING_DATAGRAM, 1);
	push(&q, 2, PENDING_DATAGRAM, 5);
	for (size_t i = 0; i < 6; i++) {
		struct pending *p = world_queue_pop(&q);

		assert_int_equal(p->sequence, order[i]);
		free(p);
	}
	assert_null(world_queue_pop(&q));
	world_queue_done(&q);
}

TEST(queue_gives_a_thousand_in_order)
{
	struct world_queue q = { 0 };
	struct random random;
	nsec_t last = 0;

	random_init(&random, 4);
	for (unsigned i = 0; i < 1000; i++)
		push(&q, random_below(&random, 300), PENDING_DATAGRAM, 1);
	while (world_queue_first(&q) != NULL) {
		struct pending *p = world_queue_pop(&q);

		assert_true(p->at >= last);
		last = p->at;
		free(p);
	}
	assert_int_equal(last, 299);
	world_queue_done(&q);
}

/* The deadline's world time is the first at which the clock has reached it. */
TEST(clock_reaches_a_deadline_and_not_earlier)
{
	struct process p = { .clock.base = 77 * SEC, .clock.zero = 5 * SEC };

	for (int rate = -100; rate <= 100; rate += 7) {
		clock_set_rate(&p.clock, p.clock.zero + SEC / 3, rate);
		for (nsec_t d = 1; d < SEC; d = d * 3 + 1) {
			nsec_t local = p.clock.base + d;
			nsec_t at = clock_world(&p.clock, local);

			assert_true(clock_local(&p.clock, at) >= local);
			assert_true(clock_local(&p.clock, at - 1) < local);
		}
	}
	assert_true(clock_world(&p.clock, NSEC_NEVER) == NSEC_NEVER);
}

/* A stormy minute gives the same trace for the same seed. */
static char *
trace_of_seed(uint64_t seed)
{
	const struct world_setup setup = {
		.nodes = 5, .seed = seed, .trace = true
	};
	const struct wire storm = { .loss = 200,
		.doubles = 100,
		.corrupt = 10,
		.late = 250,
		.jitter = 20 * MSEC,
		.delay_min = 100 * USEC,
		.delay_max = 3 * MSEC };
	struct world *w = world_with(setup);
	char *text;

	world_weather(w, &storm);
	world_start_all(w);
	world_run(w, 30 * SEC);
	world_crash_after(w, 5, 3);
	world_run(w, 30 * SEC);
	text = strdup(w->trace.text);
	world_end(w);
	return text;
}

TEST(same_seed_gives_the_same_trace)
{
	char *first = trace_of_seed(1), *second = trace_of_seed(1);
	char *other = trace_of_seed(2);

	assert_string_equal(first, second);
	assert_string_not_equal(first, other);
	assert_true(strlen(first) > 1000);
	free(first);
	free(second);
	free(other);
}

WORLD(weather_loses_doubles_and_corrupts_as_often_as_set)
{
	const struct wire wire = { .loss = 300, .doubles = 100, .corrupt = 50 };
	const uint8_t bytes[100] = { 0 };
	struct world *w = world_plain(2);

	world_weather(w, &wire);
	for (unsigned i = 0; i < 10000; i++)
		world_send(w, 1, 2, bytes, sizeof(bytes));
	world_run(w, SEC);
	assert_int_equal(w->counters.sent, 10000);
	assert_in_range(w->counters.lost, 2800, 3200);
	assert_in_range(w->counters.doubled, 600, 800);
	assert_in_range(w->counters.corrupted, 300, 470);
	assert_int_equal(w->counters.unheard,
	    10000 - w->counters.lost + w->counters.doubled);
}

/* With jitter, a later datagram arrives earlier now and then. */
WORLD(late_datagrams_are_overtaken)
{
	const struct wire wire = { .late = 250, .jitter = 20 * MSEC };
	const uint8_t byte = 0;
	struct world *w = world_plain(2);
	unsigned overtaken = 0;
	uint64_t last = 0;
	struct pending *p;

	world_weather(w, &wire);
	for (unsigned i = 0; i < 1000; i++) {
		world_send(w, 1, 2, &byte, 1);
		w->now += MSEC;
	}
	while ((p = world_queue_pop(&w->queue)) != NULL) {
		overtaken += p->sequence < last;
		last = p->sequence > last ? p->sequence : last;
		free(p);
	}
	assert_in_range(overtaken, 150, 250);
}

WORLD(cut_may_be_one_way_and_splits_may_be_healed)
{
	const uint8_t byte = 0;
	struct world *w = world_plain(4);

	world_cut_way(w, 1, 2);
	world_send(w, 1, 2, &byte, 1);
	assert_int_equal(w->counters.lost, 1);
	world_send(w, 2, 1, &byte, 1);
	assert_int_equal(w->counters.lost, 1);
	world_split(w, 1u << 3);
	world_send(w, 3, 4, &byte, 1);
	world_send(w, 4, 3, &byte, 1);
	world_send(w, 2, 4, &byte, 1);
	assert_int_equal(w->counters.lost, 3);
	world_heal(w);
	world_send(w, 1, 2, &byte, 1);
	world_send(w, 3, 4, &byte, 1);
	assert_int_equal(w->counters.lost, 3);
}

/* The process performs exactly so many actions; the incarnation stays. */
TEST(crash_comes_between_two_actions)
{
	for (unsigned k = 0; k < 40; k++) {
		struct world *w = world_settled_plain(3);
		uint64_t before = w->processes[3].observed.actions;

		world_crash_after(w, 3, k);
		world_run(w, 10 * SEC);
		assert_false(world_runs(w, 3));
		assert_int_equal(w->processes[3].observed.actions, before + k);
		assert_int_equal(w->processes[3].disk.durable.incarnation, 1);
		world_start(w, 3);
		assert_int_equal(world_status(w, 3).incarnation, 2);
		world_end(w);
	}
}

WORLD(state_that_is_lost_starts_again_at_one)
{
	struct world *w = world_plain(1);

	for (unsigned i = 1; i <= 3; i++) {
		world_start(w, 1);
		assert_int_equal(world_status(w, 1).incarnation, i);
		world_crash(w, 1);
	}
	world_forget(w, 1);
	world_start(w, 1);
	assert_int_equal(world_status(w, 1).incarnation, 1);
}

WORLD(paused_process_does_nothing_and_its_socket_is_bounded)
{
	const uint8_t byte = 0;
	struct world *w = world_settled_plain(2);
	const struct process *p = &w->processes[2];
	uint64_t ticks = p->observed.ticks, received;

	received = world_counters(w, 2)->received;
	world_pause(w, 2);
	for (unsigned i = 0; i < 2 * WORLD_SOCKET_MAX; i++)
		world_inject(w, 1, 2, &byte, 1);
	world_run(w, 60 * SEC);
	assert_int_equal(p->observed.ticks, ticks);
	assert_int_equal(world_counters(w, 2)->received, received);
	assert_int_equal(p->socket.count, WORLD_SOCKET_MAX);
	assert_true(w->counters.overflow >= WORLD_SOCKET_MAX);
}

/* A node drains its socket before it judges: its deadline passed long ago, and
 * yet it waits. */
WORLD(resumed_process_hears_before_it_judges)
{
	struct world *w = world_settled_plain(3);
	const struct process *p = &w->processes[1];
	uint64_t ticks = p->observed.ticks, delivered;
	size_t waiting;

	world_pause(w, 1);
	world_run(w, SEC / 4);
	waiting = p->socket.count;
	delivered = w->counters.delivered;
	assert_true(waiting > 0);
	assert_true(p->wake < w->now);
	world_resume(w, 1);
	while (p->observed.ticks == ticks)
		world_step(w);
	assert_true(w->counters.delivered >= delivered + waiting);
}

WORLD(frozen_process_has_a_clock_that_stands_still)
{
	struct world *w = world_settled_plain(2);
	const struct process *p = &w->processes[1];
	nsec_t wake = p->wake, local = clock_local(&p->clock, w->now);

	world_freeze(w, 1);
	world_run(w, 7 * SEC);
	world_resume(w, 1);
	assert_true(p->wake == wake + 7 * SEC);
	assert_true(clock_local(&p->clock, w->now) == local);
}

TEST(copy_gets_all_datagrams_or_its_half)
{
	const uint8_t byte = 0;

	for (int shares = 0; shares <= 1; shares++) {
		struct world *w = world_plain(2);
		size_t count;

		w->network.copy_shares = shares;
		world_start(w, 2);
		world_copy(w, 2, 9);
		count = w->queue.count;
		for (unsigned i = 0; i < 1000; i++)
			world_send(w, 1, 2, &byte, 1);
		assert_int_equal(w->queue.count - count, shares ? 2000 : 1000);
		world_end(w);
	}
}

WORLD(faults_happen_at_their_time)
{
	const struct fault pause = { .kind = FAULT_PAUSE, .target = 2 };
	const struct fault resume = { .kind = FAULT_RESUME, .target = 2 };
	struct world *w = world_settled_plain(2);
	nsec_t now = w->now;

	world_at(w, now + 2 * SEC, &resume);
	world_at(w, now + SEC, &pause);
	world_run(w, SEC - 1);
	assert_false(w->processes[2].paused);
	world_run(w, 1);
	assert_true(w->processes[2].paused);
	world_run(w, SEC);
	assert_false(w->processes[2].paused);
	assert_true(w->changes.fault_at == now + 2 * SEC);
}

WORLD(trace_is_bounded_and_keeps_the_newest_whole_lines)
{
	struct world *w = world_plain(1);

	for (unsigned i = 0; i < 400000; i++)
		world_note(w, "%u is a line of the trace", i);
	assert_true(w->trace.capacity <= (size_t)8 << 20);
	assert_int_equal(strlen(w->trace.text), w->trace.size);
	assert_memory_equal(w->trace.text, "[    0.000] * ", 14);
	assert_non_null(strstr(w->trace.text, "\n[    0.000] * 399999 is"));
	assert_null(strstr(w->trace.text, "\n[    0.000] * 5 is"));
}

static void
halts(struct world *w, const char *why)
{
	(void)why;
	assert_true(w->halted);
}

static struct world *
forgiving(unsigned nodes)
{
	struct world *w = world_settled_plain(nodes);

	w->setup.failed = halts;
	return w;
}

/* Negative controls: each check fails when its promise is broken. */
WORLD(checks_notice_a_term_that_falls)
{
	struct world *w = forgiving(3);

	w->processes[2].observed.term = UINT64_MAX;
	world_run(w, SEC);
	assert_true(w->halted);
	assert_non_null(strstr(w->trace.text, "BROKEN: 2 fell from term"));
	assert_false(world_step(w));
}

WORLD(checks_notice_an_incarnation_that_is_not_durable)
{
	struct world *w = forgiving(3);

	w->processes[2].disk.durable.incarnation = 0;
	world_run(w, SEC);
	assert_true(w->halted);
}

WORLD(checks_notice_a_host_that_was_told_of_another_leader)
{
	struct world *w = forgiving(3);

	w->processes[2].observed.leader.leader = 1;
	world_run(w, SEC);
	assert_true(w->halted);
}

WORLD(settled_means_that_the_best_leads_alone)
{
	struct world *w = forgiving(3);

	assert_true(world_settled(w));
	w->processes[1].priority = 1;
	assert_false(world_settled(w));
	assert_string_equal(
	    w->why, "1 takes 3 as leader, but another is better");
	w->processes[1].priority = 0;
	w->processes[3].role = ROLE_VOTER;
	assert_false(world_settled(w));
	w->processes[3].role = ROLE_CANDIDATE;
	world_split(w, 1u << 3);
	assert_false(world_settled(w));
	assert_string_equal(
	    w->why, "1 takes 3 as leader, but that one is not there");
	world_settle(w);
	assert_false(w->halted);
}

WORLD(settling_too_late_is_a_broken_promise)
{
	struct world *w = world_plain(2);

	w->setup.failed = halts;
	world_start_all(w);
	w->processes[2].role = ROLE_VOTER;
	world_settle(w);
	assert_true(w->halted);
}

WORLD(every_message_that_was_taken_was_sent)
{
	struct world *w = world_settled_plain(5);
	uint64_t matched = w->counters.matched;

	assert_true(matched > 0);
	world_elect(w, 1);
	world_settle(w);
	assert_true(w->counters.matched > matched);
}

/* A node that says it took what nobody sent. */
WORLD(checks_notice_a_message_that_was_not_sent)
{
	struct world *w = world_settled_plain(2);
	const struct event_log *log = node_events(w->processes[1].node);
	struct event e = { 0 };

	for (uint64_t i = 1; i <= log->count; i++) {
		if (event_log_find(log, i)->kind == EVENT_TAKEN)
			e = *event_log_find(log, i);
	}
	assert_int_equal(e.kind, EVENT_TAKEN);
	e.sequence += 100;
	event_log_add((struct event_log *)(uintptr_t)log, &e);
	w->setup.failed = halts;
	world_run(w, SEC);
	assert_true(w->halted);
}
