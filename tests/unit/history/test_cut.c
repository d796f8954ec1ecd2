/* SPDX-License-Identifier: ISC */
/*
 * Cuts of random runs, judged also by the definition itself: a cut is
 * consistent if with each event it has all that happened before. Here that is
 * the closure of the steps and messages, which is computed in another way than
 * cut.c judges.
 */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "daemon/history/cut.h"
#include "tests/model/sim/run/record.h"

#define NODES      5
#define EVENTS_ALL 200 /* of a run, at most */

static struct history nodes[NODES];
static struct histories all = { .nodes = nodes, .count = NODES };

/* By events of all nodes, in one row: whether one happened before another. */
static bool before[EVENTS_ALL][EVENTS_ALL];
static unsigned first_of[NODES + 1]; /* in that row */

static const struct event *
event_at(const struct histories *h, unsigned i, unsigned *node)
{
	for (*node = 0; i >= first_of[*node + 1]; ++*node)
		;
	return &h->nodes[*node].events[i - first_of[*node]];
}

static bool
is_message_of(const struct histories *h, unsigned from, unsigned to)
{
	unsigned sender, taker;
	const struct event *s = event_at(h, from, &sender);
	const struct event *t = event_at(h, to, &taker);

	return s->kind == EVENT_SENT && t->kind == EVENT_TAKEN &&
	       s->peer == h->nodes[taker].id &&
	       t->peer == h->nodes[sender].id && s->session == t->session &&
	       s->sequence == t->sequence;
}

static void
close_before(const struct histories *h)
{
	unsigned count = h->events_count, a, b;

	assert_true(count <= EVENTS_ALL);
	for (unsigned i = 0; i < h->count; i++)
		first_of[i + 1] = first_of[i] + h->nodes[i].count;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < count; j++) {
			(void)event_at(h, i, &a);
			(void)event_at(h, j, &b);
			before[i][j] =
			    (a == b && i + 1 == j) || is_message_of(h, i, j);
		}
	}
	for (unsigned k = 0; k < count; k++) {
		for (unsigned i = 0; i < count; i++) {
			for (unsigned j = 0; before[i][k] && j < count; j++)
				before[i][j] |= before[k][j];
		}
	}
}

static bool
is_in(const struct histories *h, const struct cut *cut, unsigned i)
{
	unsigned node;
	const struct event *e = event_at(h, i, &node);

	return e->number <= cut->at[node];
}

static bool
is_consistent(const struct histories *h, const struct cut *cut)
{
	for (unsigned i = 0; i < h->events_count; i++) {
		for (unsigned j = 0; j < h->events_count; j++) {
			if (before[i][j] && is_in(h, cut, j) &&
			    !is_in(h, cut, i))
				return false;
		}
	}
	return true;
}

static void
judge_random_cuts(
    const struct histories *h, struct random *random, unsigned found[2])
{
	char error[HISTORY_ERROR_MAX];
	static struct cut cut;
	struct causes c;

	close_before(h);
	assert_true(causes_find(&c, h, error));
	for (unsigned i = 0; i < 40; i++) {
		bool is_right;
		json_t *o;

		for (unsigned j = 0; j < h->count; j++)
			cut.at[j] = random_below(random, h->nodes[j].count + 1);
		is_right = is_consistent(h, &cut);
		o = cut_json(&c, &cut);
		assert_true(json_equal(json_object_get(o, "consistent"),
		    is_right ? json_true() : json_false()));
		assert_int_equal(
		    json_array_size(json_object_get(o, "broken")) == 0,
		    is_right);
		json_decref(o);
		found[is_right]++;
	}
	causes_free(&c);
}

TEST(cuts_of_random_runs_are_judged_as_defined)
{
	struct rank ranks[NODES];
	struct random random;
	unsigned found[2] = { 0 };
	struct graph g;

	random_init(&random, 3);
	for (unsigned i = 0; i < NODES; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct run_setup setup = {
			.algorithm = seed % 2 == 0 ? &algorithm_bully
						   : &algorithm_lelann,
			.graph = &g,
			.ranks = ranks,
			.schedule = SCHEDULE_RANDOM,
			.seed = seed,
			.observe = record_observe,
		};
		struct run_result result;
		struct record *r;

		assert_true(seed % 2 == 0 ? graph_make_full(&g, NODES)
					  : graph_make_ring(&g, NODES));
		r = record_new(&setup);
		setup.context = r;
		assert_true(run_election(&setup, &result));
		judge_random_cuts(record_histories(r), &random, found);
		record_free(r);
		graph_free(&g);
	}
	assert_true(found[false] > 100);
	assert_true(found[true] > 100);
}

/* Two nodes: 1 sends two messages, which 2 takes. */
static struct event sent[] = {
	{ .number = 1,
	    .kind = EVENT_SENT,
	    .peer = 2,
	    .session = 9,
	    .sequence = 1 },
	{ .number = 2,
	    .kind = EVENT_SENT,
	    .peer = 2,
	    .session = 9,
	    .sequence = 2 },
};
static struct event taken[] = {
	{ .number = 1,
	    .kind = EVENT_TAKEN,
	    .peer = 1,
	    .session = 9,
	    .sequence = 1 },
	{ .number = 2,
	    .kind = EVENT_TAKEN,
	    .peer = 1,
	    .session = 9,
	    .sequence = 2 },
};

/* Where `passage` of 2 is in the cut 1:a,2:b, if 1 has only these events. */
static enum crossing
crossing_of(
    unsigned passage, unsigned from, unsigned count, uint64_t a, uint64_t b)
{
	static struct cut cut;
	char error[HISTORY_ERROR_MAX];
	enum crossing crossing;
	struct causes c;

	nodes[0] = (struct history){ .id = 1,
		.first = from + 1,
		.events = sent + from,
		.count = count,
		.kinds_count = 1 };
	nodes[1] = (struct history){ .id = 2,
		.first = 1,
		.events = taken,
		.count = 2,
		.kinds_count = 1 };
	all.count = 2;
	all.events_count = 2 + count;
	cut.at[0] = a;
	cut.at[1] = b;
	assert_true(causes_find(&c, &all, error));
	crossing =
	    cut_crossing(&c, &cut, &c.passages[c.passage_of[1][passage]]);
	causes_free(&c);
	return crossing;
}

TEST(message_is_in_transit_between_its_ends)
{
	assert_int_equal(crossing_of(0, 0, 2, 0, 0), CROSSING_NONE);
	assert_int_equal(crossing_of(0, 0, 2, 1, 0), CROSSING_TRANSIT);
	assert_int_equal(crossing_of(0, 0, 2, 1, 1), CROSSING_NONE);
	assert_int_equal(crossing_of(0, 0, 2, 0, 1), CROSSING_BROKEN);
}

TEST(order_of_a_channel_shows_what_is_missing)
{
	/* The first is forgotten: it was sent before the second. */
	assert_int_equal(crossing_of(0, 1, 1, 1, 1), CROSSING_NONE);
	assert_int_equal(crossing_of(0, 1, 1, 1, 0), CROSSING_TRANSIT);
	/* The second is not there yet. */
	assert_int_equal(crossing_of(1, 0, 1, 1, 2), CROSSING_BROKEN);
	assert_int_equal(crossing_of(1, 0, 1, 1, 1), CROSSING_NONE);
	/* There is no message of the session. */
	assert_int_equal(crossing_of(0, 0, 0, 0, 1), CROSSING_UNKNOWN);
	assert_int_equal(crossing_of(0, 0, 0, 0, 0), CROSSING_NONE);
}
