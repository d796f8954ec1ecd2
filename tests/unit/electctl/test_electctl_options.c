/* SPDX-License-Identifier: ISC */
/* The command line of electctl. */

#include "tests/unit/group.h"

#include <getopt.h>
#include <stdlib.h>

#include "daemon/electctl/electctl.h"
#include "tests/lib/capture.h"

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

TEST(a_timeout_is_a_number_and_its_unit)
{
	assert_int_equal(timeout_of("5"), 5 * SEC);
	assert_int_equal(timeout_of("500ms"), 500 * MSEC);
	assert_int_equal(timeout_of("7us"), 7 * USEC);
	assert_int_equal(timeout_of("2m"), 120 * SEC);
	assert_int_equal(timeout_of("8784h"), 366 * 24 * 3600 * SEC);
}

TEST(a_timeout_may_be_a_fraction)
{
	assert_int_equal(timeout_of("1.5s"), 1500 * MSEC);
	assert_int_equal(timeout_of("0.25"), 250 * MSEC);
	assert_int_equal(timeout_of("1.05ms"), 1050 * USEC);
	assert_int_equal(timeout_of("1.5m"), 90 * SEC);
	assert_int_equal(timeout_of("1.99999999999999999999999s"), 1999999999);
}

TEST(an_impossible_timeout_is_refused)
{
	static const char *const wrong[] = { "", "s", "-1s", "+1s", ".5s",
		"1.5.5s", "1,5s", "1e3s", "0", "0.0s", "0.0000000001s",
		"5parsecs", "8785h", "99999999999999999999999s", "1 s" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(timeout_of(wrong[i]), 0);
}

TEST(a_cluster_that_is_named_comes_before_the_environment)
{
	struct options options;
	enum control_code code;

	setenv("ELECTD_SOCKET", "/tmp/there.sock", 1);
	assert_true(parse(&options, &code, "leader", NULL, NULL));
	assert_string_equal(options.place.socket, "/tmp/there.sock");
	assert_true(parse(&options, &code, "--cluster", "web", "leader"));
	assert_string_equal(options.place.cluster, "web");
	unsetenv("ELECTD_SOCKET");
	assert_false(parse(&options, &code, "--cluster=web", "-s/x", "leader"));
	assert_int_equal(code, CODE_USAGE);
}

/* True if the verb takes an option of this name. */
static bool
takes(const struct command *command, const char *name)
{
	for (unsigned i = 0; i < OPTIONS_COUNT; i++) {
		if (((command->takes | OPTIONS_GLOBAL) & OPTION_BIT(i)) != 0 &&
		    strcmp(option_rows[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Each option is tried with each verb; what is needed is given, too. */
TEST(verb_takes_its_own_options_and_no_others)
{
	const struct command *command;

	for (size_t i = 0; (command = command_at(i)) != NULL; i++) {
		for (unsigned j = 0; j < OPTIONS_COUNT; j++) {
			struct options options = { .given = command->needs };
			const char *name = option_rows[j].name;
			char wanted[128] = "", value[] = "9";
			bool fits;

			capture();
			assert_true(
			    option_take(&options, &option_rows[j], value) ||
			    j == OPTION_OUTPUT || j == OPTION_FORMAT);
			(void)captured();
			capture();
			fits = options_fit(command, &options);
			if (!takes(command, name))
				snprintf(wanted, sizeof(wanted),
				    "electctl: %s: takes no --%s\n",
				    command->name, name);
			assert_string_equal(captured(), wanted);
			assert_int_equal(fits, takes(command, name));
		}
	}
}
