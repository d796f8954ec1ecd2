/* SPDX-License-Identifier: ISC */
/* When the supervisor of `run` starts, tells and kills its command. */
#include "tests/unit/group.h"

#include "daemon/electctl/run/run_policy.h"

#define SPAN (1600 * MSEC)
#define NOW  (100 * SEC)

/* The policy of a node that has just got a deadline. */
static struct run_policy
leading(void)
{
	struct run_policy policy;

	policy_init(&policy, 0);
	policy.is_quorum = true;
	policy_lead(&policy, NOW + SPAN, SPAN);
	return policy;
}

static struct run_policy
running(void)
{
	struct run_policy policy = leading();

	policy_begin(&policy);
	return policy;
}

TEST(nothing_starts_without_the_lead)
{
	struct run_policy policy;

	policy_init(&policy, 0);
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
	assert_int_equal(policy_due_at(&policy), NSEC_NEVER);
	policy = leading();
	assert_int_equal(policy_next(&policy, NOW), POLICY_START);
	policy_lose(&policy);
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
	policy = leading();
	policy.is_ended = true;
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
}

/* Half of the span is for its end, and it is killed 50 ms before the
 * deadline. */
TEST(command_is_told_and_killed_in_time)
{
	struct run_policy policy = running();
	nsec_t kill_at = NOW + SPAN - 50 * MSEC, tell_at = kill_at - SPAN / 2;

	assert_int_equal(policy_due_at(&policy), tell_at);
	assert_int_equal(policy_next(&policy, tell_at - 1), POLICY_WAIT);
	assert_int_equal(policy_next(&policy, tell_at), POLICY_TELL);
	assert_true(policy_tell(&policy, tell_at));
	assert_false(policy_tell(&policy, tell_at));
	assert_int_equal(policy_due_at(&policy), kill_at);
	assert_int_equal(policy_next(&policy, kill_at - 1), POLICY_WAIT);
	assert_int_equal(policy_next(&policy, kill_at), POLICY_KILL);
	assert_int_equal(policy_next(&policy, kill_at), POLICY_WAIT);
}

TEST(late_supervisor_kills_at_the_same_time)
{
	struct run_policy policy = running();
	nsec_t kill_at = NOW + SPAN - 50 * MSEC;

	assert_true(policy_tell(&policy, kill_at - MSEC));
	assert_int_equal(policy_due_at(&policy), kill_at);
}

TEST(command_that_is_told_early_has_its_stop_time)
{
	struct run_policy policy = running();

	assert_true(policy_tell(&policy, NOW));
	assert_int_equal(policy_due_at(&policy), NOW + SPAN / 2);
}

/* The timer is set before the command starts, put off by each deadline, and not
 * once the command was told to end. */
TEST(kernel_kills_the_supervisor_before_the_deadline)
{
	struct run_policy policy = leading();

	assert_int_equal(policy.death_at, NSEC_NEVER);
	policy_begin(&policy);
	assert_int_equal(policy.death_at, NOW + SPAN - 20 * MSEC);
	policy_lead(&policy, NOW + SPAN + SEC, SPAN);
	assert_int_equal(policy.death_at, NOW + SPAN + SEC - 20 * MSEC);
	policy_tell(&policy, NOW);
	policy_lead(&policy, NOW + SPAN + 2 * SEC, SPAN);
	assert_int_equal(policy.death_at, NOW + SPAN + SEC - 20 * MSEC);
	policy_end(&policy);
	assert_int_equal(policy.death_at, NSEC_NEVER);
	policy_begin(&policy);
	assert_int_equal(policy.death_at, NOW + SPAN + 2 * SEC - 20 * MSEC);
}

/* Short leases leave less. */
TEST(short_span_has_short_margins)
{
	struct run_policy policy;

	policy_init(&policy, 0);
	policy.is_quorum = true;
	policy_lead(&policy, NOW + 160 * MSEC, 160 * MSEC);
	policy_begin(&policy);
	assert_int_equal(policy.death_at, NOW + 150 * MSEC);
	assert_int_equal(policy_due_at(&policy), NOW + 60 * MSEC);
	policy_tell(&policy, NOW + 60 * MSEC);
	assert_int_equal(policy_due_at(&policy), NOW + 140 * MSEC);
}

TEST(nothing_starts_without_time_to_end)
{
	struct run_policy policy;

	policy_init(&policy, 300 * MSEC);
	policy.is_quorum = true;
	policy_lead(&policy, NOW + SPAN, SPAN);
	assert_int_equal(policy_stop_time_max(&policy), SPAN - 50 * MSEC);
	assert_int_equal(
	    policy_next(&policy, NOW + SPAN - 350 * MSEC - 1), POLICY_START);
	assert_int_equal(
	    policy_next(&policy, NOW + SPAN - 350 * MSEC), POLICY_WAIT);
}

/* The command is told as late as without it: the margin is taken from its
 * time to end. */
TEST(margin_makes_the_rest_earlier)
{
	nsec_t margin = 300 * MSEC, end = NOW + SPAN - margin;
	struct run_policy policy = leading();

	policy.margin = margin;
	assert_int_equal(policy_stop_time(&policy), SPAN / 2 - margin);
	assert_int_equal(
	    policy_stop_time_max(&policy), SPAN - margin - 50 * MSEC);
	policy_begin(&policy);
	assert_int_equal(policy.death_at, end - 20 * MSEC);
	assert_int_equal(policy_due_at(&policy), NOW + SPAN / 2 - 50 * MSEC);
	assert_true(policy_tell(&policy, NOW + SPAN / 2));
	assert_int_equal(policy_due_at(&policy), end - 50 * MSEC);
}

TEST(nothing_starts_with_a_margin_of_all_the_time)
{
	struct run_policy policy = leading();

	policy.margin = SPAN;
	assert_int_equal(policy_stop_time(&policy), 0);
	assert_int_equal(policy_stop_time_max(&policy), 0);
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
}

TEST(handover_ends_the_command_and_gives_the_deadline_back)
{
	struct run_policy policy = running();

	policy.hands_over = true;
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
	assert_true(policy_tell(&policy, NOW));
	policy_end(&policy);
	assert_int_equal(policy_next(&policy, NOW), POLICY_RELEASE);
	policy_lose(&policy);
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
	policy.hands_over = false;
	assert_int_equal(policy_next(&policy, NOW), POLICY_WAIT);
	policy_lead(&policy, NOW + SPAN, SPAN);
	assert_int_equal(policy_next(&policy, NOW), POLICY_START);
}

TEST(without_deadlines_the_command_ends_in_ten_seconds)
{
	struct run_policy policy;

	policy_init(&policy, 0);
	policy_lead(&policy, NSEC_NEVER, 0);
	assert_int_equal(policy_next(&policy, NOW), POLICY_START);
	policy_begin(&policy);
	assert_int_equal(policy.death_at, NSEC_NEVER);
	assert_int_equal(policy_due_at(&policy), NSEC_NEVER);
	assert_true(policy_tell(&policy, NOW));
	assert_int_equal(policy_due_at(&policy), NOW + 10 * SEC);
}
