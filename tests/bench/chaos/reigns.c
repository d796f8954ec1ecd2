/* SPDX-License-Identifier: ISC */
/* When which node led, and for how long none did. */
#include "tests/bench/chaos/reigns.h"

#include <stdlib.h>

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_term(const void *a, const void *b)
{
	return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int
compare_begin(const void *a, const void *b)
{
	const struct reign *x = a, *y = b;
	int order = compare(x->begin, y->begin);

	if (order == 0)
		order = compare(x->end, y->end);
	return order != 0 ? order : compare(x->term, y->term);
}

/* Ends a leadership at the end of its life, unless it has ended before. */
static nsec_t
life_end(const struct history *h, const struct life *life, nsec_t begin)
{
	if (life->died != NSEC_NEVER)
		return life->died;
	return h->ended > begin ? h->ended : begin;
}

static void
reign_close(struct verdict *v, struct reign *reign, nsec_t at)
{
	if (at < reign->begin) {
		v->violations[VIOLATION_BACKWARDS]++;
		at = reign->begin;
	}
	reign->end = at;
}

/*
 * Gives when a leadership began that a watcher found under way. A moment later,
 * at the most, it had its first follower, whose watcher may have been there.
 */
static nsec_t
reign_seen(const struct history *h, const struct belief *found)
{
	const struct life *life = &h->lives[found->life];
	nsec_t seen = found->at;

	for (size_t i = 0; i < h->beliefs_count; i++) {
		const struct belief *b = &h->beliefs[i];

		if (b->leader == life->host && b->term == found->term &&
		    b->at >= life->began)
			seen = nsec_earlier(seen, b->at);
	}
	return seen;
}

/* Takes one belief after the other; `open` is the leadership that lasts, or
 * NULL. */
static struct reign *
reigns_take(struct verdict *v, struct reign *open, const struct belief *b)
{
	const struct life *life = &v->history->lives[b->life];
	bool is_own = b->leader == life->host;
	nsec_t begin = b->at;

	if (open != NULL && is_own && open->term == b->term)
		return open;
	if (open != NULL)
		reign_close(v, open, nsec_earlier(b->at, life->died));
	if (!is_own)
		return NULL;
	if (b->is_first) {
		begin = reign_seen(v->history, b);
		v->violations[VIOLATION_LATE] += begin == b->at;
	}
	open = &v->reigns[v->reigns_count++];
	*open = (struct reign){
		.life = b->life,
		.term = b->term,
		.begin = nsec_earlier(begin, life->died),
	};
	return open;
}

static void
reigns_find(struct verdict *v)
{
	const struct history *h = v->history;
	struct reign *open = NULL;

	for (size_t i = 0; i < h->beliefs_count; i++) {
		const struct belief *b = &h->beliefs[i];
		bool is_last = i + 1 == h->beliefs_count ||
			       h->beliefs[i + 1].life != b->life;

		open = reigns_take(v, open, b);
		if (!is_last || open == NULL)
			continue;
		open->end = life_end(h, &h->lives[b->life], open->begin);
		open = NULL;
	}
	if (v->reigns_count > 0)
		qsort(v->reigns, v->reigns_count, sizeof(*v->reigns),
		    compare_begin);
}

/* Fills in the times between the first leader and the end in which none leads.
 */
static void
reigns_find_gaps(struct verdict *v)
{
	nsec_t last, ended = v->history->ended;

	if (v->reigns_count == 0)
		return;
	last = v->reigns[0].begin;
	v->span = nsec_since(ended, last);
	for (size_t i = 0; i <= v->reigns_count; i++) {
		const struct reign *r = &v->reigns[i];
		nsec_t begin = i < v->reigns_count ? r->begin : ended;

		begin = nsec_earlier(begin, ended);
		if (begin > last) {
			sample_add(&v->gaps, begin - last);
			v->leaderless += begin - last;
		}
		if (i < v->reigns_count && r->end > last)
			last = r->end;
	}
	sample_sort(&v->gaps);
}

static size_t
count_distinct(uint64_t *values, size_t count)
{
	size_t distinct = 0;

	if (count > 0)
		qsort(values, count, sizeof(*values), compare_term);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || values[i] != values[i - 1];
	return distinct;
}

void
reigns_init(struct verdict *v)
{
	v->elections =
	    count_distinct(v->history->elections, v->history->elections_count);
	reigns_find(v);
	while (v->leaderships < v->reigns_count &&
	       v->reigns[v->leaderships].begin < v->history->ended)
		v->leaderships++;
	reigns_find_gaps(v);
}
