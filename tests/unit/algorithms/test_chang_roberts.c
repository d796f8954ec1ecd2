/* SPDX-License-Identifier: ISC */
/*
 * The rules of Chang and Roberts' algorithm and its variants, and what no
 * honest node sends.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "common/util/random.h"
#include "tests/lib/instance.h"
#include "tests/lib/steps.h"

static const struct algorithm *const chang_roberts = &algorithm_chang_roberts;

TEST(chang_roberts_winner_is_whose_rank_comes_back)
{
	steps(chang_roberts,
	    "begin 2 = idle\n"
	    "start > right ELECTION o5 5 = candidate\n"
	    "left ELECTION o5 5 > right LEADER o5 5, decides 5\n"
	    "left LEADER o5 5 refused\n" /* it has come round */
	    "left ELECTION o7 7 refused\n");
}

TEST(chang_roberts_passes_on_the_better_and_swallows_the_worse)
{
	steps(chang_roberts,
	    "begin 2\n"
	    "start > right ELECTION o5 5\n"
	    "left ELECTION o4 4 refused\n"
	    "left ELECTION o6 6 > right ELECTION o6 6 = passive\n"
	    "left ELECTION o6 6 refused\n"
	    "left ELECTION o8 8 > right ELECTION o8 8\n"
	    "left ELECTION o7 7 refused\n"
	    "left ELECTION o5 5 refused\n" /* eligible no longer */
	    "left LEADER o8 8 > right LEADER o8 8, decides 8\n"
	    "left LEADER o8 8 refused\n"); /* no message circles for ever */
}

TEST(chang_roberts_prefers_the_lowest_if_configured)
{
	steps(chang_roberts, "begin 2 lowest\n"
			     "start > right ELECTION o5 5\n"
			     "left ELECTION o6 6 refused\n"
			     "left ELECTION o4 4 > right ELECTION o4 4\n");
}

TEST(chang_roberts_sleeper_sends_its_rank_unless_it_is_worse)
{
	steps(chang_roberts,
	    "begin 2\n"
	    "left ELECTION o4 4 > right ELECTION o5 5 = candidate\n"
	    "begin 2\n"
	    "left ELECTION o6 6 > right ELECTION o6 6 = passive\n"
	    "start\n"); /* too late */
}

TEST(chang_roberts_without_join_never_sends_its_own)
{
	for (int variant = 0; variant < 3; variant++)
		steps(chang_roberts,
		    "begin 2 starters_only variant=%d\n"
		    "left ELECTION o2 2 > right ELECTION o2 2 = passive\n"
		    "left ELECTION o1 1 refused\n"
		    "left ELECTION o4 4 > right ELECTION o4 4\n"
		    "start\n" /* too late */
		    "left LEADER o4 4 > right LEADER o4 4, decides 4\n",
		    variant);
}

/* An ineligible node loses to any eligible one, and may win all the same. */
TEST(chang_roberts_node_that_is_not_eligible_takes_part)
{
	steps(chang_roberts,
	    "begin 2 self=5!\n"
	    "left ELECTION o4 4! > right ELECTION o5 5!\n"
	    "left ELECTION o5 5! > right LEADER o5 5!, decides 5!\n"
	    "begin 2 self=5!\n"
	    "left ELECTION o4 4 > right ELECTION o4 4\n");
}

TEST(chang_roberts_refuses_what_no_honest_node_sends)
{
	steps(chang_roberts,
	    "begin 2\n"
	    "left LEADER o7 7 refused\n"          /* before any ELECTION */
	    "left ELECTION o5 5 refused\n"        /* never sent */
	    "left ELECTION o6 7 refused = idle\n" /* another's rank */
	    "start > right ELECTION o5 5\n"
	    "left ELECTION o5 5^ refused\n" /* a rank that we never had */
	    "left LEADER o7 7 refused\n"    /* its ELECTION never came */
	    "left LEADER o5 5 refused = candidate\n"
	    "left ELECTION o6 6 > right ELECTION o6 6\n"
	    "left LEADER o7 7 refused = passive\n");
}

/* Gives the link by which node 5 sends its rank with this seed. */
static const char *
direction(unsigned seed)
{
	static struct instance one;

	instance_begin(&one, chang_roberts, &(struct choices){ .variant = 1 },
	    instance_rank(5), RING_LINKS);
	one.view.seed = seed;
	instance_again(&one);
	instance_start(&one);
	instance_assert_count(&one, 1);
	return one.room[0].link == RING_LEFT ? "left" : "right";
}

static const char *
other_than(const char *link)
{
	return *link == 'l' ? "right" : "left";
}

TEST(bidirectional_directions_are_drawn_from_the_seed)
{
	unsigned left = 0;

	for (unsigned seed = 0; seed < 1000; seed++)
		left += *direction(seed) == 'l';
	assert_in_range(left, 440, 560); /* within four deviations */
}

TEST(only_bidirectional_ranks_go_left)
{
	for (unsigned seed = 0; seed < 20; seed++)
		steps(chang_roberts,
		    "begin 2 variant=0 seed=%u\n"
		    "start > right ELECTION o5 5\n"
		    "begin 2 variant=2 seed=%u\n"
		    "left ELECTION o4 4 > right ELECTION o5 5\n",
		    seed, seed);
}

/* A node that is woken draws lots as one that starts does. In a ring of two as
 * well the link tells one end of it from the other. */
TEST(bidirectional_rank_comes_back_by_the_other_link)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		const char *there = direction(seed);

		for (int i = 0; i < 2; i++)
			steps(chang_roberts,
			    "begin 2 variant=1 seed=%u\n"
			    "%s ELECTION o4 4 > %s ELECTION o5 5\n"
			    "%s ELECTION o5 5\n"
			    /* LEADER always goes to the right. */
			    "%s ELECTION o5 5 > right LEADER o5 5, decides 5\n",
			    seed, i == 0 ? "left" : "right", there, there,
			    other_than(there));
	}
}

TEST(bidirectional_ranks_keep_their_direction)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		const char *there = direction(seed);
		const char *back = other_than(there);

		steps(chang_roberts,
		    "begin 2 variant=1 seed=%u\n"
		    "start > %s ELECTION o5 5\n"
		    "left ELECTION o6 6 > right ELECTION o6 6\n"
		    "right ELECTION o7 7 > left ELECTION o7 7\n"
		    /* A worse one may come from either side. */
		    "%s ELECTION o6 6\n"
		    "%s ELECTION o6 6\n"
		    "right ELECTION o8 8 > left ELECTION o8 8\n"
		    "right LEADER o8 8\n"
		    "left LEADER o8 8 > right LEADER o8 8, decides 8\n",
		    seed, there, there, back);
	}
}

/* The same input to both: the same messages and the same decision. */
static void
step_both(struct instance *it, struct instance *other, struct random *random)
{
	struct message m = { .kind = random_below(random, 5) == 0 };

	m.origin = 1 + (node_id)random_below(random, 9);
	m.rank = instance_rank(m.origin);
	if (random_below(random, 8) == 0) {
		instance_start(it);
		instance_start(other);
	} else {
		instance_receive(it, RING_LEFT, &m);
		instance_receive(other, RING_LEFT, &m);
	}
	assert_int_equal(it->out.count, other->out.count);
	for (size_t i = 0; i < it->out.count; i++)
		instance_assert_sent(
		    other, i, it->room[i].link, &it->room[i].message);
	assert_int_equal(it->out.has_decided, other->out.has_decided);
	instance_assert_phase(other, it->algorithm->phase(it->state));
}

TEST(replace_sends_what_standard_sends)
{
	static struct instance standard, replace;
	struct random random;

	random_init(&random, 3);
	for (int run = 0; run < 20000; run++) {
		struct choices choices = { .starters_only = run & 1 };

		instance_begin(&standard, chang_roberts, &choices,
		    instance_rank(5), RING_LINKS);
		choices.variant = 2;
		instance_begin(&replace, chang_roberts, &choices,
		    instance_rank(5), RING_LINKS);
		for (int i = 0; i < 8; i++)
			step_both(&standard, &replace, &random);
	}
}
