/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes whose shared settings change while they run (PROTOCOL.md,
 * Configurations): a later file reaches one host, and all nodes learn it.
 */
#include "algorithms/registry.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#include <string.h>

#define SOON (20 * MSEC) /* a few round trips of 2 ms */

static struct world *
world_with_files(unsigned nodes)
{
	struct world *w = world_with((struct world_setup){ .nodes = nodes });

	world_exchange(w);
	world_begin(w);
	return w;
}

static void
assert_config_version(struct world *w, uint32_t config_version)
{
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		if (world_runs(w, name))
			assert_int_equal(node_config_id(w->processes[name].node)
					     ->config_version,
			    config_version);
	}
}

/* Gives how often a link was lost, at all nodes. */
static unsigned
links_lost(const struct world *w)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count += w->processes[name].observed.notices[NOTICE_PEER_DOWN];
	return count;
}

WORLD(a_later_file_reaches_all_and_changes_neither_leader_nor_term)
{
	struct world *w = world_with_files(5);
	uint64_t accessions = w->counters.accessions;
	struct world_file file = w->files.newest;

	file.heartbeat = 20 * MSEC;
	world_edit(w, &file);
	world_reload(w, 2);
	world_run(w, SOON);
	assert_config_version(w, 1);
	assert_settles_on(w, 5);
	assert_int_equal(w->counters.accessions, accessions);
	assert_int_equal(links_lost(w), 0);
}

WORLD(longer_heartbeats_make_nobody_suspect)
{
	struct world *w = world_with(
	    (struct world_setup){ .nodes = 5, .heartbeat = 10 * MSEC });
	struct world_file file;

	world_exchange(w);
	world_begin(w);
	file = w->files.newest;
	file.heartbeat = 200 * MSEC;
	world_edit(w, &file);
	world_reload(w, 5);
	world_run(w, 5 * SEC);
	assert_config_version(w, 1);
	assert_int_equal(links_lost(w), 0);
}

WORLD(node_of_a_higher_priority_takes_over_once_all_know_that)
{
	struct world *w = world_with_files(5);
	uint64_t accessions = w->counters.accessions;
	struct world_file file = w->files.newest;

	file.priorities[2] = 7;
	world_edit(w, &file);
	world_reload(w, 2);
	assert_settles_on(w, 2);
	assert_int_equal(w->counters.accessions, accessions + 1);
	assert_int_equal(links_lost(w), 0);
}

/* Ids 1 to 3 are the cluster; 4 is the best. */
static struct world *
world_before_joiner(void)
{
	struct world *w = world_with((struct world_setup){ .nodes = 4 });

	w->files.newest.members = 1u << 1 | 1u << 2 | 1u << 3;
	world_exchange(w);
	for (process_name name = 1; name <= 3; name++)
		world_start(w, name);
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 3);
	return w;
}

WORLD(a_joiner_waits_until_a_member_knows_it)
{
	struct world *w = world_before_joiner();
	struct world_file file = w->files.newest;

	file.members |= 1u << 4;
	world_edit(w, &file);
	world_reload(w, 4);
	world_start(w, 4);
	world_run(w, 10 * SEC);
	assert_int_equal(world_status(w, 4).leader, NODE_NONE);
	assert_int_equal(world_status(w, 4).eligibility, INELIGIBLE_OUTSIDE);
	assert_int_equal(world_status(w, 1).leader, 3);
	world_reload(w, 1);
	world_settle(w);
	assert_config_version(w, 1);
	assert_leader(w, 4);
}

WORLD(a_member_that_is_told_first_leads_on_until_the_joiner_is_there)
{
	struct world *w = world_before_joiner();
	struct world_file file = w->files.newest;

	file.members |= 1u << 4;
	world_edit(w, &file);
	world_reload(w, 2);
	world_run(w, SEC);
	assert_config_version(w, 1);
	assert_int_equal(world_status(w, 1).leader, 3);
	world_reload(w, 4);
	world_start(w, 4);
	assert_settles_on(w, 4);
}

WORLD(a_removed_leader_is_replaced_and_disturbs_nobody)
{
	struct world *w = world_with_files(4);
	struct world_file file = w->files.newest;
	uint64_t accessions;

	file.members &= ~(1u << 4);
	world_edit(w, &file);
	world_reload(w, 1);
	world_settle(w);
	for (process_name name = 1; name <= 3; name++)
		assert_int_equal(world_status(w, name).leader, 3);
	accessions = w->counters.accessions;
	world_run(w, 60 * SEC);
	assert_int_equal(w->counters.accessions, accessions);
	assert_int_equal(world_status(w, 4).leader, NODE_NONE);
}

WORLD(a_removed_node_may_return)
{
	struct world *w = world_with_files(4);
	struct world_file file = w->files.newest;

	file.members &= ~(1u << 4);
	world_edit(w, &file);
	world_reload(w, 4); /* itself first */
	world_settle(w);
	world_reload(w, 1);
	world_settle(w);
	assert_int_equal(world_status(w, 1).leader, 3);
	file.members |= 1u << 4;
	world_edit(w, &file);
	world_reload(w, 2);
	world_settle(w);
	assert_config_version(w, 2);
	assert_leader(w, 4);
}

/* Node 5 is the best, but preempts nobody; it hears the leader last. */
WORLD(a_node_that_is_added_again_follows_and_disturbs_nobody)
{
	const struct wire slow = { .delay_min = 50 * MSEC,
		.delay_max = 60 * MSEC };
	struct world *w = world_with((struct world_setup){
	    .nodes = 5, .preempt = PREEMPT_NEVER, .startup = 2 * SEC });
	struct world_file file;
	uint64_t accessions, term;

	world_exchange(w);
	for (process_name name = 1; name <= 4; name++)
		world_start(w, name);
	world_settle(w);
	world_start(w, 5);
	assert_settles_on(w, 4);
	term = world_status(w, 4).term;
	accessions = w->counters.accessions;
	file = w->files.newest;
	w->network.wires[4][5] = w->network.wires[5][4] = slow;
	for (uint32_t i = 1; i <= 5; i++) {
		file.members &= ~(1u << 5);
		world_edit(w, &file);
		world_reload(w, 1);
		world_run(w, 6 * SEC);
		assert_int_equal(world_status(w, 5).leader, NODE_NONE);
		assert_int_equal(world_status(w, 5).state, STATE_NO_LEADER);
		file.members |= 1u << 5;
		world_edit(w, &file);
		world_reload(w, 1);
		assert_settles_on(w, 4);
	}
	assert_int_equal(world_status(w, 4).term, term);
	assert_int_equal(w->counters.accessions, accessions);
}

/* Each time the nodes know of one hello more from before. */
WORLD(a_node_that_is_added_again_is_heard_at_once)
{
	struct world *w = world_with_files(5);
	struct world_file file = w->files.newest;

	for (uint32_t i = 1; i <= 5; i++) {
		file.members &= ~(1u << 3);
		world_edit(w, &file);
		world_reload(w, 1);
		world_settle(w);
		file.members |= 1u << 3;
		world_edit(w, &file);
		world_reload(w, 1);
		world_run(w, SOON);
		assert_int_equal(world_status(w, 3).reachable, 5);
		assert_config_version(w, 2 * i);
		world_settle(w);
	}
}

WORLD(a_member_that_was_away_learns_all_and_disturbs_nobody)
{
	struct world *w = world_with_files(5);
	struct world_file file = w->files.newest;
	uint64_t accessions;

	world_crash(w, 2);
	for (int32_t i = 1; i <= 5; i++) {
		file.priorities[1] = i;
		file.heartbeat = (nsec_t)i * 10 * MSEC;
		world_edit(w, &file);
		world_reload(w, (process_name)(i == 2 ? 3 : i));
		world_settle(w);
	}
	assert_leader(w, 1);
	accessions = w->counters.accessions;
	world_start(w, 2);
	world_settle(w);
	assert_config_version(w, 5);
	assert_leader(w, 1);
	assert_int_equal(w->counters.accessions, accessions);
}

WORLD(two_files_of_one_config_version_divide_nobody)
{
	struct world *w = world_with_files(4);
	struct world_file file = w->files.newest, other = w->files.newest;

	file.priorities[2] = 7;
	other.priorities[3] = 7;
	world_edit(w, &file);
	world_reload(w, 2);
	w->files.newest.config_version = 0;
	world_edit(w, &other);
	world_reload(w, 3);
	world_settle(w);
	assert_config_version(w, 1);
	for (process_name name = 2; name <= 4; name++)
		assert_int_equal(
		    world_status(w, name).leader, world_status(w, 1).leader);
}

WORLD(a_document_comes_through_a_network_that_loses_half)
{
	const struct wire bad = {
		.loss = 500, .delay_min = MSEC, .delay_max = 5 * MSEC
	};
	struct world *w = world_with_files(3);
	struct world_file file = w->files.newest;

	world_weather(w, &bad);
	file.misses = 10;
	world_edit(w, &file);
	world_reload(w, 1);
	world_settle(w);
	assert_config_version(w, 1);
}

WORLD(both_sides_of_a_healed_partition_agree)
{
	struct world *w = world_with_files(5);
	struct world_file file = w->files.newest;

	world_split(w, 1u << 1 | 1u << 2);
	file.priorities[1] = 9;
	world_edit(w, &file);
	world_reload(w, 2);
	file.priorities[3] = 10;
	world_edit(w, &file);
	world_reload(w, 4);
	world_settle(w);
	assert_int_equal(world_status(w, 2).leader, 1);
	assert_int_equal(world_status(w, 5).leader, 3);
	world_heal(w);
	world_settle(w);
	assert_config_version(w, 2);
	assert_leader(w, 3);
}

/* All algorithms, one after another, with an election of each. Where they need
 * another topology, that changes too. */
static void
algorithms_follow_each_other_on(enum topology topology, const char *first)
{
	struct world *w = world_with((struct world_setup){ .nodes = 5,
	    .algorithm = algorithm_find(first),
	    .topology = topology });
	struct world_file file;

	world_exchange(w);
	world_begin(w);
	file = w->files.newest;
	for (unsigned i = 1; world_algorithm(w, i) != NULL; i++) {
		uint64_t term = world_status(w, 1).term;
		uint64_t changes = w->counters.accessions;

		if (!world_edit_algorithm(w, &file, i))
			continue;
		world_edit(w, &file);
		world_reload(w, 3);
		world_settle(w);
		assert_int_equal(w->counters.accessions, changes);
		world_elect(w, 2);
		assert_settles_on(w, 5);
		assert_true(world_status(w, 1).term > term);
	}
	world_end(w);
}

TEST(algorithms_follow_each_other)
{
	algorithms_follow_each_other_on(TOPOLOGY_FULL, "bully");
	algorithms_follow_each_other_on(TOPOLOGY_RING, "lelann");
	algorithms_follow_each_other_on(TOPOLOGY_GRAPH, "floodmax");
}

/* The nodes of a ring watch their neighbours, but those of `full` only their
 * leader. */
WORLD(a_leader_stays_when_a_ring_takes_the_place_of_full)
{
	struct world *w = world_with_files(5);
	struct world_file file = w->files.newest;
	uint64_t changes = w->counters.accessions;

	for (unsigned i = 0; i < 10; i++) {
		file.topology = i % 2 == 0 ? TOPOLOGY_RING : TOPOLOGY_FULL;
		for (unsigned k = 1; world_algorithm(w, k) != NULL; k++) {
			if (world_algorithm(w, k)->topology == TOPOLOGY_GRAPH)
				file.algorithm = (uint16_t)k;
		}
		world_edit(w, &file);
		world_reload(w, 1 + i % 5);
		world_run(w, 10 * SEC);
		assert_config_version(w, i + 1);
	}
	assert_leader(w, 5);
	assert_int_equal(w->counters.accessions, changes);
}
