/* SPDX-License-Identifier: ISC */
/*
 * Voters that come back with less than they knew after the voters of the
 * cluster have changed (PROTOCOL.md, Admission). Node 3 was away through all
 * changes, and node 1 has forgotten them: by what node 3 knows the two are a
 * majority. The world's own checks see that no two nodes lead at once, and that
 * no term comes again. Each kind of memory that must not count has a world in
 * which it does, and in which those checks fail.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define HOSTS  5
#define LEASE  (2 * SEC)
#define LONG   (60 * SEC)
#define ID(id) (1u << (id))
#define PAIR   (ID(1) | ID(3))
#define THREE  (PAIR | ID(2))
#define ALL    (THREE | ID(4) | ID(5))

/* What node 1 has when it starts again. */
enum memory {
	MEMORY_LOST,   /* no state file */
	MEMORY_NEWEST, /* one that was made by hand, and the newest file */
	MEMORY_FIRST,  /* the same, and the first file */
};

/* When node 3 starts, the others of the cluster have no power, or they are on
 * the other side of a cut. */
enum away {
	AWAY_CUT,
	AWAY_POWER,
};

static bool has_failed;

/* The world halts. */
static void
note_failure(struct world *w, const char *why)
{
	(void)w;
	(void)why;
	has_failed = true;
}

/* A settled cluster of nodes 1 to 3, led by the last, whose configuration is
 * stamped. */
static struct world *
three(void)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = HOSTS,
	    .guarantee = GUARANTEE_QUORUM,
	    .lease = LEASE,
	});

	has_failed = false;
	w->files.newest.members = THREE;
	world_exchange(w);
	for (process_name name = 1; name <= 3; name++)
		world_start(w, name);
	world_settle(w);
	world_run(w, 2 * LEASE);
	assert_leader(w, 3);
	assert_int_not_equal(w->processes[3].configs.kept.config_term, 0);
	return w;
}

/* True if all members that run have the newest file, and one of them leads. */
static bool
is_in_effect(struct world *w)
{
	bool is_led = false;

	for (process_name name = 1; name <= HOSTS; name++) {
		if (!(w->files.newest.members >> name & 1) ||
		    !world_runs(w, name))
			continue;
		if (w->processes[name].configs.file.config_version !=
		    w->files.newest.config_version)
			return false;
		is_led |= world_status(w, name).state == STATE_LEADER;
	}
	return is_led;
}

/* The operator goes on from what node 2 has, and brings the file to all members
 * but node 3. */
static void
change_to(struct world *w, unsigned members)
{
	struct world_file file = w->processes[2].configs.file;

	file.members = members;
	world_edit(w, &file);
	for (process_name name = 1; name <= HOSTS; name++) {
		if (!(members >> name & 1) || name == 3)
			continue;
		world_reload(w, name);
		if (!world_runs(w, name))
			world_start(w, name);
	}
	if (!world_run_until(w, is_in_effect, LONG))
		world_fails_case(w, "a change does not come into effect");
	world_settle(w);
}

/* Node 3 goes, is removed, and listed again. Nodes 2, 4 and 5 are a majority of
 * the voters in the end. */
static struct world *
changed_without_node_3(void)
{
	struct world *w = three();

	world_crash(w, 3);
	world_settle(w);
	change_to(w, ID(1) | ID(2));
	change_to(w, ID(1) | ID(2) | ID(4));
	change_to(w, THREE | ID(4));
	change_to(w, ALL);
	assert_int_equal(w->processes[3].configs.kept.members, THREE);
	return w;
}

/* Node 1 loses its disk. What is made by hand has an incarnation by the wall
 * clock. */
static void
forget(struct world *w, enum memory memory, const struct world_file *first)
{
	struct process *p = &w->processes[1];

	world_crash(w, 1);
	world_forget(w, 1);
	assert_true(p->disk.is_lost);
	world_settle(w);
	if (memory == MEMORY_LOST)
		return;
	p->disk.is_lost = false;
	p->disk.durable.incarnation = w->now / MSEC + 1000;
	if (memory == MEMORY_FIRST)
		p->configs.kept = p->configs.host_file = *first;
}

/* Nodes 1 and 3 are alone with each other from now on. */
static void
leave_alone(struct world *w, enum away away)
{
	world_split(w, PAIR);
	for (process_name name = 1; name <= HOSTS; name++) {
		if (away == AWAY_POWER && !(PAIR >> name & 1))
			world_crash(w, name);
	}
	if (!world_runs(w, 1))
		world_start(w, 1);
	world_start(w, 3);
	world_run(w, 20 * SEC);
}

static void
assert_nobody_leads_them(struct world *w)
{
	assert_int_equal(world_status(w, 1).leader, NODE_NONE);
	assert_int_equal(world_status(w, 3).leader, NODE_NONE);
}

/* Node 1 is with the others for so long before it is alone with node 3. */
static void
lose_disk(enum memory memory, enum away away, nsec_t with_others)
{
	struct world *w = changed_without_node_3();
	const struct world_file first = w->processes[3].configs.host_file;

	forget(w, memory, &first);
	if (with_others > 0) {
		world_start(w, 1);
		world_run(w, with_others);
	}
	leave_alone(w, away);
	assert_nobody_leads_them(w);
	if (away == AWAY_CUT)
		assert_int_equal(world_status(w, 5).state, STATE_LEADER);
	world_heal(w);
	world_start_all(w);
	assert_settles_on(w, 5);
	assert_true(world_status(w, 1).has_vote);
	assert_int_equal(w->counters.admitted, memory == MEMORY_LOST);
	world_end(w);
}

TEST(voter_without_its_disk_elects_nobody_by_voters_of_long_ago)
{
	lose_disk(MEMORY_LOST, AWAY_CUT, 0);
	lose_disk(MEMORY_LOST, AWAY_POWER, 0);
}

/* Some of them are cut off before a leader admits it, and some after that. */
TEST(voter_that_is_being_admitted_elects_nobody_by_voters_of_long_ago)
{
	for (nsec_t t = 100 * MSEC; t < 4 * LEASE; t += 300 * MSEC)
		lose_disk(MEMORY_LOST,
		    t % (200 * MSEC) == 0 ? AWAY_CUT : AWAY_POWER, t);
}

/* An operator has made its state for it, which nobody should. */
TEST(voter_made_by_hand_grants_nothing_below_its_file)
{
	lose_disk(MEMORY_NEWEST, AWAY_CUT, 0);
	lose_disk(MEMORY_NEWEST, AWAY_POWER, 0);
}

/* The first file is that of the configuration of node 3. */
TEST(voter_made_by_hand_with_the_first_file_is_found_out)
{
	static const enum away ways[] = { AWAY_CUT, AWAY_POWER };

	for (unsigned i = 0; i < 2; i++) {
		struct world *w = changed_without_node_3();
		const struct world_file first =
		    w->processes[3].configs.host_file;

		forget(w, MEMORY_FIRST, &first);
		w->setup.failed = note_failure;
		leave_alone(w, ways[i]);
		assert_true(has_failed);
		world_end(w);
	}
}

/* Node 3, cut off, takes a step to nodes 1 and 3, of a config version far
 * ahead, and goes. The others change their voters without it. Then an
 * operator puts a file in the place of the configuration of node 1 alone. */
static struct world *
adopted_at_node_1(void)
{
	struct world *w = three();
	struct world_file file = w->processes[3].configs.file;

	world_split(w, ID(3));
	file.members = PAIR;
	w->files.newest.config_version = 8;
	world_edit(w, &file);
	world_reload(w, 3);
	world_run(w, 100 * MSEC);
	assert_int_equal(w->processes[3].configs.kept.members, PAIR);
	world_crash(w, 3);
	world_heal(w);
	world_settle(w);
	w->files.newest.config_version = 0;
	change_to(w, ID(1) | ID(2));
	change_to(w, ID(1) | ID(2) | ID(4));
	world_crash(w, 1);
	file = w->processes[2].configs.file;
	file.members = THREE | ID(4);
	world_edit(w, &file);
	world_adopt(w, 1);
	return w;
}

WORLD(file_in_the_place_of_a_configuration_goes_behind_none)
{
	struct world *w = adopted_at_node_1();

	leave_alone(w, AWAY_CUT);
	assert_nobody_leads_them(w);
	assert_int_equal(world_status(w, 4).state, STATE_LEADER);
	world_heal(w);
	if (!world_run_until(w, is_in_effect, LONG))
		world_fails_case(w, "the file does not come into effect");
	assert_true(world_status(w, 1).has_vote);
}

WORLD(file_that_forgets_the_config_term_before_it_is_found_out)
{
	struct world *w = adopted_at_node_1();

	w->processes[1].disk.durable.config_id.config_term = 0;
	w->setup.failed = note_failure;
	leave_alone(w, AWAY_CUT);
	assert_true(has_failed);
}
