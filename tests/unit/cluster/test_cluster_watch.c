/* SPDX-License-Identifier: ISC */
/*
 * Which nodes watch which in whole clusters: what a calm cluster sends, how a
 * death gets round that only the leader notices, and how long followers watch
 * each other.
 * Takes 11 s.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define BEAT      (100 * MSEC)
#define DETECTION (310 * MSEC) /* three misses and the least margin */
#define MEASURED  200          /* intervals */
#define PERCENT   3            /* intervals differ, and begin anywhere */

/* Gives the datagrams of an interval, on average over the next MEASURED. */
static void
assert_sends(struct world *w, unsigned an_interval)
{
	uint64_t before = w->counters.sent;
	unsigned expected = an_interval * MEASURED;

	world_run(w, MEASURED * BEAT);
	assert_in_range(w->counters.sent - before,
	    expected - expected * PERCENT / 100,
	    expected + expected * PERCENT / 100);
}

static struct world *
settled(struct world_setup setup)
{
	struct world *w = world_with(setup);

	world_begin(w);
	world_run(w, 10 * SEC);
	return w;
}

static bool
is_up(const struct world *w, process_name name, node_id id)
{
	const struct process *p = &w->processes[name];

	return node_peer_status(p->node, world_peer_of(p, id)).up;
}

/* Counts the running nodes whose link to this one is up. */
static unsigned
up_with(struct world *w, node_id id)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count +=
		    name != id && world_runs(w, name) && is_up(w, name, id);
	return count;
}

static unsigned
noticed(const struct world *w, enum notice_kind kind)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count += w->processes[name].observed.notices[kind];
	return count;
}

/* Counts the messages of a kind from all nodes that still run. */
static uint64_t
messages(struct world *w, unsigned kind)
{
	uint64_t count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			count += world_counters(w, name)->messages[kind];
	}
	return count;
}

/* Each running node is linked to all others. */
TEST(full_cluster_sends_two_datagrams_a_follower)
{
	static const unsigned sizes[] = { 2, 5, 8 };

	for (size_t i = 0; i < 6; i++) {
		enum guarantee guarantee =
		    i % 2 == 0 ? GUARANTEE_COMPONENT : GUARANTEE_QUORUM;

		for (size_t a = 0; algorithms[a] != NULL; a++) {
			struct world_setup setup = { .nodes = sizes[i / 2],
				.algorithm = algorithms[a],
				.guarantee = guarantee };
			struct world *w;

			if (algorithms[a]->topology != TOPOLOGY_FULL &&
			    algorithms[a]->topology != TOPOLOGY_GRAPH)
				continue;
			w = settled(setup);
			assert_sends(w, 2 * (sizes[i / 2] - 1));
			world_end(w);
		}
	}
}

/* The leader sends on each link of the ring both ways, and exchanges with the
 * five voters that are no neighbours. */
TEST(ring_under_quorum_sends_along_its_links_and_to_and_from_the_leader)
{
	for (size_t a = 0; algorithms[a] != NULL; a++) {
		struct world_setup setup = { .nodes = 8,
			.algorithm = algorithms[a],
			.topology = TOPOLOGY_RING,
			.guarantee = GUARANTEE_QUORUM };
		struct world *w;

		if (algorithms[a]->topology != TOPOLOGY_RING)
			continue;
		w = settled(setup);
		assert_sends(w, 2 * 8 + 2 * 5);
		world_end(w);
	}
}

WORLD(all_watch_all_without_a_leader)
{
	struct world *w = world_plain(5);

	for (process_name name = 1; name <= 5; name++)
		w->processes[name].role = ROLE_VOTER;
	world_begin(w);
	world_run(w, 10 * SEC);
	assert_sends(w, 5 * 4);
}

/* The leader misses it and says so with its next heartbeat; then the nodes that
 * look for it themselves miss it, too. */
TEST(silent_death_of_a_follower_is_known_to_all_in_two_detections)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world *w =
		    settled((struct world_setup){ .nodes = 5, .seed = seed });

		world_run(w, seed * 7 * MSEC);
		world_crash(w, 2);
		world_run(w, 2 * DETECTION + BEAT + BEAT / 5);
		assert_int_equal(up_with(w, 2), 0);
		assert_int_equal(noticed(w, NOTICE_PEER_DOWN), 4);
		assert_int_equal(noticed(w, NOTICE_ELECTION), 5);
		world_run(w, 10 * SEC);
		assert_int_equal(noticed(w, NOTICE_PEER_DOWN), 4);
		world_end(w);
	}
}

/* One link is cut, both ways or one way: others tell the follower. */
static void
keeps_its_leader_without_a_link(node_id from, node_id to, bool both)
{
	struct world *w = settled((struct world_setup){ .nodes = 5 });
	unsigned began = noticed(w, NOTICE_ELECTION);
	unsigned told = noticed(w, NOTICE_LEADER);

	if (both)
		world_cut(w, from, to);
	else
		world_cut_way(w, from, to);
	world_run(w, 60 * SEC);
	assert_false(is_up(w, 5, 2));
	assert_false(is_up(w, 2, 5));
	assert_int_equal(noticed(w, NOTICE_PEER_DOWN), 2);
	world_mend(w, from, to);
	world_run(w, 10 * SEC);
	assert_true(is_up(w, 5, 2));
	assert_true(is_up(w, 2, 5));
	assert_leader(w, 5);
	assert_int_equal(noticed(w, NOTICE_PEER_DOWN), 2);
	assert_int_equal(noticed(w, NOTICE_ELECTION), began);
	assert_int_equal(noticed(w, NOTICE_LEADER), told);
	assert_int_equal(noticed(w, NOTICE_NO_LEADER), 0);
	assert_sends(w, 2 * 4);
	world_end(w);
}

TEST(leader_cut_off_from_one_follower_keeps_it_by_the_others)
{
	keeps_its_leader_without_a_link(5, 2, true);
	keeps_its_leader_without_a_link(5, 2, false);
	keeps_its_leader_without_a_link(2, 5, false);
}

/* No node notices, and none needs to, until one of the two is to lead the
 * other. */
WORLD(followers_cut_off_from_each_other_are_at_peace)
{
	struct world *w = settled((struct world_setup){ .nodes = 5 });
	unsigned began = noticed(w, NOTICE_ELECTION);

	world_cut(w, 4, 1);
	assert_sends(w, 2 * 4);
	assert_int_equal(noticed(w, NOTICE_PEER_DOWN), 0);
	assert_int_equal(noticed(w, NOTICE_ELECTION), began);
	world_crash(w, 5);
	assert_settles_on(w, 4);
	world_mend(w, 4, 1);
	world_settle(w);
	world_run(w, 10 * SEC);
	assert_leader(w, 4);
}

/* One such datagram in two is lost: in the end all know it. */
TEST(heartbeats_end_also_where_half_of_all_datagrams_are_lost)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world *w =
		    settled((struct world_setup){ .nodes = 5, .seed = seed });

		world_weather(
		    w, &(struct wire){ .loss = 500, .delay_max = 20 * MSEC });
		world_run(w, 5 * SEC);
		world_weather(w, &(struct wire){ .delay_max = MSEC });
		world_settle(w);
		world_run(w, 10 * SEC);
		assert_sends(w, 2 * 4);
		world_end(w);
	}
}

/* A follower of the successor asked no peer, and neither did the successor. */
TEST(successor_alone_speaks_when_the_leader_goes)
{
	enum {
		ELECTION,
		OK,
		COORDINATOR
	};

	for (uint64_t i = 0; i < 40; i++) {
		struct world *w =
		    settled((struct world_setup){ .nodes = 8, .seed = 1 + i });
		uint64_t asked, answered, told;

		world_run(w, i * 7 * MSEC);
		asked = messages(w, ELECTION);
		answered = messages(w, OK);
		told = messages(w, COORDINATOR) -
		       world_counters(w, 8)->messages[COORDINATOR];
		if (i % 2 == 0)
			world_crash(w, 8);
		else
			world_stop(w, 8);
		assert_follows_within(
		    w, 7, i % 2 == 0 ? DETECTION + BEAT / 2 : 5 * MSEC);
		world_settle(w);
		assert_int_equal(messages(w, ELECTION), asked);
		assert_int_equal(messages(w, OK), answered);
		/* A leader that stops counts as up until it has heard of the
		 * next one. */
		assert_int_equal(messages(w, COORDINATOR), told + 6 + i % 2);
		assert_int_equal(world_status(w, 1).term, 2);
		world_end(w);
	}
}

/* Nodes `from` to `to` die at once; then the best of the others leads. */
static void
all_die_at_once(uint64_t seed, node_id from, node_id to, nsec_t limit)
{
	struct world *w =
	    settled((struct world_setup){ .nodes = 8, .seed = seed });
	node_id successor = to == 8 ? from - 1 : 8;

	world_run(w, seed * 7 * MSEC);
	for (node_id id = from; id <= to; id++)
		world_crash(w, id);
	assert_follows_within(w, successor, limit);
	world_settle(w);
	world_run(w, 10 * SEC);
	assert_leader(w, successor);
	assert_int_equal(world_status(w, 1).term, to == 8 ? 2 : 1);
	for (process_name name = 1; name < from; name++)
		assert_int_equal(
		    w->processes[name].observed.notices[NOTICE_ELECTION],
		    to == 8 ? 2 : 1);
	world_end(w);
}

TEST(third_leads_when_leader_and_successor_die_at_once)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		all_die_at_once(seed, 7, 8, 2 * DETECTION);
}

TEST(many_that_die_at_once_make_one_election)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		all_die_at_once(seed, 2, 7, 0);
		all_die_at_once(seed, 6, 8, 2 * DETECTION);
		all_die_at_once(seed, 3, 8, 2 * DETECTION);
	}
}

static bool
is_doubled(struct world *w, process_name name, node_id id)
{
	const struct process *p = &w->processes[name];

	return node_peer_status(p->node, world_peer_of(p, id)).duplicate;
}

/* Two followers do not watch each other. Both hear of the second process, also
 * the one that does not lead. */
WORLD(second_process_of_an_unwatched_id_is_noticed_by_all)
{
	struct world *w = settled((struct world_setup){ .nodes = 5 });

	world_copy(w, 2, 1);
	world_run(w, SEC);
	for (process_name name = 1; name <= 5; name++)
		assert_true(name == 2 || is_doubled(w, name, 2));
	assert_true(world_status(w, 2).duplicate);
	assert_true(world_status(w, WORLD_COPY).duplicate);
	world_crash(w, WORLD_COPY);
	world_run(w, 10 * SEC);
	for (process_name name = 1; name <= 5; name++)
		assert_true(name == 2 || !is_doubled(w, name, 2));
	assert_false(world_status(w, 2).duplicate);
	assert_leader(w, 5);
	assert_sends(w, 2 * 4);
}

/* The successor abstained, and stands again, and only the leader hears its
 * heartbeats. The others know that node for the successor all the same. */
TEST(successor_that_is_eligible_again_is_known_to_all)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = settled((struct world_setup){ .nodes = 5,
		    .guarantee =
			i == 0 ? GUARANTEE_COMPONENT : GUARANTEE_QUORUM });

		world_copy(w, 4, 1);
		world_run(w, SEC);
		world_crash(w, WORLD_COPY);
		world_run(w, 20 * SEC);
		assert_false(world_status(w, 4).duplicate);
		world_stop(w, 5);
		assert_settles_on(w, 4);
		assert_int_equal(world_status(w, 1).term, 2);
		assert_int_equal(
		    w->processes[3].observed.notices[NOTICE_ELECTED], 2);
		world_end(w);
	}
}

static uint64_t
came_late(struct world *w)
{
	uint64_t count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			count += world_counters(w, name)->dropped[DROP_LATE];
	}
	return count;
}

/* In four hours two of them are 14 s apart. */
WORLD(clocks_may_drift_while_nothing_is_said)
{
	struct world *w = settled((struct world_setup){ .nodes = 5 });

	world_set_clock(w, 2, 1);
	world_run(w, 4 * 3600 * SEC);
	world_stop(w, 5);
	assert_follows_within(w, 4, 3 * MSEC);
	world_settle(w);
	assert_int_equal(came_late(w), 0);
	for (process_name name = 1; name <= 3; name++)
		assert_true(node_peer_status(w->processes[name].node,
				world_peer_of(&w->processes[name], 4))
				.rtt < 10 * MSEC);
}

/* Peers that it did not watch count for nothing until they answer. */
TEST(follower_cut_off_from_all_spends_no_term)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *w = settled((struct world_setup){
		    .nodes = 5, .seed = seed, .guarantee = GUARANTEE_QUORUM });

		world_run(w, seed * 9 * MSEC);
		world_split(w, 1u << 4);
		world_run(w, 10 * SEC);
		assert_int_equal(world_status(w, 4).state, STATE_NO_QUORUM);
		assert_int_equal(world_status(w, 4).term, 1);
		assert_int_equal(noticed(w, NOTICE_ELECTION), 5);
		world_end(w);
	}
}

/* No node has missed it so far. */
TEST(process_that_lost_its_state_comes_back)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *w =
		    settled((struct world_setup){ .nodes = 5, .seed = seed });

		world_crash(w, 2);
		world_forget(w, 2);
		world_run(w, seed * 10 * MSEC);
		world_start(w, 2);
		world_settle(w);
		assert_int_equal(up_with(w, 2), 4);
		world_run(w, 10 * SEC);
		assert_false(world_status(w, 2).duplicate);
		assert_true(world_status(w, 2).incarnation > 1);
		assert_leader(w, 5);
		assert_sends(w, 2 * 4);
		world_end(w);
	}
}
