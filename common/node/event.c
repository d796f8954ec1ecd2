/* SPDX-License-Identifier: ISC */
#include "common/node/event.h"

_Static_assert(sizeof(struct event) <= 72, "a node keeps many");

static const char *const names[EVENT_KINDS] = {
	[EVENT_STARTS] = "starts",
	[EVENT_SENT] = "sent",
	[EVENT_TAKEN] = "taken",
	[EVENT_TIMER] = "timer",
	[EVENT_DECIDED] = "decided",
	[EVENT_LEADER] = "leader",
	[EVENT_NO_LEADER] = "no-leader",
};

const char *
event_kind_name(enum event_kind kind)
{
	assert(kind < EVENT_KINDS);
	return names[kind];
}

void
event_log_add(struct event_log *log, const struct event *e)
{
	struct event *place;

	assert(e->kind < EVENT_KINDS);
	if (log->capacity == 0)
		return;
	place = &log->ring[log->count % log->capacity];
	*place = *e;
	place->number = ++log->count;
	if (log->count - log->forgotten > log->capacity)
		log->forgotten = log->count - log->capacity;
}

void
event_log_forget(struct event_log *log)
{
	log->forgotten = log->count;
}

uint64_t
event_log_first(const struct event_log *log)
{
	assert(log->forgotten <= log->count);
	return log->forgotten + 1;
}

const struct event *
event_log_find(const struct event_log *log, uint64_t number)
{
	if (number <= log->forgotten || number > log->count)
		return NULL;
	return &log->ring[(number - 1) % log->capacity];
}
