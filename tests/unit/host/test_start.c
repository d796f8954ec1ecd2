/* SPDX-License-Identifier: ISC */
/* By which settings a host starts: its file, or those that it has kept. */
#include "common/host/start.h"
#include "tests/unit/group.h"

#include <string.h>

#define COMPONENT GUARANTEE_COMPONENT
#define QUORUM    GUARANTEE_QUORUM

/* The letters say which members are true: Kept, Stamp, Older, Differs, File,
 * Current. */
static const char *
letters(const struct host_start *s)
{
	static char text[8];
	size_t count = 0;

	memset(text, 0, sizeof(text));
	if (s->uses_kept)
		text[count++] = 'K';
	if (s->takes_config_term)
		text[count++] = 'S';
	if (s->is_older)
		text[count++] = 'O';
	if (s->differs)
		text[count++] = 'D';
	if (s->wants_file)
		text[count++] = 'F';
	if (s->wants_current)
		text[count++] = 'C';
	return text;
}

TEST(host_starts_by_its_file_or_by_what_it_has_kept)
{
	static const struct {
		enum guarantee guarantee;
		uint32_t file, kept;  /* config versions */
		uint64_t config_term; /* of what is kept */
		uint32_t revision;
		bool is_copy;
		const char *wanted;
	} rows[] = {
		{ COMPONENT, 5, 6, 0, 0, false, "KO" },
		{ COMPONENT, 5, 5, 0, 0, false, "" },
		{ COMPONENT, 5, 5, 0, 0, true, "" },
		{ COMPONENT, 6, 5, 0, 0, false, "" },
		{ COMPONENT, 5, 5, 0, 2, false, "KD" },
		{ COMPONENT, 5, 5, 0, 2, true, "" },
		{ COMPONENT, 6, 5, 0, 2, false, "" },
		{ QUORUM, 5, 6, 9, 0, false, "KO" },
		{ QUORUM, 5, 6, 0, 0, false, "KOC" },
		{ QUORUM, 5, 5, 9, 0, false, "KD" },
		{ QUORUM, 5, 5, 0, 0, false, "KDC" },
		{ QUORUM, 5, 5, 9, 0, true, "S" },
		{ QUORUM, 5, 5, 0, 0, true, "SC" },
		{ QUORUM, 6, 5, 9, 0, false, "KF" },
		{ QUORUM, 6, 5, 0, 0, false, "KF" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct config_id file = { .config_version =
						    rows[i].file };
		const struct config_id kept = { .config_version = rows[i].kept,
			.config_term = rows[i].config_term,
			.revision = rows[i].revision };
		const struct host_start s = host_start(
		    rows[i].guarantee, &file, &kept, rows[i].is_copy);

		assert_string_equal(letters(&s), rows[i].wanted);
	}
}

TEST(first_start_is_by_the_file)
{
	const struct host_start component = host_start_first(COMPONENT);
	const struct host_start quorum = host_start_first(QUORUM);

	assert_string_equal(letters(&component), "");
	assert_string_equal(letters(&quorum), "C");
}
