/* SPDX-License-Identifier: ISC */
#include "daemon/electweb/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/metrics/metrics.h"
#include "daemon/system/clock.h"

static const char as_json[] = "application/json";
static const char as_text[] = "text/plain; charset=utf-8";

static const struct {
	const char *path, *alias;
	const char *type;
	unsigned verbs;
} pages[PAGES_COUNT] = {
	[PAGE_LEADER] = { "/leader", "/primary", as_json,
	    VERB_BIT(VERB_LEADER) },
	[PAGE_FOLLOWER] = { "/follower", "/replica", as_json,
	    VERB_BIT(VERB_LEADER) },
	[PAGE_HEALTH] = { "/health", NULL, as_json, VERB_BIT(VERB_LEADER) },
	[PAGE_STATUS] = { "/status", NULL, as_json, VERB_BIT(VERB_STATUS) },
	[PAGE_METRICS] = { "/metrics", NULL, METRICS_TYPE,
	    VERB_BIT(VERB_STATUS) | VERB_BIT(VERB_STATS) },
	[PAGE_EVENTS] = { "/events", NULL, "text/event-stream", 0 },
	[PAGE_INDEX] = { "/", NULL, as_text, 0 },
	[PAGE_NONE] = { NULL, NULL, as_text, 0 },
};

static const char index_text[] =
    "electweb " ELECTD_VERSION "\n"
    "/leader    200 where this node leads, else 503; also /primary\n"
    "/follower  200 where another node leads, else 503; also /replica\n"
    "/health    200 while electd answers and knows a leader, else 503\n"
    "/status    the status, as electctl -j status prints it\n"
    "/metrics   for Prometheus\n"
    "/events    the events, as electctl -j watch prints them\n"
    "No page promises that what it says is still so: see electweb(8).\n";

enum page
page_find(const char *path)
{
	for (enum page p = 0; p < PAGE_NONE; p++) {
		if (strcmp(path, pages[p].path) == 0 ||
		    (pages[p].alias != NULL &&
			strcmp(path, pages[p].alias) == 0))
			return p;
	}
	return PAGE_NONE;
}

unsigned
page_verbs(enum page page)
{
	return pages[page].verbs;
}

const char *
page_type(enum page page)
{
	return pages[page].type;
}

/* True if the answer of `leader` is what the page is asked for. */
static bool
is_yes(enum page page, const json_t *answer)
{
	const char *role = json_string_value(json_object_get(answer, "role"));
	bool leads = role != NULL && strcmp(role, "leader") == 0;
	bool has_leader = json_is_object(json_object_get(answer, "leader"));

	switch (page) {
	case PAGE_LEADER:
		return leads;
	case PAGE_FOLLOWER:
		return has_leader && !leads;
	case PAGE_HEALTH:
		return has_leader;
	case PAGE_STATUS:
	case PAGE_METRICS:
	case PAGE_EVENTS:
	case PAGE_INDEX:
	case PAGE_NONE:
	case PAGES_COUNT:
		break;
	}
	return true;
}

static unsigned
make_metrics(const struct answers *answers, char **text)
{
	size_t size;
	FILE *to = open_memstream(text, &size);

	if (to == NULL) {
		*text = NULL;
		return 500;
	}
	metrics_print(to, answers->of[VERB_STATUS], answers->of[VERB_STATS],
	    clock_wall());
	if (fclose(to) == 0)
		return 200;
	free(*text);
	*text = NULL;
	return 500;
}

static unsigned
make_json(enum page page, const json_t *answer, char **text)
{
	json_t *none = NULL;
	unsigned status = 503;

	if (answer == NULL)
		answer = none =
		    json_pack("{s:s}", "error", "electd does not answer");
	else if (json_object_get(answer, "error") == NULL &&
		 is_yes(page, answer))
		status = 200;
	*text = json_dumps(answer, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(none);
	return *text != NULL ? status : 500;
}

unsigned
page_make(enum page page, const struct answers *answers, char **text)
{
	switch (page) {
	case PAGE_LEADER:
	case PAGE_FOLLOWER:
	case PAGE_HEALTH:
		return make_json(page, answers->of[VERB_LEADER], text);
	case PAGE_STATUS:
		return make_json(page, answers->of[VERB_STATUS], text);
	case PAGE_METRICS:
		return make_metrics(answers, text);
	case PAGE_INDEX:
		*text = strdup(index_text);
		return *text != NULL ? 200 : 500;
	case PAGE_EVENTS:
	case PAGE_NONE:
	case PAGES_COUNT:
		break;
	}
	*text = strdup("there is no such page; / lists them\n");
	return *text != NULL ? 404 : 500;
}
