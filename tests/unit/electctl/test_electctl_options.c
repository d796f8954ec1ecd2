/* SPDX-License-Identifier: ISC */
/* The command line of electctl. */

#include "tests/unit/group.h"

#include <getopt.h>
#include <stdlib.h>

#include "daemon/electctl/electctl.h"

#define WORDS_MAX 5

/* Parses "electctl" and up to three words. */
static bool
parse(struct options *options, enum control_code *code, const char *one,
    const char *two, const char *three)
{
	char program[] = "electctl";
	char *words[WORDS_MAX] = { program, (char *)(uintptr_t)one,
		(char *)(uintptr_t)two, (char *)(uintptr_t)three };
	int count = 1;

	while (words[count] != NULL)
		count++;
	optind = 0;
	return options_parse(options, count, words, code);
}

static nsec_t
timeout_of(const char *text)
{
	struct options options;
	enum control_code code;

	return parse(&options, &code, "-t", text, "leader") ? options.timeout
							    : 0;
}

static void
a_timeout_is_a_number_and_its_unit(void **state)
{
	(void)state;
	assert_int_equal(timeout_of("5"), 5 * SEC);
	assert_int_equal(timeout_of("500ms"), 500 * MSEC);
	assert_int_equal(timeout_of("7us"), 7 * USEC);
	assert_int_equal(timeout_of("2m"), 120 * SEC);
	assert_int_equal(timeout_of("8784h"), 366 * 24 * 3600 * SEC);
}

static void
a_timeout_may_be_a_fraction(void **state)
{
	(void)state;
	assert_int_equal(timeout_of("1.5s"), 1500 * MSEC);
	assert_int_equal(timeout_of("0.25"), 250 * MSEC);
	assert_int_equal(timeout_of("1.05ms"), 1050 * USEC);
	assert_int_equal(timeout_of("1.5m"), 90 * SEC);
	assert_int_equal(timeout_of("1.99999999999999999999999s"), 1999999999);
}

static void
an_impossible_timeout_is_refused(void **state)
{
	static const char *const wrong[] = { "", "s", "-1s", "+1s", ".5s",
		"1.5.5s", "1,5s", "1e3s", "0", "0.0s", "0.0000000001s",
		"5parsecs", "8785h", "99999999999999999999999s", "1 s" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(timeout_of(wrong[i]), 0);
}

static void
json_is_an_output(void **state)
{
	struct options options;
	enum control_code code;

	(void)state;
	assert_true(parse(&options, &code, "--json", "leader", NULL));
	assert_int_equal(options.output, OUTPUT_JSON);
	assert_true(parse(&options, &code, "-j", "leader", NULL));
	assert_int_equal(options.output, OUTPUT_JSON);
}

static void
a_cluster_that_is_named_comes_before_the_environment(void **state)
{
	struct options options;
	enum control_code code;

	(void)state;
	setenv("ELECTD_SOCKET", "/tmp/there.sock", 1);
	assert_true(parse(&options, &code, "leader", NULL, NULL));
	assert_string_equal(options.place.socket, "/tmp/there.sock");
	assert_true(parse(&options, &code, "--cluster", "web", "leader"));
	assert_string_equal(options.place.cluster, "web");
	unsetenv("ELECTD_SOCKET");
	assert_false(parse(&options, &code, "--cluster=web", "-s/x", "leader"));
	assert_int_equal(code, CODE_USAGE);
}

static void
wrong_options_are_wrong_usage(void **state)
{
	static const char *const wrong[] = { "-x", "--dance", "--li", "-t",
		"--cluster", "--quiet=3", "-qx", "--to" };
	struct options options;
	enum control_code code;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(parse(&options, &code, "leader", wrong[i], NULL));
		assert_int_equal(code, CODE_USAGE);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_timeout_is_a_number_and_its_unit),
	cmocka_unit_test(a_timeout_may_be_a_fraction),
	cmocka_unit_test(an_impossible_timeout_is_refused),
	cmocka_unit_test(json_is_an_output),
	cmocka_unit_test(a_cluster_that_is_named_comes_before_the_environment),
	cmocka_unit_test(wrong_options_are_wrong_usage),
};

GROUP(tests);
