/* SPDX-License-Identifier: ISC */
#include "common/wire/costs.h"

void
cost_report_encode(struct writer *w, const struct cost_report *r)
{
	size_t before = w->size;

	write_u64(w, r->term);
	write_u32(w, r->node);
	write_u8(w, r->is_starter);
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		write_u32(w, r->sent[i]);
	assert(w->failed || w->size - before == COST_REPORT_BYTES);
}

bool
cost_report_decode(struct reader *r, struct cost_report *report)
{
	uint8_t is_starter;

	report->term = read_u64(r);
	report->node = read_u32(r);
	is_starter = read_u8(r);
	report->is_starter = is_starter != 0;
	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++)
		report->sent[i] = read_u32(r);
	return !r->failed && is_starter <= 1 && report->term != 0 &&
	       report->term <= TERM_MAX && report->node != NODE_NONE &&
	       report->node <= NODE_ID_MAX;
}

void
costs_begin(struct costs *c, uint64_t term)
{
	assert(term <= TERM_MAX);
	c->term = term;
	c->count = 0;
}

/*
 * True if `r` counts more. An earlier report may arrive after a later one, by
 * another way.
 */
static bool
report_is_later(const struct cost_report *r, const struct cost_report *than)
{
	bool is_later = false;

	for (unsigned i = 0; i < MESSAGE_KINDS_MAX; i++) {
		if (r->sent[i] < than->sent[i])
			return false;
		is_later |= r->sent[i] > than->sent[i];
	}
	return is_later;
}

const struct cost_report *
costs_take(struct costs *c, const struct cost_report *r)
{
	unsigned i = 0;

	if (r->term != c->term)
		return NULL;
	while (i < c->count && c->reports[i].node != r->node)
		i++;
	if (i == c->capacity)
		return NULL;
	if (i < c->count && !report_is_later(r, &c->reports[i]))
		return NULL;
	c->reports[i] = *r;
	if (i == c->count)
		c->count++;
	assert(c->count <= c->capacity);
	return &c->reports[i];
}

struct costs_sum
costs_sum(const struct costs *c)
{
	struct costs_sum sum = { .nodes = c->count };

	for (unsigned i = 0; i < c->count; i++) {
		sum.starters += c->reports[i].is_starter;
		for (unsigned k = 0; k < MESSAGE_KINDS_MAX; k++)
			sum.sent[k] += c->reports[i].sent[k];
	}
	return sum;
}

void
costs_check(const struct costs *c)
{
	assert(c->count <= c->capacity);
	for (unsigned i = 0; i < c->count; i++) {
		assert(c->reports[i].term == c->term);
		assert(c->reports[i].node != NODE_NONE);
		for (unsigned k = 0; k < i; k++)
			assert(c->reports[k].node != c->reports[i].node);
	}
}
