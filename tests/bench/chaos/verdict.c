/* SPDX-License-Identifier: ISC */
#include "tests/bench/chaos/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tests/bench/chaos/reigns.h"

#define TOLD_MAX 20 /* violations of a kind that are printed; all count */

/* The leader of a node from this moment on; 0: it has none, or is dead. */
struct change {
	nsec_t at;
	size_t order; /* of changes at the same time */
	unsigned host, leader;
	uint64_t term;
};

struct judge {
	struct verdict *verdict;
	const struct history *history;
	FILE *out;
	struct change *changes; /* by time */
	size_t changes_count;
};

static void __attribute__((format(printf, 3, 4)))
judge_find(struct judge *j, enum violation kind, const char *format, ...)
{
	unsigned count = ++j->verdict->violations[kind];
	va_list arguments;

	if (count > TOLD_MAX || !verdict_is_promised(j->verdict, kind))
		return;
	fputs("VIOLATION ", j->out);
	va_start(arguments, format);
	vfprintf(j->out, format, arguments);
	va_end(arguments);
	fputc('\n', j->out);
}

static const struct life *
judge_life(const struct judge *j, const struct reign *r)
{
	return &j->history->lives[r->life];
}

/* Checks I1 of leaders. */
static void
judge_terms(struct judge *j)
{
	const struct verdict *v = j->verdict;

	for (size_t b = 1; b < v->reigns_count; b++)
		for (size_t a = 0; a < b; a++) {
			const struct reign *x = &v->reigns[a];
			const struct reign *y = &v->reigns[b];

			if (x->term != y->term || x->life == y->life)
				continue;
			judge_find(j, VIOLATION_TERM,
			    "I1: term %" PRIu64 " led by node %u (start %u) "
			    "from %" PRIu64 " and by node %u (start %u) from "
			    "%" PRIu64,
			    x->term, judge_life(j, x)->host,
			    judge_life(j, x)->number, x->begin,
			    judge_life(j, y)->host, judge_life(j, y)->number,
			    y->begin);
		}
}

static int
compare_names(const void *a, const void *b)
{
	const struct belief *x = a, *y = b;

	if (x->term != y->term)
		return x->term < y->term ? -1 : 1;
	return x->leader < y->leader ? -1 : x->leader > y->leader;
}

/* Checks I1 of the leaders that nodes followed. */
static void
judge_names(struct judge *j)
{
	const struct history *h = j->history;
	struct belief *named;
	size_t count = 0;

	named = calloc(h->beliefs_count + 1, sizeof(*named));
	if (named == NULL)
		abort();
	for (size_t i = 0; i < h->beliefs_count; i++)
		if (h->beliefs[i].leader != 0)
			named[count++] = h->beliefs[i];
	qsort(named, count, sizeof(*named), compare_names);
	for (size_t i = 1; i < count; i++)
		if (named[i].term == named[i - 1].term &&
		    named[i].leader != named[i - 1].leader)
			judge_find(j, VIOLATION_NAME,
			    "I1: in term %" PRIu64 " node %u follows node %u, "
			    "and node %u follows node %u",
			    named[i].term, h->lives[named[i - 1].life].host,
			    named[i - 1].leader, h->lives[named[i].life].host,
			    named[i].leader);
	free(named);
}

/* Checks I2: compares each with the earlier one that lasts longest. */
static void
judge_overlaps(struct judge *j)
{
	struct verdict *v = j->verdict;
	const struct reign *last = v->reigns;

	for (size_t i = 1; i < v->reigns_count; i++) {
		const struct reign *r = &v->reigns[i];
		nsec_t overlap =
		    nsec_since(nsec_earlier(last->end, r->end), r->begin);

		if (overlap > 0)
			judge_find(j, VIOLATION_OVERLAP,
			    "I2: node %u (term %" PRIu64 ") still leads, until "
			    "%" PRIu64 ", when node %u (term %" PRIu64 ") "
			    "begins, at %" PRIu64 ": %" PRIu64 " ns",
			    judge_life(j, last)->host, last->term, last->end,
			    judge_life(j, r)->host, r->term, r->begin, overlap);
		else if (r->life != last->life)
			v->shortest_change = nsec_earlier(v->shortest_change,
			    nsec_since(r->begin, last->end));
		if (overlap > v->longest_overlap)
			v->longest_overlap = overlap;
		if (r->end > last->end)
			last = r;
	}
}

/* Checks I3: the next leader's term is above all before. */
static void
judge_rise(struct judge *j)
{
	const struct verdict *v = j->verdict;
	const struct reign *highest = v->reigns;

	for (size_t i = 1; i < v->reigns_count; i++) {
		const struct reign *r = &v->reigns[i];

		if (r->term > highest->term) {
			highest = r;
			continue;
		}
		judge_find(j, VIOLATION_RISE,
		    "I3: node %u leads in term %" PRIu64 " from %" PRIu64
		    ", after node %u led in term %" PRIu64,
		    judge_life(j, r)->host, r->term, r->begin,
		    judge_life(j, highest)->host, highest->term);
	}
}

/* Checks I3 at each node; only promises under quorum outlive the process. */
static void
judge_nodes(struct judge *j)
{
	const struct history *h = j->history;
	struct {
		uint64_t term;
		size_t life;
	} last[HISTORY_NODES_MAX + 1] = { 0 };

	for (size_t i = 0; i < h->beliefs_count; i++) {
		const struct belief *b = &h->beliefs[i];
		unsigned host = h->lives[b->life].host;

		if (b->leader == 0)
			continue;
		if (b->term < last[host].term &&
		    (h->is_quorum || b->life == last[host].life))
			judge_find(j, VIOLATION_BACK,
			    "I3: node %u goes back from term %" PRIu64
			    " to %" PRIu64 " at %" PRIu64,
			    host, last[host].term, b->term, b->at);
		last[host].term = b->term;
		last[host].life = b->life;
	}
}

static void
judge_add_change(struct judge *j, const struct life *life, nsec_t at,
    unsigned leader, uint64_t term)
{
	struct change *change = &j->changes[j->changes_count];

	change->at = nsec_earlier(at, life->died);
	change->order = j->changes_count++;
	change->host = life->host;
	change->leader = leader;
	change->term = term;
}

static int
compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* A life begins and ends without a leader. */
static void
judge_sort_changes(struct judge *j)
{
	const struct history *h = j->history;
	size_t next = 0;

	j->changes = calloc(
	    h->beliefs_count + 2 * h->lives_count + 1, sizeof(*j->changes));
	if (j->changes == NULL)
		abort();
	for (size_t life = 0; life < h->lives_count; life++) {
		const struct life *l = &h->lives[life];

		judge_add_change(j, l, l->began, 0, 0);
		for (; next < h->beliefs_count && h->beliefs[next].life == life;
		     next++)
			judge_add_change(j, l, h->beliefs[next].at,
			    h->beliefs[next].leader, h->beliefs[next].term);
		judge_add_change(j, l, l->died, 0, 0);
	}
	qsort(
	    j->changes, j->changes_count, sizeof(*j->changes), compare_changes);
}

/* True if all follow one node in one term, and it leads in that. */
static bool
all_agree(const struct change *believes, unsigned nodes)
{
	const struct change *first = &believes[1];

	for (unsigned host = 1; host <= nodes; host++)
		if (believes[host].leader != first->leader ||
		    believes[host].term != first->term)
			return false;
	return first->leader != 0;
}

/* Gives the first moment from `from` on at which all agree, or NSEC_NEVER. */
static nsec_t
judge_agreed(const struct judge *j, nsec_t from)
{
	struct change believes[HISTORY_NODES_MAX + 1] = { 0 };
	unsigned nodes = j->history->nodes;
	size_t i = 0;

	for (; i < j->changes_count && j->changes[i].at <= from; i++)
		believes[j->changes[i].host] = j->changes[i];
	if (all_agree(believes, nodes))
		return from;
	while (i < j->changes_count) {
		nsec_t at = j->changes[i].at;

		for (; i < j->changes_count && j->changes[i].at == at; i++)
			believes[j->changes[i].host] = j->changes[i];
		if (all_agree(believes, nodes))
			return at;
	}
	return NSEC_NEVER;
}

static void
judge_heals(struct judge *j)
{
	const struct history *h = j->history;
	struct sample *recoveries = &j->verdict->recoveries;

	for (size_t i = 0; i < h->heals_count; i++) {
		nsec_t from = h->heals[i], limit = from + VERDICT_HEAL_MAX;
		nsec_t at = judge_agreed(j, from);

		if (at <= h->ended)
			sample_add(recoveries, at - from);
		if (at > limit && h->ended >= limit)
			judge_find(j, VIOLATION_HEAL,
			    "heal %zu, at %" PRIu64 ": all nodes follow one "
			    "leader after %" PRIu64 " ms",
			    i, from, at == NSEC_NEVER ? 0 : (at - from) / MSEC);
	}
	sample_sort(recoveries);
}

/* Adds `count` violations that were found elsewhere. */
static void
judge_count(
    struct judge *j, enum violation kind, unsigned count, const char *what)
{
	j->verdict->violations[kind] = count;
	if (count > 0 && verdict_is_promised(j->verdict, kind))
		fprintf(j->out, "VIOLATION %s: %u\n", what, count);
}

static void
judge_record(struct judge *j)
{
	const unsigned *found = j->verdict->violations;

	judge_count(j, VIOLATION_BACKWARDS, found[VIOLATION_BACKWARDS],
	    "leaderships that ended before they began");
	judge_count(j, VIOLATION_LATE, found[VIOLATION_LATE],
	    "holes in the record: leaderships that nobody saw begin, as their "
	    "watchers came late");
	judge_count(j, VIOLATION_DEATH, j->history->deaths,
	    "deaths that nobody asked for");
	judge_count(
	    j, VIOLATION_RECORD, j->history->unwatched, "daemons not watched");
}

static nsec_t *
nsec_array(size_t count)
{
	nsec_t *array = calloc(count + 1, sizeof(*array));

	if (array == NULL)
		abort();
	return array;
}

void
verdict_init(struct verdict *v, const struct history *h, FILE *out)
{
	struct judge j = { .verdict = v, .history = h, .out = out };

	*v = (struct verdict){ .history = h, .shortest_change = NSEC_NEVER };
	v->reigns = calloc(h->beliefs_count + 1, sizeof(*v->reigns));
	if (v->reigns == NULL)
		abort();
	v->recoveries.values = nsec_array(h->heals_count);
	v->gaps.values = nsec_array(h->beliefs_count + 1);
	reigns_init(v);
	judge_sort_changes(&j);
	judge_terms(&j);
	judge_names(&j);
	judge_overlaps(&j);
	judge_rise(&j);
	judge_nodes(&j);
	judge_heals(&j);
	judge_record(&j);
	free(j.changes);
}

void
verdict_done(struct verdict *v)
{
	free(v->reigns);
	free(v->recoveries.values);
	free(v->gaps.values);
}

bool
verdict_is_promised(const struct verdict *v, enum violation kind)
{
	return v->history->is_quorum || kind == VIOLATION_BACK ||
	       kind == VIOLATION_HEAL || kind == VIOLATION_BACKWARDS ||
	       kind == VIOLATION_DEATH || kind == VIOLATION_RECORD;
}

unsigned
verdict_violations(const struct verdict *v)
{
	unsigned count = 0;

	for (unsigned kind = 0; kind < VIOLATION_KINDS; kind++)
		if (verdict_is_promised(v, kind))
			count += v->violations[kind];
	return count;
}
