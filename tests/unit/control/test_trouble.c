/* SPDX-License-Identifier: ISC */
/* The troubles with a peer: a word for each, and its meaning. */

#include "tests/unit/group.h"

#include "daemon/control/protocol/trouble.h"

struct row {
	struct peer_status peer;
	const char *why; /* NULL: no trouble */
};

static void
expect_troubles(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *why = peer_trouble(&rows[i].peer);

		if (rows[i].why == NULL)
			assert_null(why);
		else
			assert_string_equal(why, rows[i].why);
	}
}

/* The first trouble that applies explains the others. */
TEST(first_trouble_of_a_peer_that_is_up_is_reported)
{
	static const struct row rows[] = {
		{ { .up = true }, NULL },
		{ { .up = true, .is_voter = true, .votes = true }, NULL },
		{ { .up = true, .is_voter = true }, "no-vote" },
		{ { .up = true, .duplicate = true }, "duplicate" },
		{ { .up = true, .damped = true }, "damped" },
		{ { .up = true, .first_key = KEY_OTHER, .damped = true },
		    "unknown-key" },
		{ { .up = true, .first_key = KEY_SECOND }, NULL },
		{ { .up = true, .no_unicast = true, .damped = true },
		    "no-unicast" },
		{ { .up = true, .is_voter = true, .damped = true }, "no-vote" },
	};

	expect_troubles(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(first_trouble_of_a_peer_that_is_not_up_is_reported)
{
	static const struct row rows[] = {
		{ { .sought = true, .first_key = KEY_OTHER }, "never-heard" },
		{ { .sought = true }, "never-heard" },
		{ { .sought = true, .incarnation = 3 }, "not-linked" },
		{ { .sought = true, .evidence = EVIDENCE_DIED }, "died" },
		{ { .evidence = EVIDENCE_DISTANT }, NULL },
		{ { .incarnation = 3 }, NULL },
		{ { .is_voter = true }, "never-heard" },
		{ { .sought = true,
		      .other_version = true,
		      .evidence = EVIDENCE_BYE },
		    "other-version" },
		{ { .sought = true, .differs = true, .incarnation = 3 },
		    "differs" },
		{ { .sought = true,
		      .other_key = true,
		      .evidence = EVIDENCE_MISSED },
		    "missed" },
		{ { .sought = true, .other_key = true, .incarnation = 3 },
		    "other-key" },
		{ { .sought = true, .other_key = true }, "other-key" },
	};

	expect_troubles(rows, sizeof(rows) / sizeof(rows[0]));
}

/* electctl and the log have their own words for evidence. */
TEST(each_trouble_but_evidence_has_a_meaning)
{
	static const char *const words[] = { "never-heard", "not-linked",
		"no-vote", "differs", "other-version", "other-key", "duplicate",
		"unknown-key", "damped", "bypassed", "lost", "revoked",
		"failed", "changed", "no-spare", "one-candidate", "few-nodes",
		"no-unicast" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_non_null(trouble_meaning(words[i]));
	assert_string_equal(trouble_meaning("no-vote"), "does not vote");
	/* The file may also have been made under component. */
	assert_string_equal(trouble_meaning("lost"), "no valid state file");
	assert_null(trouble_meaning("died"));
	assert_null(trouble_meaning("?"));
}
