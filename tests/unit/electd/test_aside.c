/* SPDX-License-Identifier: ISC */
/* Which standby a node is told, of an operator's and that of its checks. */
#include "tests/unit/group.h"

#include <string.h>

#include "daemon/electd/aside/aside.h"

#define BEGIN (100 * SEC)
#define SICK  "check web: exited 1"

static const struct standby off = { .is_on = false };
static const struct standby cable = {
	.is_on = true, .left = NSEC_NEVER, .reason = "cable"
};
static const struct standby hour = {
	.is_on = true, .left = 3600 * SEC, .reason = "hour"
};

static struct aside aside;
static struct standby told;
static nsec_t now;

static void
begin(const struct standby *order, bool has_checks)
{
	const struct settings settings = {
		.checks_count = has_checks,
		.checks = { { .timeout = 5 * SEC } },
	};

	now = BEGIN;
	told = aside_begin(&aside, now, order, &settings);
}

/* NULL: the services are well. */
static void
report(const char *fault)
{
	struct health_report r = {
		.session = 1,
		.list = 1,
		.is_known = true,
		.is_well = fault == NULL,
	};

	if (fault != NULL)
		strcpy(r.reason, fault);
	assert_true(health_take(&aside.health, now, &r));
}

/* True if the node is told something else. */
static bool
look(void)
{
	return aside_look(&aside, now, &told);
}

/* The services are as they are, and the helper says so all the time. */
static void
pass(nsec_t time, const char *fault)
{
	now += time;
	report(fault);
}

static void
assert_aside(const char *reason, nsec_t age)
{
	assert_true(told.is_on);
	assert_string_equal(told.reason, reason);
	assert_true(told.age == age);
}

TEST(node_without_checks_is_told_the_order)
{
	begin(&off, false);
	assert_false(told.is_on);
	assert_false(look());
	aside_order(&aside, now, &hour);
	assert_true(look());
	assert_aside("hour", 0);
	assert_true(told.left == hour.left);
	assert_true(aside.look_at == NSEC_NEVER);
	now += SEC;
	assert_false(look());
	aside_order(&aside, now, &hour);
	assert_true(look());
	assert_aside("hour", 0);
	aside_order(&aside, now, &off);
	assert_true(look());
	assert_false(told.is_on);
}

/* The node ends it by itself. */
TEST(order_that_is_over_is_not_told)
{
	begin(&hour, false);
	assert_aside("hour", 0);
	assert_true(aside_is_ordered(&aside, now));
	now += hour.left;
	assert_false(aside_is_ordered(&aside, now));
	assert_false(look());
}

TEST(node_with_checks_begins_on_standby)
{
	begin(&off, true);
	assert_aside("checks: `electctl checks` does not run", 0);
	assert_true(told.left == NSEC_NEVER);
	assert_false(aside_is_ordered(&aside, now));
	pass(SEC, NULL);
	assert_true(look());
	assert_false(told.is_on);
	assert_false(look());
}

TEST(fault_is_told_and_its_age_is_that_of_the_first)
{
	begin(&off, true);
	report(NULL);
	look();
	report(SICK);
	assert_true(look());
	assert_aside(SICK, 0);
	pass(SEC, SICK);
	assert_false(look());
	pass(SEC, "check web: timed out");
	assert_true(look());
	assert_aside("check web: timed out", 2 * SEC);
	report(NULL);
	assert_true(look());
	pass(SEC, SICK);
	assert_true(look());
	assert_aside(SICK, 0);
}

TEST(result_that_is_overdue_is_looked_for)
{
	begin(&off, true);
	report(NULL);
	look();
	assert_true(aside.look_at == nsec_after(now, HEALTH_VALID));
	now = aside.look_at;
	assert_true(look());
	assert_aside("checks: `electctl checks` does not answer", 0);
	assert_true(aside.look_at == NSEC_NEVER);
}

TEST(other_checks_are_waited_for)
{
	const struct settings renewed = {
		.checks_count = 1,
		.checks = { { .timeout = 9 * SEC } },
	};

	begin(&off, true);
	report(NULL);
	assert_true(look());
	aside_renew(&aside, now, &renewed);
	assert_false(look());
	assert_true(
	    aside.health.known_by == nsec_after(now, 9 * SEC + HEALTH_VALID));
	assert_true(aside.look_at == nsec_after(now, HEALTH_VALID));
}

TEST(order_comes_first)
{
	begin(&cable, true);
	assert_aside("cable", 0);
	report(SICK);
	assert_false(look());
	pass(SEC, NULL);
	assert_false(look());
	pass(SEC, SICK);
	assert_false(look());
	aside_order(&aside, now, &off);
	assert_true(look());
	assert_aside(SICK, 0);
	aside_order(&aside, now, &cable);
	assert_true(look());
	assert_aside("cable", 0);
}

TEST(order_gives_way_before_its_end)
{
	begin(&hour, true);
	report(SICK);
	assert_false(look());
	pass(hour.left - 200 * MSEC, SICK);
	assert_false(look());
	assert_true(aside_is_ordered(&aside, now));
	assert_true(aside.look_at == nsec_after(now, 100 * MSEC));
	now = aside.look_at;
	assert_true(look());
	assert_aside(SICK, hour.left - 100 * MSEC);
	assert_true(told.left == NSEC_NEVER);
	assert_false(aside_is_ordered(&aside, now));
}

/* The process did not run when it was to look. */
TEST(order_that_ends_unseen_leaves_the_fault)
{
	begin(&hour, true);
	pass(hour.left + SEC, SICK);
	assert_true(look());
	assert_aside(SICK, hour.left + SEC);
}

TEST(healthy_node_keeps_the_end_of_its_order)
{
	begin(&hour, true);
	report(NULL);
	assert_false(look());
	pass(hour.left - 50 * MSEC, NULL);
	assert_false(look());
	assert_true(aside_is_ordered(&aside, now));
}
