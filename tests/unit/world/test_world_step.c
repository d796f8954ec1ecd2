/* SPDX-License-Identifier: ISC */
/* Processes that stop in the middle of a step. */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

static bool
is_resumed(struct world *w)
{
	return !w->processes[3].paused;
}

/* The process goes on with the time that it read before. */
WORLD(process_stopped_in_a_step_goes_on_where_it_was)
{
	struct world *w = world_settled_plain(3);
	struct process *p = &w->processes[3];
	uint64_t actions;
	nsec_t local;

	world_stall(w, 3, 1, 300 * MSEC, false);
	world_run(w, 200 * MSEC);
	assert_int_equal(w->counters.stalls, 1);
	assert_true(p->paused);
	assert_true(p->step.is_open);
	actions = p->observed.actions;
	local = p->step.local;
	world_run_until(w, is_resumed, SEC);
	assert_false(p->step.is_open);
	assert_int_equal(p->step.local, local);
	assert_true(p->observed.actions > actions);
	assert_true(clock_local(&p->clock, w->now) >= local + 300 * MSEC);
	world_settle(w);
}

WORLD(question_waits_while_its_process_is_stopped)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 1, .guarantee = GUARANTEE_QUORUM });
	struct process *p = &w->processes[1];

	world_start(w, 1);
	world_settle(w);
	world_let_ask(w, 10 * MSEC);
	world_run(w, 100 * MSEC);
	assert_true(w->counters.answers > 0);
	assert_int_equal(w->clients.said, world_status(w, 1).term);
	world_pause(w, 1);
	w->counters.answers = 0;
	world_run(w, 100 * MSEC);
	assert_int_equal(w->counters.answers, 0);
	assert_true(p->questions.count > 0);
	world_resume(w, 1);
	assert_int_equal(p->questions.count, 0);
	assert_true(w->counters.answers > 0);
}
