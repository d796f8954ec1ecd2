/* SPDX-License-Identifier: ISC */
/* What electd makes of the reports of `electctl checks`, and of their absence. */
#include "tests/unit/group.h"

#include <string.h>

#include "daemon/electd/aside/health.h"

#define BEGIN  (100 * SEC)
#define HELPER 7 /* a connection */
#define OTHER  8

#define NOT_RUNNING   "checks: `electctl checks` does not run"
#define NOT_RUN_YET   "checks: none has been run yet"
#define NOT_ANSWERING "checks: `electctl checks` does not answer"

static struct health health;
static nsec_t now;

static int
enter(void **state)
{
	(void)state;
	now = BEGIN;
	health_init(&health, true, 5 * SEC);
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
node_without_checks_may_lead(void **state)
{
	(void)state;
	health_init(&health, false, 0);
	assert_well();
	assert_true(health_deadline(&health, now) == NSEC_NEVER);
	assert_true(report(HELPER, 1, "x"));
	assert_well();
	assert_true(health_deadline(&health, now) == NSEC_NEVER);
}

static void
node_may_not_lead_before_the_first_result(void **state)
{
	(void)state;
	assert_fault(NOT_RUNNING);
	assert_true(report_nothing(HELPER, 0));
	assert_fault(NOT_RUN_YET);
	assert_true(report_nothing(HELPER, 1));
	assert_fault(NOT_RUN_YET);
	assert_true(
	    health_deadline(&health, now) == nsec_after(now, HEALTH_VALID));
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
	assert_true(health_deadline(&health, now) == NSEC_NEVER);
	assert_true(report(HELPER, 1, NULL));
	assert_well();
	assert_true(
	    health_deadline(&health, now) == nsec_after(now, HEALTH_VALID));
}

static void
last_result_counts(void **state)
{
	(void)state;
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

static void
result_counts_for_a_time(void **state)
{
	(void)state;
	assert_true(report(HELPER, 1, NULL));
	now += HEALTH_VALID - 1;
	assert_well();
	now++;
	assert_fault(NOT_ANSWERING);
	assert_true(health_deadline(&health, now) == NSEC_NEVER);
	assert_true(report_nothing(HELPER, 1));
	assert_fault(NOT_RUN_YET);
	assert_true(report(HELPER, 1, "x"));
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
	assert_true(report(HELPER, 1, NULL));
	assert_well();
}

static void
helper_that_restarts_in_time_changes_nothing(void **state)
{
	(void)state;
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

/* It reports again and again, but a check does not end. */
static void
helper_that_restarts_must_have_a_result_in_time(void **state)
{
	nsec_t by;

	(void)state;
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

static void
helper_that_restarts_again_and_again_has_no_more_time(void **state)
{
	uint64_t session = HELPER;
	nsec_t by = now + 5 * SEC + HEALTH_VALID;

	(void)state;
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

static void
helper_that_ends_is_missed(void **state)
{
	(void)state;
	assert_true(report(HELPER, 1, NULL));
	assert_false(health_end(&health, OTHER));
	assert_true(health_end(&health, HELPER));
	assert_false(health_end(&health, HELPER));
	now += HEALTH_VALID;
	assert_fault(NOT_RUNNING);
	assert_true(report_nothing(OTHER, 0));
	assert_fault(NOT_RUN_YET);
}

static void
second_helper_is_refused(void **state)
{
	(void)state;
	assert_true(report(HELPER, 1, "x"));
	assert_false(report(OTHER, 1, NULL));
	assert_fault("x");
	assert_true(health_end(&health, HELPER));
	assert_true(report(OTHER, 1, NULL));
	assert_well();
}

static void
other_checks_leave_the_result_until_they_have_run(void **state)
{
	nsec_t by;

	(void)state;
	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, true, 9 * SEC);
	assert_true(report(HELPER, 1, "of the list before"));
	for (by = now + 9 * SEC + HEALTH_VALID; now < by; now += SEC) {
		assert_well();
		assert_true(report_nothing(HELPER, 2));
	}
	assert_fault(NOT_RUN_YET);
	assert_true(report(HELPER, 2, "new"));
	assert_fault("new");
}

static void
helper_that_ends_after_a_reload_is_missed_as_ever(void **state)
{
	(void)state;
	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, true, 3600 * SEC);
	assert_true(health_end(&health, HELPER));
	assert_true(
	    health_deadline(&health, now) == nsec_after(now, HEALTH_VALID));
	now += HEALTH_VALID;
	assert_fault(NOT_RUNNING);
}

static void
first_checks_need_a_result_unless_the_helper_waits_for_them(void **state)
{
	(void)state;
	health_init(&health, false, 0);
	health_renew(&health, now, true, SEC);
	assert_fault(NOT_RUNNING);
	health_init(&health, false, 0);
	assert_true(report(HELPER, 1, NULL));
	health_renew(&health, now, true, SEC);
	assert_well();
	now += HEALTH_VALID;
	assert_fault(NOT_ANSWERING);
}

static void
last_checks_that_go_end_the_fault(void **state)
{
	(void)state;
	assert_true(report(HELPER, 1, "x"));
	health_renew(&health, now, false, 0);
	assert_well();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(node_without_checks_may_lead, enter),
	cmocka_unit_test_setup(
	    node_may_not_lead_before_the_first_result, enter),
	cmocka_unit_test_setup(last_result_counts, enter),
	cmocka_unit_test_setup(result_counts_for_a_time, enter),
	cmocka_unit_test_setup(
	    helper_that_restarts_in_time_changes_nothing, enter),
	cmocka_unit_test_setup(
	    helper_that_restarts_must_have_a_result_in_time, enter),
	cmocka_unit_test_setup(
	    helper_that_restarts_again_and_again_has_no_more_time, enter),
	cmocka_unit_test_setup(helper_that_ends_is_missed, enter),
	cmocka_unit_test_setup(
	    helper_that_ends_after_a_reload_is_missed_as_ever, enter),
	cmocka_unit_test_setup(second_helper_is_refused, enter),
	cmocka_unit_test_setup(
	    other_checks_leave_the_result_until_they_have_run, enter),
	cmocka_unit_test_setup(
	    first_checks_need_a_result_unless_the_helper_waits_for_them, enter),
	cmocka_unit_test_setup(last_checks_that_go_end_the_fault, enter),
};

GROUP(tests);
