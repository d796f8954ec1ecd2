/* SPDX-License-Identifier: ISC */
/*
 * Steps from one configuration to the next under the guarantee "quorum", each
 * amid the faults that it must survive (PROTOCOL.md, Changes of voters). The
 * leader is node 5, the best. The world's own checks see that no two nodes lead
 * at once; each case names the rule without which they would.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define HOSTS  5
#define BEAT   (100 * MSEC)
#define LEASE  (2 * SEC)
#define LONGER (3 * LEASE)
#define SLOW   (20 * SEC) /* no write ends in the time of a case */
#define ID(id) (1u << (id))
#define THREE  (ID(1) | ID(2) | ID(3))
#define ALL    (THREE | ID(4) | ID(5))

/* A settled cluster of these members, led by the best of them. */
static struct world *
world_of(unsigned members)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = HOSTS,
	    .guarantee = GUARANTEE_QUORUM,
	    .lease = LEASE,
	});

	w->files.newest.members = members;
	world_exchange(w);
	for (process_name name = 1; name <= HOSTS; name++) {
		if (members >> name & 1)
			world_start(w, name);
	}
	world_settle(w);
	return w;
}

/* The operator of a host goes on from what that has in effect. */
static void
edit_members(struct world *w, process_name name, unsigned members)
{
	struct world_file file = w->processes[name].configs.file;

	file.members = members;
	world_edit(w, &file);
	world_reload(w, name);
}

static void
edit_lease(struct world *w, process_name name, nsec_t lease)
{
	struct world_file file = w->processes[name].configs.file;

	file.lease = lease;
	world_edit(w, &file);
	world_reload(w, name);
}

static void
make_disks_slow(struct world *w, unsigned ids)
{
	for (process_name name = 1; name <= HOSTS; name++) {
		if (ids >> name & 1)
			w->processes[name].disk.sync_always = SLOW;
	}
}

static uint32_t
config_version_of(const struct world *w, process_name name)
{
	return w->processes[name].configs.file.config_version;
}

/* Two voters that cannot write keep the leader at its first step. If it took
 * more of them, it would lead alone with node 4 in the end, beside a
 * majority of those that it left behind. */
WORLD(next_step_waits_until_a_majority_has_the_one_before)
{
	struct world *w = world_of(ALL);

	make_disks_slow(w, THREE | ID(4));
	edit_members(w, 5, ALL & ~ID(1));
	world_run(w, BEAT);
	edit_members(w, 5, ALL & ~ID(1) & ~ID(2));
	world_run(w, BEAT);
	edit_members(w, 5, ID(4) | ID(5));
	world_run(w, 3 * BEAT);
	w->processes[4].disk.sync_always = 0;
	world_split(w, THREE);
	world_run(w, 3 * SEC);
	for (process_name name = 1; name <= 3; name++)
		w->processes[name].disk.sync_always = 0;
	for (process_name name = 1; name <= 3; name++) {
		world_crash(w, name);
		world_start(w, name);
	}
	world_run(w, 20 * SEC);
	assert_int_equal(config_version_of(w, 5), 1);
}

/*
 * Node 4 adds node 5 on its side of a cut, and nodes 1 to 3 remove node 4 on
 * theirs. If node 3 did not stamp the configuration before it, node 1 could go
 * over to the other side, with which it would be a majority of five.
 */
WORLD(leader_stamps_the_configuration_in_effect_before_a_step)
{
	struct world *w = world_of(THREE | ID(4));

	world_start(w, 5);
	world_run(w, SEC);
	for (process_name name = 1; name <= 3; name++)
		world_cut_way(w, 4, name);
	edit_members(w, 4, ALL);
	world_run(w, 2 * BEAT);
	world_split(w, THREE);
	world_run(w, 5 * SEC);
	assert_int_equal(config_version_of(w, 4), 1);
	assert_int_equal(config_version_of(w, 3), 0);
	edit_members(w, 3, THREE);
	w->processes[1].configs.refuses_later = true;
	world_run(w, 2 * SEC);
	w->processes[1].configs.refuses_later = false;
	world_heal(w);
	world_split(w, ID(2) | ID(3));
	world_run(w, 20 * SEC);
	world_heal(w);
	world_run(w, 20 * SEC);
}

/*
 * Nodes 1 and 2 are removed one after the other while node 3 is away, which
 * then cannot use any other file. Nodes 1, 2 and 3 are a majority of the five,
 * but node 2 knows a later configuration.
 */
WORLD(voter_does_not_vote_by_an_earlier_configuration)
{
	struct world *w = world_of(ALL);

	world_split(w, ID(1) | ID(3));
	w->processes[3].configs.refuses_later = true;
	world_run(w, BEAT);
	edit_members(w, 5, ALL & ~ID(1));
	world_run(w, SEC);
	edit_members(w, 5, ALL & ~ID(1) & ~ID(2));
	world_run(w, SEC);
	assert_int_equal(config_version_of(w, 5), 2);
	assert_int_equal(config_version_of(w, 2), 1);
	world_heal(w);
	world_split(w, THREE);
	world_run(w, 20 * SEC);
}

WORLD(host_without_memory_for_a_file_fetches_it_again)
{
	struct world *w = world_of(ALL);

	w->processes[1].configs.refuses_later = true;
	edit_lease(w, 5, LONGER);
	world_run(w, SEC);
	assert_int_equal(config_version_of(w, 2), 1);
	w->processes[1].configs.refuses_later = false;
	world_run(w, 50 * SEC);
	assert_int_equal(config_version_of(w, 1), 0);
	world_run(w, 10 * SEC);
	assert_int_equal(config_version_of(w, 1), 1);
}

/* The voters cannot keep the file with the longer lease. The leader, cut off
 * then, must not lead for so long. */
WORLD(voter_grants_no_longer_lease_than_its_own)
{
	struct world *w = world_of(ALL);

	for (process_name name = 1; name <= 4; name++)
		w->processes[name].configs.refuses_later = true;
	edit_lease(w, 5, LONGER);
	world_run(w, 3 * BEAT);
	assert_int_equal(config_version_of(w, 5), 1);
	world_split(w, ID(5));
	world_run(w, 20 * SEC);
}

/* The leader's lease by the earlier grants goes on. */
WORLD(shorter_lease_does_not_shorten_a_grant)
{
	struct world *w = world_of(ALL);

	edit_lease(w, 5, LONGER);
	world_run(w, SEC);
	edit_lease(w, 5, LEASE);
	world_run(w, 2 * BEAT);
	assert_int_equal(config_version_of(w, 1), 2);
	world_split(w, ID(5));
	world_run(w, 20 * SEC);
}

/* Likewise if the voters start anew. */
WORLD(shorter_lease_does_not_shorten_a_quarantine)
{
	struct world *w = world_of(ALL);

	edit_lease(w, 5, LONGER);
	world_run(w, LONGER + SEC);
	edit_lease(w, 5, LEASE);
	world_run(w, 2 * BEAT);
	world_split(w, ID(5));
	for (process_name name = 1; name <= 4; name++) {
		world_crash(w, name);
		world_start(w, name);
	}
	world_run(w, 20 * SEC);
}

/* The leader loses the lead because it stalled, and wins it again by the
 * shorter lease before its last deadline of the longer one. */
WORLD(leader_leads_again_before_a_deadline_of_a_longer_lease)
{
	struct world *w = world_of(ALL);
	nsec_t until;

	edit_lease(w, 5, LONGER);
	world_run(w, LONGER + SEC);
	w->clients.hold = 1000;
	edit_lease(w, 5, LEASE);
	world_run(w, 2 * BEAT);
	assert_int_equal(config_version_of(w, 1), 2);
	until = clock_world(
	    &w->processes[5].clock, w->processes[5].deadlines.handed);
	world_pause(w, 5);
	world_run(w, 5 * BEAT);
	world_resume(w, 5);
	assert_int_equal(world_status(w, 5).leader, NODE_NONE);
	assert_follows_within(w, 5, LEASE);
	world_run(w, BEAT);
	assert_true(w->now + LEASE < until);
	world_split(w, ID(5));
	world_run(w, 20 * SEC);
	assert_int_equal(world_status(w, 1).leader, 4);
}

/* The leader requests a later term of slow disks, and a node comes back that
 * has yet to take its configuration: nobody elects meanwhile, so it does not
 * hand over. */
WORLD(leader_goes_on_standby_while_it_requests_a_later_term)
{
	struct world *w = world_of(ALL);
	uint64_t term = world_status(w, 5).term;

	world_split(w, ID(1));
	edit_lease(w, 5, LONGER);
	world_run(w, SEC);
	make_disks_slow(w, ALL);
	for (process_name name = 2; name <= 5; name++)
		w->processes[name].disk.sync_always = 9 * BEAT;
	world_elect(w, 5);
	world_heal(w);
	world_run(w, 5 * BEAT);
	assert_true(world_status(w, 5).term == term);
	world_standby(w, 5, NSEC_NEVER);
	world_run(w, 5 * BEAT);
	assert_int_equal(world_status(w, 5).state, STATE_LEADER);
	assert_true(world_status(w, 5).term > term);
	world_run(w, 20 * SEC);
	assert_follows_within(w, 4, 0);
}

/* All disks take what is under way, and nothing after that. Gives whether any
 * node has yet to put the newest file into effect. */
static bool
stop_disks_behind_the_file(struct world *w)
{
	bool is_waited_for = false;

	for (process_name name = 1; name <= HOSTS; name++) {
		struct process *p = &w->processes[name];

		if (p->configs.rollout.is_writing)
			p->disk.sync_always = SLOW;
		is_waited_for |=
		    config_version_of(w, name) < w->files.newest.config_version;
	}
	return is_waited_for && !w->halted;
}

/* The disks of these hosts take no file, or take one again. */
static void
fill_disks(struct world *w, unsigned ids, bool are_full)
{
	for (process_name name = 1; name <= HOSTS; name++) {
		if (ids >> name & 1)
			w->processes[name].disk.is_full = are_full;
	}
}

/* The leader, the others, and all of them; each host has the newest file within
 * a few seconds of there being space, and nobody leaves the leader. */
TEST(full_disk_delays_a_change_and_nothing_else)
{
	static const unsigned full[] = { ID(5), ID(1) | ID(2), ALL };

	for (unsigned i = 0; i < sizeof(full) / sizeof(full[0]); i++) {
		struct world *w = world_of(ALL);

		fill_disks(w, full[i], true);
		edit_lease(w, 5, LEASE + SEC);
		world_run(w, 20 * SEC);
		for (process_name name = 1; name <= HOSTS; name++)
			assert_int_equal(config_version_of(w, name) == 1,
			    full[i] != ALL && full[i] != ID(5) &&
				!(full[i] >> name & 1));
		fill_disks(w, full[i], false);
		world_run(w, 3 * ROLLOUT_PAUSE);
		for (process_name name = 1; name <= HOSTS; name++)
			assert_int_equal(config_version_of(w, name), 1);
		assert_int_equal(w->processes[5].observed.seen.leader, 5);
		world_end(w);
	}
}

/* Node 5 starts for the first time, with a later file, and meets those that
 * do not lead before it meets the leader: their configuration takes the
 * place of its file, which it proposes then. */
WORLD(first_start_does_not_lose_a_later_file)
{
	struct world *w = world_of(THREE | ID(4));
	struct world_file file;

	world_run(w, 2 * LEASE);
	edit_members(w, 4, ALL);
	world_run(w, 5 * SEC);
	assert_int_equal(config_version_of(w, 1), 1);
	file = w->processes[4].configs.file;
	file.lease = LONGER;
	world_edit(w, &file);
	w->processes[5].configs.host_file = w->files.newest;
	world_forget(w, 5);
	world_cut(w, 4, 5);
	world_start(w, 5);
	assert_int_equal(config_version_of(w, 5), 2);
	world_run(w, SEC);
	assert_int_equal(config_version_of(w, 5), 1);
	world_heal(w);
	world_run(w, 20 * SEC);
	for (process_name name = 1; name <= HOSTS; name++)
		assert_int_equal(config_version_of(w, name), 2);
}

/* A start must know the longer lease, also by the file after that, which has
 * the shorter one again. The disks keep the files, but no state. */
WORLD(longer_lease_is_granted_once_it_is_durable)
{
	struct world *w = world_of(ALL);

	edit_lease(w, 5, LONGER);
	while (stop_disks_behind_the_file(w))
		world_step(w);
	world_run(w, BEAT / 2);
	for (process_name name = 1; name <= HOSTS; name++)
		w->processes[name].disk.sync_always = 0;
	edit_lease(w, 5, LEASE);
	world_run(w, 2 * BEAT);
	world_split(w, ID(5));
	for (process_name name = 1; name <= 4; name++) {
		w->processes[name].disk.is_syncing = false;
		world_crash(w, name);
		world_start(w, name);
	}
	world_run(w, 20 * SEC);
}

/* The voters that the step leaves behind are a majority of those before. */
WORLD(step_by_several_voters_is_not_taken)
{
	struct world *w = world_of(ALL);

	make_disks_slow(w, THREE);
	edit_members(w, 5, ID(4) | ID(5));
	world_run(w, 3 * BEAT);
	world_split(w, THREE);
	for (process_name name = 1; name <= 3; name++)
		w->processes[name].disk.sync_always = 0;
	world_run(w, 20 * SEC);
	assert_int_equal(config_version_of(w, 5), 0);
}
