/* SPDX-License-Identifier: ISC */
/*
 * Five hosts whose settings change under the guarantee "quorum", the voters one
 * by one (PROTOCOL.md, Changes of voters): in every order of the hosts, with
 * faults drawn from a seed, and with roll-outs that stop half-way. The world's
 * own checks see that no term comes again, and that no two nodes lead at once.
 * Takes 3 s.
 */
#include "tests/lib/often.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define HOSTS   5
#define ORDERS  120 /* of five hosts */
#define SEEDS   120
#define CHANGES 5
#define FOUND   20 /* seeds, any of which may show a host that forgets */
#define LONG    (60 * SEC)
#define ID(id)  (1u << (id))
#define THREE   (ID(1) | ID(2) | ID(3))
#define ALL     (THREE | ID(4) | ID(5))

static struct random random_;
static bool has_failed;

static bool
one_in(unsigned n)
{
	return random_below(&random_, n) == 0;
}

static process_name
any_host(void)
{
	return (process_name)random_between(&random_, 1, HOSTS);
}

/* Gives the process that leads; 0: none does. */
static process_name
leader_of(struct world *w)
{
	for (process_name name = 1; name <= HOSTS; name++) {
		if (world_runs(w, name) && !w->processes[name].paused &&
		    world_status(w, name).state == STATE_LEADER)
			return name;
	}
	return 0;
}

static bool
has_leader(struct world *w)
{
	return leader_of(w) != 0;
}

static bool
is_voter(const struct world *w, node_id id)
{
	return w->files.newest.members >> id & 1;
}

/* True if a leader, and all that run of those that the operator's file names,
 * have what it says. */
static bool
is_in_effect(struct world *w)
{
	for (process_name name = 1; name <= HOSTS; name++) {
		if (is_voter(w, name) && world_runs(w, name) &&
		    node_config_id(w->processes[name].node)->config_version !=
			w->files.newest.config_version)
			return false;
	}
	return has_leader(w) && is_voter(w, leader_of(w));
}

static void
await_effect(struct world *w)
{
	if (!world_run_until(w, is_in_effect, LONG))
		world_fails_case(w, "a roll-out does not end");
}

/* A cluster of these members, which run; the others do not yet. */
static struct world *
world_of(unsigned members, struct world_setup setup)
{
	struct world *w;

	setup.nodes = HOSTS;
	setup.guarantee = GUARANTEE_QUORUM;
	w = world_with(setup);
	w->files.newest.members = members;
	world_exchange(w);
	for (process_name name = 1; name <= HOSTS; name++) {
		if (is_voter(w, name))
			world_start(w, name);
	}
	world_settle(w);
	return w;
}

/* The operator goes on from what is in effect: the latest of that. */
static struct world_file
latest_file(const struct world *w)
{
	const struct process *latest = &w->processes[1];

	for (process_name name = 2; name <= HOSTS; name++) {
		const struct process *p = &w->processes[name];

		if (config_id_compare(
			&p->configs.config_id, &latest->configs.config_id) > 0)
			latest = p;
	}
	return latest->configs.file;
}

static void
edit_members(struct world *w, unsigned members)
{
	struct world_file file = latest_file(w);

	file.members = members;
	world_edit(w, &file);
}

/* A host gets the newest file; a new one starts with it. */
static void
reload(struct world *w, process_name name)
{
	world_reload(w, name);
	if (is_voter(w, name) && !world_runs(w, name))
		world_start(w, name);
}

static void
reload_all(struct world *w)
{
	for (process_name name = 1; name <= HOSTS; name++)
		reload(w, name);
}

/* Gives the order of the five hosts that has this number. */
static void
order_of(unsigned number, node_id order[HOSTS])
{
	node_id left[HOSTS] = { 1, 2, 3, 4, 5 };

	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned taken = number % (HOSTS - i);

		order[i] = left[taken];
		left[taken] = left[HOSTS - i - 1];
		number /= HOSTS - i;
	}
}

/* A script goes on at once, and an operator waits until all have settled. */
static void
change_in_order(const node_id order[HOSTS], bool is_script)
{
	static const unsigned steps[] = { THREE | ID(4), ALL, ALL & ~ID(5),
		ALL & ~ID(5) & ~ID(1) };
	struct world *w = world_of(THREE, (struct world_setup){ .seed = 1 });

	for (unsigned step = 0; step < 4; step++) {
		edit_members(w, steps[step]);
		for (unsigned i = 0; i < HOSTS; i++) {
			reload(w, order[i]);
			world_run(w, is_script ? 5 * MSEC : SEC);
		}
		await_effect(w);
	}
	world_settle(w);
	assert_int_equal(leader_of(w), 4);
	assert_int_equal(latest_file(w).members, steps[3]);
	world_end(w);
}

TEST(voters_change_one_by_one_in_every_order_of_the_hosts)
{
	node_id order[HOSTS];
	unsigned count = often(ORDERS);

	for (unsigned i = 0; i < count; i++) {
		order_of(i * (ORDERS / count), order);
		change_in_order(order, i % 2 == 0);
	}
}

/* The hosts at one place are cut off, and their power fails for a moment. */
static void
fail_power(struct world *w)
{
	unsigned place = (unsigned)random_below(&random_, ALL);

	world_split(w, place);
	for (process_name name = 1; name <= HOSTS; name++) {
		if (!(place >> name & 1) || !world_runs(w, name))
			continue;
		world_crash(w, name);
		world_start(w, name);
	}
	world_run(w, 6 * SEC);
}

/* Something happens to one of the hosts, or to the network. */
static void
disturb(struct world *w)
{
	process_name name = any_host();

	switch (random_below(&random_, 8)) {
	case 0:
		world_crash(w, name);
		break;
	case 1:
		world_crash_after(
		    w, name, (unsigned)random_below(&random_, 30));
		break;
	case 2:
		world_split(w, (unsigned)random_below(&random_, ALL));
		break;
	case 3:
		world_heal(w);
		break;
	case 4:
		if (name != leader_of(w))
			world_stop(w, name);
		break;
	case 5:
		if (world_runs(w, name))
			world_elect(w, name);
		break;
	case 6:
		fail_power(w);
		break;
	default:
		if (is_voter(w, name) || one_in(2))
			world_start(w, name);
		break;
	}
	world_run(w, random_below(&random_, one_in(2) ? SEC : 100 * MSEC));
}

/* One voter more or less, of three at least; it reaches some hosts only. */
static void
roll_out(struct world *w)
{
	unsigned members = latest_file(w).members ^ ID(any_host());
	unsigned count = 0;

	for (unsigned bits = members; bits != 0; bits &= bits - 1)
		count++;
	if (count < 3)
		return;
	edit_members(w, members);
	for (unsigned i = 0; i < HOSTS; i++) {
		if (one_in(2))
			reload(w, any_host());
		if (one_in(3))
			disturb(w);
	}
}

static void
go_through_changes(struct world *w, uint64_t seed)
{
	random_init(&random_, seed);
	for (unsigned i = 0; i < CHANGES; i++) {
		roll_out(w);
		disturb(w);
		world_run(w, random_below(&random_, 6 * SEC));
	}
}

/* In the end all hosts are well, and get one more file. */
TEST(voters_that_change_amid_faults_take_no_term_twice)
{
	unsigned count = often(SEEDS);

	for (uint64_t seed = 1; seed <= count; seed++) {
		struct world *w =
		    world_of(THREE, (struct world_setup){ .seed = seed });

		go_through_changes(w, seed);
		world_heal(w);
		world_start_all(w);
		if (!world_run_until(w, has_leader, LONG))
			world_fails_case(w, "nobody leads");
		world_run(w, 10 * SEC);
		edit_members(w, latest_file(w).members);
		reload_all(w);
		await_effect(w);
		world_settle(w);
		world_end(w);
	}
}

/* The world halts. */
static void
note_failure(struct world *w, const char *why)
{
	(void)w;
	(void)why;
	has_failed = true;
}

/* All have become voters in calm. Then places are cut off, where the power
 * fails, or not. */
static void
fail_often(uint64_t seed, bool is_forgetful)
{
	struct world *w = world_of(THREE, (struct world_setup){ .seed = seed });

	random_init(&random_, seed);
	w->files.are_lost = is_forgetful;
	w->setup.failed = note_failure;
	for (node_id id = 4; id <= HOSTS; id++) {
		edit_members(w, latest_file(w).members | ID(id));
		reload_all(w);
		world_run(w, 2 * SEC);
	}
	for (unsigned i = 0; i < CHANGES; i++) {
		fail_power(w);
		world_heal(w);
		world_run(w, 3 * SEC);
	}
	world_end(w);
}

/* Such a host goes back to an earlier configuration, and votes for leaders
 * of that. */
TEST(hosts_that_forget_their_configurations_are_found_out)
{
	has_failed = false;
	for (uint64_t seed = 1; seed <= FOUND; seed++)
		fail_often(seed, false);
	assert_false(has_failed);
	for (uint64_t seed = 1; seed <= FOUND && !has_failed; seed++)
		fail_often(seed, true);
	assert_true(has_failed);
}

/* Asserts that nothing of a file comes into effect, and that nobody minds. */
static void
assert_is_refused(struct world *w, const struct world_file *file)
{
	const uint32_t config_version = latest_file(w).config_version;
	uint64_t accessions = w->counters.accessions;
	process_name leader = leader_of(w);

	world_edit(w, file);
	for (process_name name = 1; name <= HOSTS; name++)
		reload(w, name);
	world_run(w, 3 * LONG); /* it may be fetched more than once */
	assert_int_equal(latest_file(w).config_version, config_version);
	assert_int_equal(leader_of(w), leader);
	assert_int_equal(w->counters.accessions, accessions);
}

TEST(file_with_more_than_one_voter_changed_is_refused)
{
	static const unsigned members[] = { ALL, ID(3), ID(2) | ID(3) | ID(4),
		ID(1) | ID(4) | ID(5) };

	for (unsigned i = 0; i < 4; i++) {
		struct world *w =
		    world_of(THREE, (struct world_setup){ .seed = i + 1 });
		struct world_file file = latest_file(w);

		file.members = members[i];
		assert_is_refused(w, &file);
		/* A later file that changes less is not. */
		edit_members(w, THREE | ID(5));
		reload_all(w);
		await_effect(w);
		world_settle(w);
		assert_int_equal(leader_of(w), 5);
		world_end(w);
	}
}

/* The observer may have forgotten what it promised when it was a voter. */
WORLD(file_that_lets_an_observer_vote_is_refused)
{
	struct world *w = world_of(ALL, (struct world_setup){ .seed = 1 });
	struct world_file file = latest_file(w);

	file.voters &= ~ID(2);
	world_edit(w, &file);
	world_reload(w, 2);
	await_effect(w);
	file.voters |= ID(2);
	assert_is_refused(w, &file);
	file.voters &= ~ID(2);
	file.members &= ~ID(2);
	world_edit(w, &file);
	world_reload(w, 1);
	await_effect(w);
	file.members = file.voters = ALL;
	world_edit(w, &file);
	world_reload(w, 1);
	await_effect(w);
	assert_settles_on(w, 5);
}

TEST(leader_that_a_file_removes_hands_over)
{
	for (process_name host = 1; host < HOSTS; host++) {
		struct world *w =
		    world_of(ALL, (struct world_setup){ .seed = host });
		uint64_t accessions = w->counters.accessions;

		assert_leader(w, 5);
		edit_members(w, ALL & ~ID(5));
		reload(w, host);
		await_effect(w);
		world_settle(w);
		assert_int_equal(leader_of(w), 4);
		assert_int_equal(w->counters.accessions, accessions + 1);
		assert_int_equal(world_status(w, 5).leader, NODE_NONE);
		world_run(w, LONG);
		assert_int_equal(w->counters.accessions, accessions + 1);
		world_end(w);
	}
}

/* The old leader abstains while the next leader makes it an observer, and
 * stands after that: its settings say what it may do then. */
WORLD(leader_that_a_file_makes_an_observer_hands_over)
{
	struct world *w = world_of(ALL, (struct world_setup){ .seed = 1 });
	uint64_t accessions = w->counters.accessions;
	struct world_file file = latest_file(w);

	file.voters &= ~ID(5);
	world_edit(w, &file);
	reload(w, 1);
	await_effect(w);
	assert_settles_on(w, 4);
	assert_int_equal(w->counters.accessions, accessions + 1);
	assert_int_equal(world_status(w, 5).voters, 4);
}

WORLD(member_that_was_away_joins_and_deposes_nobody)
{
	struct world *w = world_of(ALL, (struct world_setup){ .seed = 1 });
	struct world_file file = latest_file(w);
	uint64_t accessions;

	world_crash(w, 2);
	for (unsigned i = 0; i < 4; i++) {
		file.members ^= ID(3); /* it goes and comes */
		file.lease = (4 - i) * SEC;
		file.priorities[2] = 7 * (i == 2);
		world_edit(w, &file);
		reload(w, 1);
		await_effect(w);
		world_settle(w);
	}
	assert_int_equal(leader_of(w), 5);
	accessions = w->counters.accessions;
	world_start(w, 2);
	assert_settles_on(w, 5);
	assert_int_equal(w->counters.accessions, accessions);
	assert_int_equal(node_config_id(w->processes[2].node)->config_version,
	    w->files.newest.config_version);
}

/* Gives how long nobody led, until the file is in effect and all is calm. */
static nsec_t
time_without_leader(struct world *w)
{
	nsec_t until = nsec_after(w->now, 20 * SEC), sum = 0;

	while (w->now < until) {
		nsec_t before = w->now;
		bool had = has_leader(w);

		if (!world_step(w))
			break;
		sum += had ? 0 : w->now - before;
	}
	assert_true(is_in_effect(w));
	return sum;
}

static void
assert_calm_change(
    struct world *w, const struct world_file *file, unsigned handovers)
{
	uint64_t accessions = w->counters.accessions;

	world_edit(w, file);
	reload(w, 1 + w->files.newest.config_version % 3);
	assert_in_range(time_without_leader(w), 0, handovers * 100 * MSEC);
	assert_int_equal(w->counters.accessions, accessions + handovers);
}

WORLD(calm_cluster_has_a_leader_through_all_changes)
{
	struct world *w = world_of(ALL, (struct world_setup){ .seed = 1 });
	struct world_file file = latest_file(w);

	file.heartbeat = 20 * MSEC;
	assert_calm_change(w, &file, 0);
	file.lease = 5 * SEC;
	assert_calm_change(w, &file, 0);
	file.lease = SEC;
	file.heartbeat = 100 * MSEC;
	assert_calm_change(w, &file, 0);
	file.misses = 7;
	assert_calm_change(w, &file, 0);
	for (unsigned i = 1; world_algorithm(w, i) != NULL; i++) {
		if (world_edit_algorithm(w, &file, i))
			assert_calm_change(w, &file, 0);
	}
	assert_true(world_edit_algorithm(w, &file, 0));
	file.members &= ~ID(4);
	assert_calm_change(w, &file, 0);
	file.members |= ID(4);
	assert_calm_change(w, &file, 0);
	file.priorities[2] = 7;
	assert_calm_change(w, &file, 1);
	assert_leader(w, 2);
	file.members &= ~ID(2);
	assert_calm_change(w, &file, 1);
	assert_int_equal(leader_of(w), 5);
}
