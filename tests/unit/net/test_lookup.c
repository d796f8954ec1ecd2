/* SPDX-License-Identifier: ISC */
/*
 * Look-ups of names beside all else: at once, and again and again while a host
 * is not linked, without making anybody wait.
 */
#include "tests/unit/group.h"

#include "daemon/net/lookup.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>

#include "daemon/system/clock.h"
#include "tests/lib/names.h"

#define PATIENCE (20 * SEC)

static struct lookup *lookup;
static struct lookup_result result;

static int
enter(void **state)
{
	(void)state;
	names_hold(false);
	names_set(NULL, NULL, NULL);
	lookup = lookup_new(3, AF_INET, MSEC);
	assert_non_null(lookup);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	lookup_free(lookup);
	names_hold(false);
	return 0;
}

static void
start(const char *text)
{
	assert_true(lookup_set(lookup, 1, text));
	assert_int_equal(lookup_start(lookup), 0);
}

/* Takes the next change, into `result`. */
static void
await_result(void)
{
	nsec_t until = clock_now() + PATIENCE;

	while (!lookup_take(lookup, &result)) {
		assert_true(clock_now() < until);
		sched_yield();
	}
	assert_int_equal(result.i, 1);
}

static void
await_asked(unsigned count)
{
	nsec_t until = clock_now() + PATIENCE;

	while (names_asked() < count) {
		assert_true(clock_now() < until);
		assert_false(lookup_take(lookup, &result));
		sched_yield();
	}
}

static void
assert_found(const char *text)
{
	char found[ADDRESS_TEXT_MAX];

	assert_int_equal(result.error, 0);
	assert_string_equal(address_text(&result.address, found), text);
}

#define CASE(name) TEST(name, enter, leave)

CASE(name_is_found)
{
	names_set("web2", "192.0.2.12", NULL);
	start("web2:7420");
	await_result();
	assert_found("192.0.2.12:7420");
}

CASE(without_a_name_no_service_is_asked)
{
	unsigned asked = names_asked();

	assert_int_equal(lookup_start(lookup), 0);
	assert_false(lookup_take(lookup, &result));
	assert_int_equal(names_asked(), asked);
}

CASE(name_that_comes_later_is_found_later)
{
	unsigned asked = names_asked();

	start("web2:7420");
	await_result();
	assert_int_equal(result.error, EAI_NONAME);
	/* A name that is still unknown is no news. */
	await_asked(asked + 4);
	names_set("web2", "192.0.2.12", NULL);
	await_result();
	assert_found("192.0.2.12:7420");
}

CASE(name_that_moves_is_found_again)
{
	names_set("web2", "192.0.2.12", NULL);
	start("web2:7420");
	await_result();
	names_set("web2", "192.0.2.22", NULL);
	await_result();
	assert_found("192.0.2.22:7420");
	names_set(NULL, NULL, NULL);
	await_result();
	assert_int_equal(result.error, EAI_NONAME);
}

/* The changes may come in any order. */
CASE(one_of_several_addresses_is_kept)
{
	unsigned asked;

	names_set("web2", "192.0.2.12", "192.0.2.22");
	start("web2:7420");
	await_result();
	assert_found("192.0.2.12:7420");
	names_set("web2", "192.0.2.22", "192.0.2.12");
	asked = names_asked();
	await_asked(asked + 3);
}

CASE(linked_host_is_not_looked_up)
{
	names_set("web2", "192.0.2.12", NULL);
	start("web2:7420");
	await_result();
	lookup_set_linked(lookup, 1, true);
	names_set("web2", "192.0.2.22", NULL);
	assert_false(lookup_take(lookup, &result));
	lookup_set_linked(lookup, 1, false);
	await_result();
	assert_found("192.0.2.22:7420");
}

/* leave() frees it while it hangs. */
CASE(lookup_does_not_wait_for_a_service_that_hangs)
{
	unsigned asked = names_asked();

	names_hold(true);
	start("web2:7420");
	await_asked(asked + 1);
	assert_false(lookup_take(lookup, &result));
	lookup_set_linked(lookup, 1, true);
	lookup_set_linked(lookup, 1, false);
	assert_false(lookup_take(lookup, &result));
}
