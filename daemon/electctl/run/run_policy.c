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
policy_init(struct run_policy *policy, nsec_t stop_time)
{
	*policy = (struct run_policy){
		.stop_time = stop_time,
		.death_at = NSEC_NEVER,
	};
}

nsec_t
policy_stop_time(const struct run_policy *policy)
{
	if (policy->stop_time != 0)
		return policy->stop_time;
	return policy->is_quorum
		   ? nsec_since(policy->span / STOP_PARTS, policy->margin)
		   : STOP_TIME;
}

/* How long before the deadline the command is killed. */
static nsec_t
kill_early(const struct run_policy *policy)
{
	return nsec_earlier(KILL_EARLY, policy->span / KILL_PARTS) +
	       policy->margin;
}

nsec_t
policy_stop_time_max(const struct run_policy *policy)
{
	return nsec_since(policy->span, kill_early(policy));
}

/* So long before the last deadline; never without one. */
static nsec_t
before_deadline(const struct run_policy *policy, nsec_t early)
{
	if (policy->until == NSEC_NEVER)
		return NSEC_NEVER;
	return nsec_since(policy->until, early);
}

/* When the command is killed at the latest. */
static nsec_t
kill_by(const struct run_policy *policy)
{
	return before_deadline(policy, kill_early(policy));
}

/* When the command is told to end, without a later deadline. */
static nsec_t
tell_at(const struct run_policy *policy)
{
	return before_deadline(
	    policy, kill_early(policy) + policy_stop_time(policy));
}

static void
set_death(struct run_policy *policy)
{
	nsec_t early = nsec_earlier(DEATH_EARLY, policy->span / DEATH_PARTS);

	policy->death_at = before_deadline(policy, early + policy->margin);
}

void
policy_lead(struct run_policy *policy, nsec_t until, nsec_t span)
{
	policy->until = until;
	policy->span = span;
	if (policy->runs && !policy->is_told)
		set_death(policy);
}

void
policy_lose(struct run_policy *policy)
{
	policy->until = 0;
}

enum policy_deed
policy_next(struct run_policy *policy, nsec_t now)
{
	if (policy->runs && policy->is_told && now >= policy->kill_at) {
		policy->kill_at = NSEC_NEVER;
		return POLICY_KILL;
	}
	if (policy->runs && !policy->is_told && now >= tell_at(policy))
		return POLICY_TELL;
	if (!policy->runs && policy->hands_over && policy->until != 0)
		return POLICY_RELEASE;
	if (!policy->runs && !policy->hands_over && !policy->is_ended &&
	    now < tell_at(policy))
		return POLICY_START;
	return POLICY_WAIT;
}

nsec_t
policy_due_at(const struct run_policy *policy)
{
	if (!policy->runs)
		return NSEC_NEVER;
	return policy->is_told ? policy->kill_at : tell_at(policy);
}

void
policy_begin(struct run_policy *policy)
{
	policy->runs = true;
	policy->is_told = false;
	set_death(policy);
}

bool
policy_tell(struct run_policy *policy, nsec_t now)
{
	if (!policy->runs || policy->is_told)
		return false;
	policy->is_told = true;
	policy->kill_at = nsec_earlier(
	    nsec_after(now, policy_stop_time(policy)), kill_by(policy));
	return true;
}

void
policy_end(struct run_policy *policy)
{
	policy->runs = false;
	policy->death_at = NSEC_NEVER;
}
