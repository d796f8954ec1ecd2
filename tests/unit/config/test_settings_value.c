/* SPDX-License-Identifier: ISC */
/* Values of settings as text. */
#include "tests/unit/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/settings_value.h"

TEST(durations_read_and_print)
{
	char room[DURATION_MAX_BYTES];
	nsec_t duration;

	assert_true(duration_read("90min", &duration));
	assert_string_equal(duration_text(duration, room), "90min");
	assert_true(duration_read("1000us", &duration));
	assert_string_equal(duration_text(duration, room), "1ms");
	assert_true(duration_read("0d", &duration));
	assert_string_equal(duration_text(duration, room), "0s");
	assert_false(duration_read("", &duration));
	assert_false(duration_read("5", &duration));
	assert_false(duration_read("s", &duration));
	assert_false(duration_read("5parsecs", &duration));
	assert_false(duration_read("1 s", &duration));
	assert_false(duration_read(" 1s", &duration));
	assert_false(duration_read("1s ", &duration));
	assert_false(duration_read("106752d", &duration));
}

TEST(addresses_have_one_canonical_form)
{
	static const char *const pairs[][2] = {
		{ "192.0.2.1:7420", "192.0.2.1:7420" },
		{ "Web-1.Example:1", "web-1.example:1" },
		{ "[2001:DB8:0:0::1]:65535", "[2001:db8::1]:65535" },
		{ "[::ffff:192.0.2.1]:7420", "[::ffff:192.0.2.1]:7420" },
		{ "[fe80:0::1%eth0]:7420", "[fe80::1%eth0]:7420" },
	};
	char canonical[ADDRESS_MAX_BYTES];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_null(address_fault(pairs[i][0], canonical));
		assert_string_equal(canonical, pairs[i][1]);
	}
	assert_non_null(address_fault("[fe80::1%]:7420", canonical));
	assert_non_null(address_fault("[fe80::1%a b]:7420", canonical));
}

TEST(families_are_distinguished)
{
	assert_int_equal(address_family("192.0.2.1:7420"), FAMILY_IPV4);
	assert_int_equal(address_family("[::ffff:192.0.2.1]:1"), FAMILY_IPV6);
	assert_int_equal(address_family("web1.example:7420"), FAMILY_ANY);
	assert_int_equal(address_family("1a:7420"), FAMILY_ANY);
}

/* The longest host name there is, and one byte more. */
TEST(host_names_are_bounded_to_the_byte)
{
	char canonical[ADDRESS_MAX_BYTES];
	char text[300];

	snprintf(text, sizeof(text), "h%0252d:65535", 0);
	assert_null(address_fault(text, canonical));
	assert_string_equal(canonical, text);
	snprintf(text, sizeof(text), "h%0253d:65535", 0);
	assert_non_null(address_fault(text, canonical));
}
