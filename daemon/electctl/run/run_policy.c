/* SPDX-License-Identifier: ISC */
#include "daemon/electctl/run/run_policy.h"

/* So long before the deadline the kernel kills the supervisor, and the
 * supervisor the command; but at most these parts of the time from a new
 * deadline to its end. */
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
policy_init(struct run_policy *plan, nsec_t stop_time)
{
	*plan = (struct run_policy){
		.stop_time = stop_time,
		.death_at = NSEC_NEVER,
	};
}

nsec_t
plan_stop_time(const struct run_policy *plan)
{
	if (plan->stop_time != 0)
		return plan->stop_time;
	return plan->is_quorum
		   ? nsec_since(plan->span / STOP_PARTS, plan->margin)
		   : STOP_TIME;
}

/* How long before the deadline the command is killed. */
static nsec_t
kill_early(const struct run_policy *plan)
{
	return nsec_earlier(KILL_EARLY, plan->span / KILL_PARTS) + plan->margin;
}

nsec_t
plan_stop_time_max(const struct run_policy *plan)
{
	return nsec_since(plan->span, kill_early(plan));
}

/* So long before the last deadline; never without one. */
static nsec_t
before_deadline(const struct run_policy *plan, nsec_t early)
{
	if (plan->until == NSEC_NEVER)
		return NSEC_NEVER;
	return nsec_since(plan->until, early);
}

/* When the command is killed at the latest. */
static nsec_t
kill_by(const struct run_policy *plan)
{
	return before_deadline(plan, kill_early(plan));
}

/* When the command is told to end, without a later deadline. */
static nsec_t
tell_at(const struct run_policy *plan)
{
	return before_deadline(plan, kill_early(plan) + plan_stop_time(plan));
}

static void
set_death(struct run_policy *plan)
{
	nsec_t early = nsec_earlier(DEATH_EARLY, plan->span / DEATH_PARTS);

	plan->death_at = before_deadline(plan, early + plan->margin);
}

void
policy_lead(struct run_policy *plan, nsec_t until, nsec_t span)
{
	plan->until = until;
	plan->span = span;
	if (plan->runs && !plan->is_told)
		set_death(plan);
}

void
policy_lose(struct run_policy *plan)
{
	plan->until = 0;
}

enum policy_deed
policy_next(struct run_policy *plan, nsec_t now)
{
	if (plan->runs && plan->is_told && now >= plan->kill_at) {
		plan->kill_at = NSEC_NEVER;
		return POLICY_KILL;
	}
	if (plan->runs && !plan->is_told && now >= tell_at(plan))
		return POLICY_TELL;
	if (!plan->runs && plan->hands_over && plan->until != 0)
		return POLICY_RELEASE;
	if (!plan->runs && !plan->hands_over && !plan->is_ended &&
	    now < tell_at(plan))
		return POLICY_START;
	return POLICY_WAIT;
}

nsec_t
policy_due_at(const struct run_policy *plan)
{
	if (!plan->runs)
		return NSEC_NEVER;
	return plan->is_told ? plan->kill_at : tell_at(plan);
}

void
policy_begin(struct run_policy *plan)
{
	plan->runs = true;
	plan->is_told = false;
	set_death(plan);
}

bool
policy_tell(struct run_policy *plan, nsec_t now)
{
	if (!plan->runs || plan->is_told)
		return false;
	plan->is_told = true;
	plan->kill_at =
	    nsec_earlier(nsec_after(now, plan_stop_time(plan)), kill_by(plan));
	return true;
}

void
policy_end(struct run_policy *plan)
{
	plan->runs = false;
	plan->death_at = NSEC_NEVER;
}
