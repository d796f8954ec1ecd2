/* SPDX-License-Identifier: ISC */
/* The command line of electvip: which socket it follows. */
#include "daemon/electvip/options.h"
#include "tests/unit/group.h"

#include <getopt.h>
#include <stdlib.h>

#define ADMIN "/run/electd/web.admin.sock"
#define QUERY "/run/electd/web.sock"

/* Parses "electvip -i eth0 198.18.0.100" and an option with its argument, in
 * this environment. */
static bool
parse(struct vip_options *options, const char *option, const char *argument,
    const char *environment)
{
	char words[][16] = { "electvip", "-i", "eth0", "198.18.0.100" };
	char *argv[] = { words[0], words[1], words[2], words[3],
		(char *)(uintptr_t)option, (char *)(uintptr_t)argument, NULL };
	enum control_code code;
	bool is_good;

	setenv("ELECTD_SOCKET", environment, 1);
	optind = 0;
	is_good =
	    vip_options_parse(options, option != NULL ? 6 : 4, argv, &code);
	unsetenv("ELECTD_SOCKET");
	assert_int_equal(code, CODE_USAGE); /* unless it is good */
	return is_good;
}

TEST(socket_is_that_of_the_option_or_else_of_the_environment)
{
	struct vip_options options;

	assert_true(parse(&options, "-s", QUERY, "/other"));
	assert_string_equal(options.place.socket, QUERY);
	assert_true(parse(&options, NULL, NULL, QUERY));
	assert_string_equal(options.place.socket, QUERY);
	assert_true(parse(&options, NULL, NULL, ""));
	assert_null(options.place.socket);
	assert_true(parse(&options, "--cluster", "web", ADMIN));
	assert_string_equal(options.place.cluster, "web");
}

/* A user who may not use it is told so by system calls that the loop has not. */
TEST(socket_for_administrators_is_refused)
{
	struct vip_options options;

	complain_hold();
	assert_false(parse(&options, "-s", ADMIN, ""));
	assert_non_null(strstr(complain_held(), ADMIN ": this socket is for"));
	complain_hold();
	assert_false(parse(&options, NULL, NULL, "/x.admin.sock"));
	assert_non_null(strstr(complain_held(), "/x.admin.sock: this socket"));
}
