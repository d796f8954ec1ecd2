/* SPDX-License-Identifier: ISC */
/* What each page says, by electd's answers. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/electweb/page.h"

#define LEADS   "{\"role\":\"leader\",\"leader\":{\"id\":1},\"term\":7}"
#define FOLLOWS "{\"role\":\"follower\",\"leader\":{\"id\":2},\"term\":7}"
#define ALONE   "{\"role\":\"none\",\"leader\":null,\"term\":7}"
#define FAILS   "{\"error\":\"no place is free\",\"code\":3}"

/* The status of the page for the answer; NULL: electd gives none. */
static unsigned
status_of(const char *path, const char *answer)
{
	struct answers answers = { .of = { NULL } };
	enum page page = page_find(path);
	unsigned status;
	char *text;

	for (unsigned v = 0; v < VERBS_COUNT && answer != NULL; v++) {
		if ((page_verbs(page) & VERB_BIT(v)) != 0)
			answers.of[v] = json_loads(answer, 0, NULL);
	}
	status = page_make(page, &answers, &text);
	assert_non_null(text);
	free(text);
	for (unsigned v = 0; v < VERBS_COUNT; v++)
		json_decref(answers.of[v]);
	return status;
}

TEST(load_balancer_finds_the_leader_alone)
{
	static const struct {
		const char *path;
		unsigned leads, follows, alone, fails, silent;
	} rows[] = {
		{ "/leader", 200, 503, 503, 503, 503 },
		{ "/primary", 200, 503, 503, 503, 503 },
		{ "/follower", 503, 200, 503, 503, 503 },
		{ "/replica", 503, 200, 503, 503, 503 },
		{ "/health", 200, 200, 503, 503, 503 },
		{ "/status", 200, 200, 200, 503, 503 },
		{ "/metrics", 200, 200, 200, 200, 200 },
		{ "/", 200, 200, 200, 200, 200 },
		{ "/lead", 404, 404, 404, 404, 404 },
		{ "", 404, 404, 404, 404, 404 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = rows[i].path;

		assert_int_equal(status_of(path, LEADS), rows[i].leads);
		assert_int_equal(status_of(path, FOLLOWS), rows[i].follows);
		assert_int_equal(status_of(path, ALONE), rows[i].alone);
		assert_int_equal(status_of(path, FAILS), rows[i].fails);
		assert_int_equal(status_of(path, NULL), rows[i].silent);
	}
}

TEST(answer_of_electd_is_the_text)
{
	struct answers answers = { .of[VERB_LEADER] =
				       json_loads(FOLLOWS, 0, NULL) };
	char *text;

	assert_int_equal(page_make(PAGE_LEADER, &answers, &text), 503);
	assert_string_equal(text, FOLLOWS);
	json_decref(answers.of[VERB_LEADER]);
	free(text);
}

TEST(silence_of_electd_is_told)
{
	struct answers answers = { .of = { NULL } };
	char *text;

	assert_int_equal(page_make(PAGE_STATUS, &answers, &text), 503);
	assert_string_equal(text, "{\"error\":\"electd does not answer\"}");
	free(text);
	assert_int_equal(page_make(PAGE_METRICS, &answers, &text), 200);
	assert_non_null(strstr(text, "\nelectd_up 0\n"));
	free(text);
}

TEST(no_page_asks_for_a_deadline)
{
	for (enum page p = 0; p < PAGES_COUNT; p++)
		assert_true(page_verbs(p) < VERB_BIT(VERBS_COUNT));
}
