/* SPDX-License-Identifier: ISC */
/*
 * A start and the state file: under quorum a start never makes one, and says
 * how far it can be trusted; under component it makes a missing one.
 */
#include "common/config/config_encode.h"
#include "tests/lib/store_home.h"
#include "tests/unit/group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon/state/store_start.h"
#include "tests/lib/capture.h"

static const char text[] = "cluster = \"web\"; guarantee = \"%s\";\n"
			   "algorithm = \"bully\"; id = 3;\n"
			   "config_version = %u;\n"
			   "nodes = ({ id = 1; address = \"192.0.2.1:1\"; },\n"
			   "{ id = 3; address = \"192.0.2.3:1\";\n"
			   "  role = \"%s\"; });\n"
			   "timing = { lease = \"5s\"; };\n"
			   "security = { key_file = \"/k\"; };\n"
			   "state_dir = \"./here\";\n";

/* The settings that cases change. */
static struct {
	unsigned config_version;
	uint64_t config_term;
	const char *role;
} conf;

static int
enter(void **state)
{
	conf.config_version = 0;
	conf.config_term = 0;
	conf.role = "candidate";
	return store_home_enter(state);
}

static struct settings *
settings_of(enum guarantee guarantee)
{
	char copy[sizeof(text) + 64];
	struct settings *settings;

	snprintf(copy, sizeof(copy), text, guarantee_words[guarantee],
	    conf.config_version, conf.role);
	settings = settings_parse("web.conf", copy, NODE_NONE, stderr);
	assert_non_null(settings);
	settings->shared.config_term = conf.config_term;
	return settings;
}

/* Starts, as far as the state is concerned, and ends. */
static int
start(enum guarantee guarantee, struct node_setup *setup)
{
	struct settings *settings = settings_of(guarantee);
	struct store *store = NULL;
	int error;

	*setup = (struct node_setup){ 0 };
	error = store_recall(settings, setup, &store);
	store_close(store);
	settings_free(settings);
	return error;
}

static struct node_setup
started(
    enum guarantee guarantee, enum state_health memory, uint64_t incarnation)
{
	struct node_setup setup;

	assert_int_equal(start(guarantee, &setup), 0);
	assert_int_equal(setup.state_health, memory);
	assert_true(setup.durable.incarnation == incarnation);
	return setup;
}

/* By the wall clock, a node is above all lives of it that are lost. */
static struct node_setup
started_lost(void)
{
	uint64_t before = (uint64_t)time(NULL);
	struct node_setup setup;

	assert_int_equal(start(GUARANTEE_QUORUM, &setup), 0);
	assert_int_equal(setup.state_health, STATE_HEALTH_LOST);
	assert_in_range(setup.durable.incarnation / INCARNATION_STRIDE, before,
	    before + 60);
	assert_int_equal(setup.durable.promise.term, 0);
	return setup;
}

static int
init(enum guarantee guarantee)
{
	struct settings *settings = settings_of(guarantee);
	int status = store_init(settings);

	settings_free(settings);
	return status;
}

/* Makes the file of a voter with the present configuration. */
static void
make(uint64_t incarnation)
{
	struct durable_state record = store_home_record(incarnation);
	struct settings *settings = settings_of(GUARANTEE_QUORUM);
	struct store *store = store_home_open();

	record.config_id = config_identify(&settings->shared);
	assert_int_equal(store_create(store, &record, true), 0);
	store_close(store);
	settings_free(settings);
}

static void
damage(size_t at, size_t size)
{
	int file = open(STORE_STATE, O_WRONLY);

	assert_true(file >= 0);
	while (size-- > 0)
		assert_int_equal(pwrite(file, "!", 1, (off_t)at++), 1);
	close(file);
}

#define START_CASE(name) TEST(name, enter, store_home_leave)

START_CASE(quorum_makes_nothing_by_itself)
{
	struct node_setup setup;

	setup = started_lost();
	setup = started_lost();
	assert_int_equal(setup.durable.term, 0);
	assert_int_equal(setup.durable.promise.term, 0);
	assert_int_equal(access(STORE_STATE, F_OK), -1);
}

/* A later life of the node, or a new file, begins above an earlier one. */
START_CASE(an_operator_makes_the_state_once)
{
	struct node_setup setup;
	uint64_t now = (uint64_t)time(NULL);

	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	assert_int_equal(start(GUARANTEE_QUORUM, &setup), 0);
	assert_int_equal(setup.state_health, STATE_HEALTH_SOUND);
	assert_in_range(setup.durable.incarnation,
	    (now + 1) * INCARNATION_STRIDE, (now + 20) * INCARNATION_STRIDE);
	assert_int_equal(setup.durable.term, 0);
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND,
	    setup.durable.incarnation + INCARNATION_STRIDE);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND,
	    setup.durable.incarnation + 2 * INCARNATION_STRIDE);
}

START_CASE(a_start_keeps_all_that_was_promised)
{
	struct durable_state had = store_home_record(70);
	struct node_setup setup;

	make(70);
	setup = started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + INCARNATION_STRIDE);
	assert_true(setup.durable.term == had.term);
	assert_true(setup.durable.promise.term == had.promise.term);
	assert_int_equal(setup.durable.promise.owner.id, had.promise.owner.id);
	assert_true(setup.durable.promise.owner.incarnation ==
		    had.promise.owner.incarnation);
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 2 * INCARNATION_STRIDE);
}

/* A candidate that an earlier process granted relies on the lease of that
 * time. */
START_CASE(the_longer_lease_is_kept)
{
	struct durable_state record;
	struct store *store;

	make(1);
	assert_true(started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND,
			1 + INCARNATION_STRIDE)
			.durable.lease == 5 * SEC);
	store = store_home_open();
	record = store_found(store)->slot.durable;
	record.incarnation = 4;
	record.lease = 9 * SEC;
	assert_int_equal(store_write(store, &record), 0);
	store_close(store);
	assert_true(started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND,
			4 + INCARNATION_STRIDE)
			.durable.lease == 9 * SEC);
	assert_true(started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND,
			4 + 2 * INCARNATION_STRIDE)
			.durable.lease == 9 * SEC);
}

START_CASE(one_rotten_copy_is_mended)
{
	struct store *store;

	make(1);
	damage(SLOT_BYTES + 20, 5);
	store = store_home_open();
	assert_non_null(store_found(store)->flaw);
	store_close(store);
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 1 + INCARNATION_STRIDE);
	store = store_home_open();
	assert_null(store_found(store)->flaw);
	store_close(store);
}

/* Neither a start nor --init-cluster touches a file that may still be of
 * use. */
START_CASE(damaged_file_is_left_as_it_is)
{
	struct store *store;

	make(1);
	damage(20, 1);
	damage(SLOT_BYTES + 20, 1);
	started_lost();
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
	assert_int_equal(truncate(STORE_STATE, 100), 0);
	started_lost();
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
	store = store_home_open();
	assert_string_equal(store_found(store)->problem, "wrong size");
	store_close(store);
	assert_int_equal(unlink(STORE_STATE), 0);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
}

START_CASE(an_old_copy_stays_revoked)
{
	struct durable_state record = { .incarnation = 4, .is_revoked = true };
	struct store *store;

	make(1);
	store = store_home_open();
	assert_int_equal(store_write(store, &record), 0);
	store_close(store);
	assert_true(started(
	    GUARANTEE_QUORUM, STATE_HEALTH_REVOKED, 4 + INCARNATION_STRIDE)
			.durable.is_revoked);
	assert_true(started(
	    GUARANTEE_QUORUM, STATE_HEALTH_REVOKED, 4 + 2 * INCARNATION_STRIDE)
			.durable.is_revoked);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
}

/* An observer that starts with this record, or with what there is, and whose
 * settings get `config_term` and make it a voter. */
static enum state_health
becomes_a_voter(const struct durable_state *record, uint64_t config_term)
{
	struct node_setup setup = { 0 };
	struct settings *settings;
	struct store *store = store_home_open();
	enum state_health health;

	if (record != NULL)
		assert_int_equal(store_write(store, record), 0);
	store_close(store);
	conf.role = "observer";
	settings = settings_of(GUARANTEE_QUORUM);
	assert_int_equal(store_recall(settings, &setup, &store), 0);
	assert_int_equal(setup.state_health, STATE_HEALTH_SOUND);
	settings_free(settings);
	conf.role = "voter";
	conf.config_term = config_term;
	settings = settings_of(GUARANTEE_QUORUM);
	health = store_judge(settings, store);
	settings_free(settings);
	store_close(store);
	return health;
}

START_CASE(an_observer_that_becomes_a_voter_is_judged_as_one)
{
	struct durable_state record = { .incarnation = 4 };

	make(1);
	assert_int_equal(becomes_a_voter(&record, 9), STATE_HEALTH_SOUND);
	record.config_id.config_term = 10;
	assert_int_equal(becomes_a_voter(&record, 9), STATE_HEALTH_CHANGED);
	assert_int_equal(becomes_a_voter(&record, 11), STATE_HEALTH_SOUND);
	record.is_revoked = true;
	assert_int_equal(becomes_a_voter(&record, 11), STATE_HEALTH_REVOKED);
	damage(0, STORE_BYTES);
	assert_int_equal(becomes_a_voter(NULL, 11), STATE_HEALTH_LOST);
}

START_CASE(a_disk_that_takes_no_write_costs_the_vote)
{
	struct node_setup setup;

	make(1);
	store_home_limit(0);
	assert_int_equal(start(GUARANTEE_QUORUM, &setup), 0);
	store_home_limit(RLIM_INFINITY);
	assert_int_equal(setup.state_health, STATE_HEALTH_FAILED);
	assert_true(setup.durable.incarnation == 2);
	assert_int_equal(store_home_remembered(), 1);
}

/* A file of component that has reached this term. */
static void
make_component(uint64_t incarnation, uint64_t term)
{
	struct durable_state record = store_home_record(incarnation);
	struct store *store;

	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 1);
	store = store_home_open();
	record.term = term;
	assert_int_equal(store_write(store, &record), 0);
	store_close(store);
}

START_CASE(component_makes_its_own_and_keeps_its_term)
{
	make_component(1, 8);
	assert_int_equal(
	    started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 2).durable.term,
	    8);
	damage(0, STORE_BYTES);
	assert_int_equal(
	    started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 1).durable.term,
	    0);
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 2);
	assert_int_equal(init(GUARANTEE_COMPONENT), EXIT_FAILURE);
}

START_CASE(component_needs_its_incarnation_kept)
{
	struct node_setup setup;

	store_home_limit(0);
	assert_int_equal(start(GUARANTEE_COMPONENT, &setup), -EFBIG);
	store_home_limit(RLIM_INFINITY);
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 1);
	store_home_limit(0);
	assert_int_equal(start(GUARANTEE_COMPONENT, &setup), -EFBIG);
	store_home_limit(RLIM_INFINITY);
}

/* Else a start under the other guarantee would repair a damaged file. */
START_CASE(state_that_component_made_does_not_vote)
{
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 1);
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 2);
	started_lost();
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 2 + INCARNATION_STRIDE);
	started(
	    GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 3 + INCARNATION_STRIDE);
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 3 + 2 * INCARNATION_STRIDE);
}

/* The file on the disk now. */
static struct durable_state
kept(void)
{
	struct store *store = store_home_open();
	struct durable_state record = store_found(store)->slot.durable;

	assert_null(store_found(store)->problem);
	store_close(store);
	return record;
}

/* The voter keeps its earlier promise, and never goes back. */
START_CASE(a_voter_goes_on_to_a_later_configuration)
{
	struct durable_state had = store_home_record(70);
	struct node_setup setup;

	make(70);
	conf.config_term = 5;
	conf.config_version = 2;
	setup = started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + INCARNATION_STRIDE);
	assert_true(setup.durable.promise.term == had.promise.term);
	assert_int_equal(kept().config_id.config_version, 2);
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 2 * INCARNATION_STRIDE);
	conf.config_term = 9;
	conf.config_version = 1;
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 3 * INCARNATION_STRIDE);
	assert_int_equal(kept().config_id.config_term, 9);
	assert_int_equal(kept().config_id.config_version, 1);
}

/* An operator changes any number of voters, all daemons stopped. */
START_CASE(a_later_file_takes_the_place_of_a_configuration)
{
	const struct durable_state had = store_home_record(70);
	struct node_setup setup;

	conf.config_term = 9;
	conf.config_version = 2;
	make(70);
	conf.config_term = 0;
	conf.config_version = 3;
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	assert_int_equal(kept().config_id.config_term, 9); /* none lower
							    * follows */
	assert_int_equal(kept().config_id.config_version, 3);
	assert_true(kept().promise.term == had.promise.term);
	assert_int_equal(unlink("here/web-3.settings"), 0);
	setup = started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + INCARNATION_STRIDE);
	assert_int_equal(setup.durable.config_id.config_term, 9);
	assert_int_equal(kept().config_id.config_term, 9);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	conf.config_version = 4;
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	assert_int_equal(kept().config_id.config_term, 9);
	assert_int_equal(unlink("here/web-3.settings"), 0);
	conf.config_term = 12;
	setup = started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 2 * INCARNATION_STRIDE);
	assert_int_equal(setup.durable.config_id.config_term, 12);
}

/* The voter may have forgotten who votes. What it promised stays. */
START_CASE(a_voter_whose_configuration_is_lost_has_no_vote)
{
	const struct durable_state had = store_home_record(70);

	conf.config_term = 9;
	conf.config_version = 2;
	make(70);
	for (unsigned i = 1; i <= 3; i++) {
		struct node_setup setup;

		conf.config_term = i == 1 ? 9 : i == 2 ? 8 : 0;
		conf.config_version = i == 2 ? 2 : 1;
		setup = started(GUARANTEE_QUORUM, STATE_HEALTH_CHANGED,
		    70 + i * INCARNATION_STRIDE);
		assert_true(setup.durable.promise.term == had.promise.term);
		assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
		assert_int_equal(kept().config_id.config_term, 9);
		assert_int_equal(kept().config_id.config_version, 2);
		assert_true(kept().promise.term == had.promise.term);
	}
	conf.config_term = 9;
	conf.config_version = 2;
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 4 * INCARNATION_STRIDE);
}

/* A voter that has learned a later configuration votes in no earlier one. */
START_CASE(an_observer_knows_the_configuration_too)
{
	make(70);
	conf.config_version = 2;
	conf.role = "observer";
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + INCARNATION_STRIDE);
	conf.config_version = 0;
	started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + 2 * INCARNATION_STRIDE);
	conf.role = "candidate";
	started(GUARANTEE_QUORUM, STATE_HEALTH_CHANGED,
	    70 + 3 * INCARNATION_STRIDE);
}

/* Programs that check terms may have seen them. Its promises do not count. */
START_CASE(a_voter_goes_on_above_the_terms_of_component)
{
	struct node_setup setup;

	make_component(5, 14);
	capture_stdout();
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
	assert_non_null(strstr(captured(), "begins above term 14,"));
	setup = started(
	    GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 5 + INCARNATION_STRIDE);
	assert_true(setup.durable.term == 14);
	assert_true(setup.durable.promise.term == 0);
}

START_CASE(a_lock_file_that_is_none_keeps_nobody_waiting)
{
	make(70);
	assert_int_equal(unlink("here/web-3.lock"), 0);
	assert_int_equal(mkfifo("here/web-3.lock", 0600), 0);
	assert_int_equal(store_look_lock("here", "web", 3), 0);
	started(GUARANTEE_QUORUM, STATE_HEALTH_SOUND, 70 + INCARNATION_STRIDE);
}

/* The promise of a damaged file is unknown: the operator must decide. */
START_CASE(state_that_component_made_of_a_damaged_one_is_not_trusted)
{
	make(70);
	damage(0, STORE_BYTES);
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 1);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
	started(GUARANTEE_COMPONENT, STATE_HEALTH_SOUND, 2);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
	started_lost();
	assert_int_equal(unlink(STORE_STATE), 0);
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_SUCCESS);
}

START_CASE(second_daemon_does_not_start_while_another_runs)
{
	struct node_setup setup;
	struct store *store;

	make(1);
	store = store_home_open();
	assert_int_equal(init(GUARANTEE_QUORUM), EXIT_FAILURE);
	assert_int_equal(start(GUARANTEE_QUORUM, &setup), -EWOULDBLOCK);
	assert_int_equal(start(GUARANTEE_COMPONENT, &setup), -EWOULDBLOCK);
	store_close(store);
	assert_int_equal(store_home_remembered(), 1);
}
