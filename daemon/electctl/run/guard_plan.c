/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/guard_plan.h"

/* So long before the deadline the kernel kills the guard, and the guard the
 * command; but at most these parts of the time from a new deadline to its end.
 */
#define DEATH_EARLY (20 * MSEC)
#define DEATH_PARTS 16
#define KILL_EARLY  (50 * MSEC)
#define KILL_PARTS  8

/* How long the command has to end, unless --stop-time says otherwise: without
 * deadlines, and with them in such parts. Two thirds of that time are left when
 * electd gives the next deadline. */
#define STOP_TIME  (10 * SEC)
#define STOP_PARTS 2

void
plan_init(struct guard_plan *plan, nsec_t stop_time)
{
	*plan = (struct guard_plan){
		.stop_time = stop_time,
		.death_at = NSEC_NEVER,
	};
}

nsec_t
plan_stop_time(const struct guard_plan *plan)
{
	if (plan->stop_time != 0)
		return plan->stop_time;
	return plan->is_quorum
		   ? nsec_since(plan->span / STOP_PARTS, plan->margin)
		   : STOP_TIME;
}

/* How long before the deadline the command is killed. */
static nsec_t
kill_early(const struct guard_plan *plan)
{
	return nsec_earlier(KILL_EARLY, plan->span / KILL_PARTS) + plan->margin;
}

nsec_t
plan_stop_time_max(const struct guard_plan *plan)
{
	return nsec_since(plan->span, kill_early(plan));
}

/* So long before the last deadline; never without one. */
static nsec_t
before_deadline(const struct guard_plan *plan, nsec_t early)
{
	if (plan->until == NSEC_NEVER)
		return NSEC_NEVER;
	return nsec_since(plan->until, early);
}

/* When the command is killed at the latest. */
static nsec_t
kill_by(const struct guard_plan *plan)
{
	return before_deadline(plan, kill_early(plan));
}

/* When the command is told to end, without a later deadline. */
static nsec_t
tell_at(const struct guard_plan *plan)
{
	return before_deadline(plan, kill_early(plan) + plan_stop_time(plan));
}

static void
set_death(struct guard_plan *plan)
{
	nsec_t early = nsec_earlier(DEATH_EARLY, plan->span / DEATH_PARTS);

	plan->death_at = before_deadline(plan, early + plan->margin);
}

void
plan_lead(struct guard_plan *plan, nsec_t until, nsec_t span)
{
	plan->until = until;
	plan->span = span;
	if (plan->runs && !plan->is_told)
		set_death(plan);
}

void
plan_lose(struct guard_plan *plan)
{
	plan->until = 0;
}

enum guard_deed
plan_next(struct guard_plan *plan, nsec_t now)
{
	if (plan->runs && plan->is_told && now >= plan->kill_at) {
		plan->kill_at = NSEC_NEVER;
		return GUARD_KILL;
	}
	if (plan->runs && !plan->is_told && now >= tell_at(plan))
		return GUARD_TELL;
	if (!plan->runs && plan->hands_over && plan->until != 0)
		return GUARD_RELEASE;
	if (!plan->runs && !plan->hands_over && !plan->is_ended &&
	    now < tell_at(plan))
		return GUARD_START;
	return GUARD_WAIT;
}

nsec_t
plan_due_at(const struct guard_plan *plan)
{
	if (!plan->runs)
		return NSEC_NEVER;
	return plan->is_told ? plan->kill_at : tell_at(plan);
}

void
plan_begin(struct guard_plan *plan)
{
	plan->runs = true;
	plan->is_told = false;
	set_death(plan);
}

bool
plan_tell(struct guard_plan *plan, nsec_t now)
{
	if (!plan->runs || plan->is_told)
		return false;
	plan->is_told = true;
	plan->kill_at =
	    nsec_earlier(nsec_after(now, plan_stop_time(plan)), kill_by(plan));
	return true;
}

void
plan_end(struct guard_plan *plan)
{
	plan->runs = false;
	plan->death_at = NSEC_NEVER;
}
