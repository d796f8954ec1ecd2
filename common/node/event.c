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

void
event_encode(struct writer *w, const struct event *e)
{
	size_t before = w->size;

	write_u64(w, e->number);
	write_u64(w, e->at);
	write_u64(w, e->term);
	write_u64(w, e->session);
	write_u32(w, e->peer);
	write_u32(w, e->sequence);
	write_u32(w, e->rank);
	write_u32(w, e->origin);
	write_u32(w, e->phase);
	write_u32(w, e->leader);
	reason_encode(w, e->reason);
	write_u8(w, e->kind);
	write_u8(w, e->message);
	write_u8(w, e->link);
	assert(w->failed || w->size - before == EVENT_BYTES);
}

bool
event_decode(struct reader *r, struct event *e)
{
	bool is_reason;

	e->number = read_u64(r);
	e->at = read_u64(r);
	e->term = read_u64(r);
	e->session = read_u64(r);
	e->peer = read_u32(r);
	e->sequence = read_u32(r);
	e->rank = read_u32(r);
	e->origin = read_u32(r);
	e->phase = read_u32(r);
	e->leader = read_u32(r);
	is_reason = reason_decode(r, &e->reason);
	e->kind = read_u8(r);
	e->message = read_u8(r);
	e->link = read_u8(r);
	return !r->failed && is_reason && e->number > 0 &&
	       e->term <= TERM_MAX && e->session <= SESSION_NAME_MAX &&
	       e->peer <= NODE_ID_MAX && e->rank <= NODE_ID_MAX &&
	       e->origin <= NODE_ID_MAX && e->leader <= NODE_ID_MAX &&
	       e->kind < EVENT_KINDS && e->message < MESSAGE_KINDS_MAX &&
	       e->link <= 1;
}
