/* SPDX-License-Identifier: ISC */
#include "daemon/electweb/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
feed_end(struct feed *f)
{
	for (unsigned i = 0; i < FEED_EVENTS; i++)
		free(f->texts[i]);
	*f = (struct feed){ .next = 0 };
}

/* True if the line says who leads: it names the leader, or that there is
 * none. */
static bool
says_who_leads(const char *line)
{
	return strstr(line, "\"event\":\"state\"") != NULL ||
	       strstr(line, "\"event\":\"leader\"") != NULL ||
	       strstr(line, "\"event\":\"no-leader\"") != NULL ||
	       strstr(line, "\"event\":\"gone\"") != NULL;
}

bool
feed_add(struct feed *f, const struct electd_news *news)
{
	const char *line =
	    news->kind == ELECTD_GONE ? "{\"event\":\"gone\"}" : news->line;
	char text[FEED_TEXT_MAX + 64], *kept;
	int size;

	if ((news->kind != ELECTD_EVENT && news->kind != ELECTD_GONE) ||
	    line == NULL || strlen(line) > FEED_TEXT_MAX)
		return false;
	size = snprintf(
	    text, sizeof(text), "id: %" PRIu64 "\ndata: %s\n\n", f->next, line);
	kept = strdup(text);
	if (kept == NULL)
		return false;
	free(f->texts[f->next % FEED_EVENTS]);
	f->texts[f->next % FEED_EVENTS] = kept;
	f->sizes[f->next % FEED_EVENTS] = (size_t)size;
	f->next++;
	if (says_who_leads(line))
		f->state = f->next;
	return true;
}

struct feed_place
feed_begin(const struct feed *f)
{
	bool has_state = f->state > 0 && f->next - f->state < FEED_EVENTS;

	return (struct feed_place){
		.number = has_state ? f->state - 1 : f->next,
	};
}

int
feed_read(
    const struct feed *f, struct feed_place *place, char *bytes, size_t size)
{
	const char *text;
	size_t left;

	if (place->number == f->next)
		return 0;
	if (f->next - place->number > FEED_EVENTS)
		return -1;
	text = f->texts[place->number % FEED_EVENTS];
	left = f->sizes[place->number % FEED_EVENTS] - place->taken;
	if (size > left)
		size = left;
	memcpy(bytes, text + place->taken, size);
	place->taken += size;
	if (size == left)
		*place = (struct feed_place){ .number = place->number + 1 };
	return (int)size;
}
