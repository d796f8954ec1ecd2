/* SPDX-License-Identifier: ISC */
/*
 * A follower that is cut off returns, while the leader and all others are well:
 * the leader leads on, in its term. LONG=1 makes four times as many cuts.
 * Takes 12 s.
 */
#include "algorithms/registry.h"
#include "tests/lib/often.h"
#include "tests/lib/shapes.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <stdio.h>
#include <string.h>

#define CUTS 12
#define CALM (6 * SEC) /* after a node has returned */

/* Every link of this node. */
static void
cut(struct world *w, node_id id, enum world_cut kind)
{
	world_cut_off(w, id, UINT32_MAX, kind);
}

static node_id
any_follower(struct world *w, struct random *random, node_id leader)
{
	node_id id = 1 + (node_id)random_below(random, w->setup.nodes - 1);

	return id < leader ? id : id + 1;
}

/* The best node becomes a follower. */
static void
make_better_follower(struct world *w)
{
	node_id best = world_status(w, 1).leader;

	world_crash(w, best);
	world_settle(w);
	world_start(w, best);
	world_run(w, CALM);
	assert_int_not_equal(world_status(w, 1).leader, best);
}

/* Cuts followers off and lets them return, one after another. */
static void
assert_leads_on(struct world *w, const char *name, enum world_cut kind)
{
	struct node_status before, after;
	struct random random;
	node_id leader;

	random_init(&random, w->setup.seed);
	world_begin(w);
	if (w->setup.preempt == PREEMPT_NEVER)
		make_better_follower(w);
	leader = world_status(w, 1).leader;
	before = world_status(w, leader);
	for (unsigned i = 0; i < often(CUTS); i++) {
		world_trace_clear(w);
		cut(w, any_follower(w, &random, leader), kind);
		world_run(w, random_between(&random, SEC, 12 * SEC));
		world_heal(w);
		world_run(w, CALM);
		after = world_status(w, leader);
		if (after.state == STATE_LEADER && after.term == before.term)
			continue;
		fprintf(stderr, "%s\n", w->trace.text);
		fail_msg("%s: %u leads no more in its term", name, leader);
	}
	assert_leader(w, leader);
	world_end(w);
}

TEST(follower_that_returns_costs_the_leader_no_term)
{
	for (unsigned kind = 0; kind < CUT_KINDS; kind++)
		for (unsigned i = 0; i < 8; i++)
			assert_leads_on(
			    world_with((struct world_setup){
				.nodes = i & 1 ? 5 : 3,
				.guarantee = i & 4 ? GUARANTEE_COMPONENT
						   : GUARANTEE_QUORUM,
				.preempt =
				    i & 2 ? PREEMPT_NEVER : PREEMPT_ALWAYS,
			    }),
			    "bully", (enum world_cut)kind);
}

/* True if the others remain connected, whoever is cut off. */
static bool
holds_together(const struct world_setup *setup)
{
	return setup->topology != TOPOLOGY_TREE;
}

TEST(follower_that_returns_costs_no_term_with_any_algorithm)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		struct world_setup setup = s->setup;

		for (int is_quorum = 0; is_quorum <= 1; is_quorum++) {
			setup.guarantee =
			    is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT;
			if (is_quorum || holds_together(&setup))
				assert_leads_on(world_with(setup), s->name,
				    (enum world_cut)(
					setup.topology % CUT_KINDS));
		}
	}
}

/* A node of a large cluster watches a few of the best peers only. */
TEST(follower_that_watches_few_peers_costs_no_term)
{
	for (unsigned kind = 0; kind < CUT_KINDS; kind++)
		assert_leads_on(world_with((struct world_setup){
				    .nodes = 12, .budget_max = 2 }),
		    "12 nodes", (enum world_cut)kind);
}

/* The follower misses the leader before the others, which it heard later. */
TEST(follower_that_misses_after_one_heartbeat_costs_no_term)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		struct world_setup setup = s->setup;

		setup.guarantee = GUARANTEE_QUORUM;
		setup.misses = 1;
		assert_leads_on(world_with(setup), s->name, CUT_DEAF);
	}
}

/* The way to a follower is suddenly slow. An answer to what it asked before
 * its leader seemed to be silent comes first, and after that the leader's
 * heartbeat. */
TEST(follower_that_hears_all_late_costs_no_term)
{
	static const struct wire quick = { .delay_min = MSEC / 10,
		.delay_max = MSEC };
	struct random random;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world *w = world_with((struct world_setup){ .nodes = 5,
		    .guarantee = GUARANTEE_QUORUM,
		    .preempt = PREEMPT_NEVER,
		    .misses = 1,
		    .seed = seed });
		struct node_status before;
		node_id leader;

		random_init(&random, seed);
		world_begin(w);
		leader = world_status(w, 1).leader;
		before = world_status(w, leader);
		for (unsigned i = 0; i < 12; i++) {
			nsec_t late =
			    random_between(&random, 35 * MSEC, 110 * MSEC);

			world_weather_to(w, any_follower(w, &random, leader),
			    &(struct wire){
				.delay_min = late, .delay_max = late });
			world_run(w, random_between(&random, SEC / 2, SEC));
			world_weather(w, &quick);
			world_run(w, random_between(&random, SEC / 2, SEC));
		}
		assert_leader(w, leader);
		assert_int_equal(world_status(w, leader).term, before.term);
		world_end(w);
	}
}

/* A firewall refuses what the best follower sends. It may hear of the leader's
 * host first, and a refusal proves no more than silence. */
TEST(follower_that_a_firewall_refuses_costs_no_term)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 5,
		    .algorithm =
			algorithm_find(seed & 1 ? "bully" : "bully-broadcast"),
		    .misses = 1,
		    .seed = seed,
		});
		uint64_t term;

		w->network.rejects = true;
		w->network.refuses = 1000;
		world_begin(w);
		term = world_status(w, 5).term;
		world_weather(w, &(struct wire){ .delay_min = MSEC,
				     .delay_max = 20 * MSEC });
		cut(w, 4, CUT_DUMB);
		world_run(w, 2 * SEC);
		world_heal(w);
		world_run(w, CALM);
		assert_leader(w, 5);
		assert_int_equal(world_status(w, 5).term, term);
		world_end(w);
	}
}

/* A node that runs late gives its peers more time, so it has not asked the
 * leader, nor begun to watch the others, when the leader's beacon is stale. */
TEST(follower_that_runs_late_costs_no_term)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 7,
		    .algorithm = algorithm_find("lelann"),
		    .topology = TOPOLOGY_RING,
		    .guarantee = GUARANTEE_QUORUM,
		    .preempt = PREEMPT_NEVER,
		    .seed = seed,
		});
		uint64_t term;

		world_begin(w);
		term = world_status(w, 7).term;
		assert_leader(w, 7);
		cut(w, 3, CUT_DEAF);
		world_pause(w, 3);
		world_run(w, 60 * MSEC + seed * 10 * MSEC);
		world_resume(w, 3);
		world_run(w, 2 * SEC);
		world_heal(w);
		world_run(w, CALM);
		assert_leader(w, 7);
		assert_int_equal(world_status(w, 7).term, term);
		world_end(w);
	}
}

static bool
has_leader(struct world *w)
{
	return world_status(w, 1).leader != NODE_NONE;
}

static struct world *
five_voters(uint64_t seed)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 5, .guarantee = GUARANTEE_QUORUM, .seed = seed });

	world_begin(w);
	return w;
}

/* All are cut off, and all return: nobody waits for a leader that there is
 * not. */
TEST(nodes_that_all_return_have_a_leader_soon)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *w = five_voters(seed);

		for (node_id id = 1; id <= 5; id++)
			cut(w, id, CUT_BOTH_WAYS);
		world_run(w, 10 * SEC);
		assert_leader(w, NODE_NONE);
		world_heal(w);
		assert_true(world_run_until(w, has_leader, 300 * MSEC));
		world_settle(w);
		world_end(w);
	}
}

/* The best node has begun an election for the leader that died. */
static bool
has_begun(struct world *w)
{
	return strstr(w->trace.text, " 7 election in term 2 ") != NULL;
}

/* The node that begins an election is cut off in the midst of it. The others
 * end it, and when the node returns it has no later term. */
TEST(node_that_is_cut_off_while_it_elects_costs_no_term)
{
	for (const struct shape *s = shape_first(); s != NULL;
	     s = shape_next(s)) {
		struct world_setup setup = s->setup;
		struct world *w;
		node_id leader;
		uint64_t term;

		/* The best node leads as soon as it begins, or, with
		 * bully-broadcast, before it misses the others. */
		if (s->setup.topology != TOPOLOGY_FULL ||
		    strncmp(s->setup.algorithm->name, "bully", 5) == 0)
			continue;
		setup.preempt = PREEMPT_NEVER;
		w = world_with(setup);
		world_begin(w);
		world_crash(w, world_status(w, 1).leader);
		assert_true(world_run_until(w, has_begun, SEC));
		cut(w, 7, CUT_BOTH_WAYS);
		world_run(w, 10 * SEC);
		leader = world_status(w, 2).leader;
		term = world_status(w, leader).term;
		world_heal(w);
		world_run(w, CALM);
		if (world_status(w, 7).leader != leader ||
		    world_status(w, leader).term != term)
			fprintf(stderr, "%s\n%s\n", w->trace.text, s->name);
		assert_int_equal(world_status(w, 7).leader, leader);
		assert_int_equal(world_status(w, leader).term, term);
		world_end(w);
	}
}

/* Node 3 misses a peer, and will elect with those that are left. */
static bool
has_missed_a_peer(struct world *w)
{
	return strstr(w->trace.text, " 3 peer 1 down") != NULL;
}

/* An election waits for the lease of a dead leader to end. A node begins it
 * again for a peer that it misses, and nobody hears of that. The others soon
 * have a leader of the earlier term. */
TEST(node_that_elects_above_a_leader_unheard_costs_no_term)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *w = five_voters(seed);

		world_trace_clear(w);
		world_crash(w, 5);
		world_run(w, 1500 * MSEC);
		world_cut_way(w, 1, 3);
		assert_true(world_run_until(w, has_missed_a_peer, SEC));
		cut(w, 3, CUT_BOTH_WAYS);
		world_run(w, 10 * SEC);
		assert_non_null(
		    strstr(w->trace.text, " 3 election in term 3 "));
		assert_int_equal(world_status(w, 4).leader, 4);
		assert_int_equal(world_status(w, 4).term, 2);
		world_heal(w);
		world_run(w, CALM);
		assert_int_equal(world_status(w, 3).leader, 4);
		assert_int_equal(world_status(w, 4).term, 2);
		world_end(w);
	}
}

/* Two followers lead alone when the leader dies: each must learn of the
 * other. */
WORLD(lone_leaders_that_meet_become_one)
{
	struct world *w = world_plain(3);

	world_begin(w);
	world_cut(w, 1, 2);
	world_cut(w, 1, 3);
	world_cut(w, 2, 3);
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 1);
	assert_int_equal(world_status(w, 2).leader, 2);
	assert_int_equal(world_status(w, 1).term, world_status(w, 2).term);
	world_crash(w, 3);
	world_mend(w, 1, 2);
	assert_settles_on(w, 2);
}

/* A follower leads alone. The leader starts again, hears nobody, and elects:
 * the follower must take it for the leader. */
WORLD(lone_leader_follows_one_that_started_again)
{
	struct world *w = world_plain(2);

	world_begin(w);
	world_cut(w, 1, 2);
	world_settle(w);
	world_crash(w, 2);
	world_start(w, 2);
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 1);
	assert_int_equal(world_status(w, 2).leader, 2);
	world_mend(w, 1, 2);
	assert_settles_on(w, 2);
}

/* The second host is installed when the first one has long led alone. */
WORLD(leader_without_peers_is_found_by_a_joiner)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 2, .preempt = PREEMPT_NEVER });
	uint64_t term;

	world_start(w, 1);
	world_settle(w);
	world_crash(w, 1);
	world_start(w, 1);
	world_settle(w);
	term = world_status(w, 1).term;
	world_start(w, 2);
	assert_settles_on(w, 1);
	assert_int_equal(world_status(w, 2).term, term);
}

/* A check of its services fails as the network goes, and passes before that is
 * back. */
TEST(node_that_stands_again_while_it_is_cut_off_costs_no_term)
{
	for (unsigned i = 0; i < 4; i++) {
		struct world *w = world_with((struct world_setup){ .nodes = 3,
		    .preempt = i & 1 ? PREEMPT_NEVER : PREEMPT_ALWAYS });
		struct node_status before;

		world_begin(w);
		before = world_status(w, 3);
		if (i & 2)
			world_standby(w, 1, NSEC_NEVER);
		world_run(w, SEC);
		cut(w, 1, CUT_BOTH_WAYS);
		world_run(w, CALM);
		world_standby(w, 1, NSEC_NEVER);
		world_run(w, CALM);
		world_stand(w, 1);
		world_run(w, CALM);
		world_heal(w);
		world_run(w, CALM);
		assert_leader(w, 3);
		assert_true(world_status(w, 3).term == before.term);
		world_end(w);
	}
}

/* The helper of the leader says that it died: a node that hears this is not cut
 * off, and begins before any peer could answer. */
WORLD(node_that_hears_of_the_leaders_death_waits_for_no_answer)
{
	struct world *w = world_settled_plain(5);
	const unsigned *notices = w->processes[4].observed.notices;
	unsigned elections;

	w->helpers = true;
	world_run(w, CALM);
	elections = notices[NOTICE_ELECTION];
	for (node_id id = 1; id <= 3; id++)
		world_cut_way(w, id, 4);
	world_trace_clear(w);
	world_crash(w, 5);
	world_run(w, 10 * MSEC);
	assert_trace(w, "4 no leader", "4 no leader in term 1 (died:5)\n");
	assert_int_equal(notices[NOTICE_ELECTION], elections + 1);
}
