/* SPDX-License-Identifier: ISC */
/* What electd makes of the reports of `electctl checks`, and of their absence. */
#include "tests/unit/group.h"

#include <string.h>

#include "daemon/electd/standby/health.h"

#define BEGIN  (100 * SEC)
#define HELPER 7 /* a connection */
#define OTHER  8

#define NOT_RUNNING   "checks: `electctl checks` does not run"
#define NOT_RUN_YET   "checks: none has been run yet"
#define NOT_ANSWERING "checks: `electctl checks` does not answer"

static struct health health;
static struct standby told;
static nsec_t now;

/* Settings with a check that may run for so long; 0: with none. */
static const struct settings *
checks_of(nsec_t timeout)
{
	static struct settings settings;

	settings.checks[0].timeout = timeout;
	settings.checks_count = timeout > 0;
	return &settings;
}

static int
enter(void **state)
{
	(void)state;
	now = BEGIN;
	health_init(&health, checks_of(5 * SEC));
	return 0;
}

/* NULL: the services are well. */
static bool
report(uint64_t session, uint64_t list, const char *fault)
{
	struct health_report r = {
		.session = session,
		.list = list,
		.is_known = true,
		.is_well = fault == NULL,
	};

	if (fault != NULL)
		strcpy(r.reason, fault);
	return health_take(&health, now, &r);
}

/* The helper has not run all of them yet. */
static bool
report_nothing(uint64_t session, uint64_t list)
{
	const struct health_report r = { .session = session, .list = list };

	return health_take(&health, now, &r);
}

static void
assert_well(void)
{
	assert_null(health_fault(&health, now));
}

static void
assert_fault(const char *fault)
{
	assert_non_null(health_fault(&health, now));
	assert_string_equal(health_fault(&health, now), fault);
}

static void
assert_looks_at(nsec_t at)
{
	(void)health_look(&health, now, &told);
	assert_true(health.look_at == at);
}

/* The node is told that, which is news. */
static void
assert_told(const char *fault, nsec_t age)
{
	assert_true(health_look(&health, now, &told));
	assert_int_equal(told.cause, STANDBY_CHECK);
	assert_int_equal(told.is_on, fault != NULL);
	if (fault == NULL)
		return;
	assert_string_equal(told.reason, fault);
	assert_true(told.age == age && told.left == NSEC_NEVER);
	assert_false(health_look(&health, now, &told));
}

TEST(node_without_checks_may_lead, enter)
{
	health_init(&health, checks_of(0));
	assert_well();
	assert_looks_at(NSEC_NEVER);
	assert_true(report(HELPER, 1, "x"));
	assert_well();
	assert_looks_at(NSEC_NEVER);
}

TEST(node_may_not_lead_before_the_first_result, enter)
{
	assert_fault(NOT_RUNNING);
	assert_true(report_nothing(HELPER, 0));
	assert_fault(NOT_RUN_YET);
	assert_true(report_nothing(HELPER, 1));
	assert_fault(NOT_RUN_YET);
	assert_looks_at(nsec_after(now, HEALTH_VALID));
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
	assert_looks_at(NSEC_NEVER);
	assert_true(report(HELPER, 1, NULL));
	assert_well();
	assert_looks_at(nsec_after(now, HEALTH_VALID));
}

TEST(last_result_counts, enter)
{
	assert_true(report(HELPER, 1, NULL));
	assert_true(report(HELPER, 1, "check a: exited 1"));
	assert_fault("check a: exited 1");
	assert_true(report(HELPER, 1, "check b: timed out"));
	assert_fault("check b: timed out");
	assert_true(report_nothing(HELPER, 1));
	assert_fault("check b: timed out");
	assert_true(report(HELPER, 1, NULL));
	assert_well();
}

TEST(result_counts_for_a_time, enter)
{
	assert_true(report(HELPER, 1, NULL));
	now += HEALTH_VALID - 1;
	assert_well();
	now++;
	assert_fault(NOT_ANSWERING);
	assert_looks_at(NSEC_NEVER);
	assert_true(report_nothing(HELPER, 1));
	assert_fault(NOT_RUN_YET);
	assert_true(report(HELPER, 1, "x"));
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
	assert_true(report(HELPER, 1, NULL));
	assert_well();
}

TEST(helper_that_restarts_in_time_changes_nothing, enter)
{
	assert_true(report(HELPER, 1, NULL));
	assert_true(health_end(&health, HELPER));
	now += HEALTH_VALID - 1;
	assert_well();
	assert_true(report_nothing(OTHER, 0));
	now += HEALTH_VALID - 1;
	assert_true(report_nothing(OTHER, 1));
	assert_well();
	now += HEALTH_VALID - 1;
	assert_true(report(OTHER, 1, NULL));
	now += HEALTH_VALID - 1;
	assert_well();
}

/* The helper reports again and again, but a check does not end. */
TEST(helper_that_restarts_must_have_a_result_in_time, enter)
{
	nsec_t by;

	assert_true(report(HELPER, 1, NULL));
	assert_true(health_end(&health, HELPER));
	for (by = now + 5 * SEC + HEALTH_VALID; now < by; now += SEC) {
		assert_true(report_nothing(OTHER, 1));
		assert_well();
	}
	assert_fault(NOT_RUN_YET);
	assert_true(report_nothing(OTHER, 1));
	assert_fault(NOT_RUN_YET);
}

TEST(helper_that_restarts_again_and_again_has_no_more_time, enter)
{
	uint64_t session = HELPER;
	nsec_t by = now + 5 * SEC + HEALTH_VALID;

	assert_true(report(session, 1, NULL));
	for (; now < by; now += SEC) {
		assert_well();
		assert_true(health_end(&health, session++));
		assert_true(report_nothing(session, 1));
	}
	assert_fault(NOT_RUN_YET);
	assert_true(report(session, 1, NULL));
	assert_well();
}

TEST(helper_that_ends_is_missed, enter)
{
	assert_true(report(HELPER, 1, NULL));
	assert_false(health_end(&health, OTHER));
	assert_true(health_end(&health, HELPER));
	assert_false(health_end(&health, HELPER));
	now += HEALTH_VALID;
	assert_fault(NOT_RUNNING);
	assert_true(report_nothing(OTHER, 0));
	assert_fault(NOT_RUN_YET);
}

TEST(second_helper_is_refused, enter)
{
	assert_true(report(HELPER, 1, "x"));
	assert_false(report(OTHER, 1, NULL));
	assert_fault("x");
	assert_true(health_end(&health, HELPER));
	assert_true(report(OTHER, 1, NULL));
	assert_well();
}

TEST(other_checks_leave_the_result_until_they_have_run, enter)
{
	nsec_t by;

	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, checks_of(9 * SEC));
	assert_true(report(HELPER, 1, "of the list before"));
	for (by = now + 9 * SEC + HEALTH_VALID; now < by; now += SEC) {
		assert_well();
		assert_true(report_nothing(HELPER, 2));
	}
	assert_fault(NOT_RUN_YET);
	assert_true(report(HELPER, 2, "new"));
	assert_fault("new");
}

TEST(helper_that_ends_after_a_reload_is_missed_as_ever, enter)
{
	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, checks_of(3600 * SEC));
	assert_true(health_end(&health, HELPER));
	assert_looks_at(nsec_after(now, HEALTH_VALID));
	now += HEALTH_VALID;
	assert_fault(NOT_RUNNING);
}

TEST(first_checks_need_a_result_unless_the_helper_waits_for_them, enter)
{
	health_init(&health, checks_of(0));
	health_renew(&health, now, checks_of(SEC));
	assert_fault(NOT_RUNNING);
	health_init(&health, checks_of(0));
	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, checks_of(SEC));
	assert_well();
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
}

TEST(last_checks_that_go_end_the_fault, enter)
{
	assert_true(report(HELPER, 1, "x"));
	health_renew(&health, now, checks_of(0));
	assert_well();
}

TEST(node_is_told_of_a_fault_and_its_age_is_that_of_the_first, enter)
{
	assert_told(NOT_RUNNING, 0);
	assert_true(report(HELPER, 1, NULL));
	assert_told(NULL, 0);
	assert_true(report(HELPER, 1, "x"));
	assert_told("x", 0);
	now += SEC;
	assert_true(report(HELPER, 1, "x"));
	assert_false(health_look(&health, now, &told));
	now += SEC;
	assert_true(report(HELPER, 1, "y"));
	assert_told("y", 2 * SEC);
	assert_true(report(HELPER, 1, NULL));
	assert_told(NULL, 0);
	now += SEC;
	assert_true(report(HELPER, 1, "y"));
	assert_told("y", 0);
	now = health.look_at;
	assert_told(NOT_ANSWERING, HEALTH_VALID);
}
