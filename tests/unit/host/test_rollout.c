/* SPDX-License-Identifier: ISC */
/*
 * What a host does with later settings: when they are written, come into
 * effect, are dropped, and tried again. Node 2 leads; member 1 is there, and
 * node 3 is not.
 */
#include "common/host/rollout.h"
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct rollout r;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };
static const struct config_id later = { .config_version = 5,
	.digest = "later" };

static int
enter(void **state)
{
	(void)state;
	quorum_lead_by(&s, &first);
	r = (struct rollout){ .is_quorum = true };
	return 0;
}

/* Likewise, and the configuration in effect has the config term of the
 * leader's term. */
static int
enter_stamped(void **state)
{
	enter(state);
	s.setups[0].config_id.config_term = stage_status(&s, 0).term;
	stage_change(&s, 0);
	return 0;
}

static int
enter_component(void **state)
{
	enter_stamped(state);
	r.is_quorum = false;
	return 0;
}

/* The configuration of another node, stamped in this term after ours. */
static struct config_id
stamped(uint32_t config_version)
{
	struct config_id e = later;

	e.config_term = node_config_id(s.nodes[0])->config_term;
	e.config_version = config_version;
	return e;
}

static struct rollout_todo
next(void)
{
	return rollout_next(&r, s.nodes[0], s.now, &s.setups[0]);
}

static void
expect(enum rollout_act act)
{
	assert_int_equal(next().act, act);
}

static void
expect_write(enum rollout_which which, enum rollout_origin origin)
{
	struct rollout_todo todo = next();

	assert_int_equal(todo.act, ROLLOUT_WRITE);
	assert_int_equal(todo.which, which);
	assert_int_equal(todo.origin, origin);
}

static void
keep(enum rollout_origin origin, const struct config_id *config_id)
{
	rollout_keep(&r, origin, config_id);
	expect(ROLLOUT_WAIT);
}

static enum rollout_offer
offer(const struct config_id *config_id)
{
	return rollout_offer(&r, s.nodes[0], s.now, config_id, OFFERED_RIGHT);
}

static void
expect_kept(bool is_kept, enum rollout_end end)
{
	assert_int_equal(rollout_kept(&r, s.nodes[0], s.now, is_kept), end);
}

#define LATER(name)  STAGE_CASE(name, enter_stamped, &s)
#define SIMPLE(name) STAGE_CASE(name, enter_component, &s)
#define CASE(name)   STAGE_CASE(name, enter, &s)

LATER(host_puts_into_effect_what_is_later_and_kept)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_PEER, &config_id);
	assert_false(rollout_is_idle(&r, s.nodes[0]));
	expect_kept(true, ROLLOUT_APPLY);
	assert_true(rollout_is_idle(&r, s.nodes[0]));
	assert_false(rollout_has_failed(&r));
	assert_true(rollout_deadline(&r) == NSEC_NEVER);
}

/* The host must not lose what it voted by, so it waits for the disk. It tries
 * again twice a pause, and not once more. */
LATER(host_retains_what_its_disk_does_not_take)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_PEER, &config_id);
	for (int i = 0; i < 2; i++) {
		expect_kept(false, ROLLOUT_RETAIN);
		assert_true(rollout_has_failed(&r));
		assert_true(rollout_deadline(&r) == s.now + ROLLOUT_PAUSE);
		s.now += ROLLOUT_PAUSE - 1;
		expect(ROLLOUT_WAIT);
		s.now++;
		expect_write(ROLLOUT_NEXT, ORIGIN_PEER);
		rollout_keep(&r, ORIGIN_PEER, &config_id);
		assert_true(rollout_has_failed(&r));
		assert_true(rollout_deadline(&r) == NSEC_NEVER);
	}
	expect_kept(true, ROLLOUT_APPLY);
	assert_false(rollout_has_failed(&r));
}

/* A later document does not wait for an earlier one. */
LATER(later_document_takes_the_place_of_one_that_is_retained)
{
	struct config_id config_id = stamped(4), next_one = stamped(5);

	keep(ORIGIN_PEER, &config_id);
	expect_kept(false, ROLLOUT_RETAIN);
	assert_int_equal(offer(&config_id), OFFER_IGNORE);
	assert_int_equal(offer(&next_one), OFFER_KEEP);
	keep(ORIGIN_PEER, &next_one);
	expect_kept(true, ROLLOUT_APPLY);
	expect(ROLLOUT_WAIT);
	s.now += ROLLOUT_PAUSE;
	expect(ROLLOUT_WAIT);
}

/* Under component nothing depends on the disk. But the next start does. */
SIMPLE(component_goes_on_without_its_disk_and_writes_again)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_PEER, &config_id);
	expect_kept(false, ROLLOUT_APPLY);
	s.setups[0].config_id = config_id;
	stage_change(&s, 0);
	assert_true(rollout_is_idle(&r, s.nodes[0]));
	assert_true(rollout_has_failed(&r));
	expect(ROLLOUT_WAIT);
	s.now += ROLLOUT_PAUSE;
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
	keep(ORIGIN_DISK, &config_id);
	expect_kept(true, ROLLOUT_KEPT);
	assert_false(rollout_has_failed(&r));
	expect(ROLLOUT_WAIT);
}

/* Two hosts that met others at once have settings of one config version. */
SIMPLE(component_takes_the_nodes_that_it_met_in_any_case)
{
	struct config_id config_id = *node_config_id(s.nodes[0]);

	keep(ORIGIN_PEER, &config_id);
	expect_kept(true, ROLLOUT_DROP);
	keep(ORIGIN_NODES, &config_id);
	expect_kept(true, ROLLOUT_APPLY);
}

/* The leader wrote the step for too long: a start must not find it. */
LATER(step_that_was_kept_too_late_is_taken_off_the_disk)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_LEADER, &config_id);
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	expect_kept(true, ROLLOUT_DROP);
	assert_true(rollout_is_idle(&r, s.nodes[0]));
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
	keep(ORIGIN_DISK, node_config_id(s.nodes[0]));
	expect_kept(true, ROLLOUT_KEPT);
	expect(ROLLOUT_WAIT);
}

/* The next leader would be behind. */
LATER(step_is_late_once_the_leader_hands_over)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_LEADER, &config_id);
	stage_resign(&s, 0, NODE_NONE);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	expect_kept(true, ROLLOUT_DROP);
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
}

/* The node leads again, in another term. */
LATER(step_of_an_earlier_term_is_late)
{
	struct config_id config_id = stamped(4);

	config_id.config_term++;
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	keep(ORIGIN_LEADER, &config_id);
	expect_kept(true, ROLLOUT_DROP);
}

/* The disk has not got it, so nothing is to be taken off. */
LATER(step_that_is_late_is_not_tried_again)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_LEADER, &config_id);
	expect_kept(false, ROLLOUT_RETAIN);
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	expect(ROLLOUT_WAIT);
	assert_true(rollout_is_idle(&r, s.nodes[0]));
	assert_false(rollout_has_failed(&r));
}

CASE(leader_whose_disk_is_full_takes_no_step_before_the_pause)
{
	struct config_id config_id = first;

	config_id.config_term = next().config_term;
	assert_true(config_id.config_term == stage_status(&s, 0).term);
	expect_write(ROLLOUT_CURRENT, ORIGIN_LEADER);
	keep(ORIGIN_LEADER, &config_id);
	expect_kept(false, ROLLOUT_RETAIN);
	expect(ROLLOUT_WAIT);
	stage_run(&s, ROLLOUT_PAUSE);
	expect_write(ROLLOUT_NEXT, ORIGIN_LEADER);
}

LATER(settings_that_cannot_be_used_are_taken_off_the_disk)
{
	struct config_id config_id = stamped(4);

	keep(ORIGIN_PEER, &config_id);
	expect_kept(true, ROLLOUT_APPLY);
	rollout_refused(&r, s.nodes[0]);
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
}

LATER(host_that_ends_takes_no_offer)
{
	node_stop(s.nodes[0], s.now);
	assert_int_equal(offer(&later), OFFER_IGNORE);
}

LATER(offer_of_no_leader_is_a_proposal)
{
	struct config_id earlier = stamped(3);

	assert_int_equal(offer(&later), OFFER_PROPOSAL);
	earlier.config_version--;
	assert_int_equal(offer(&earlier), OFFER_IGNORE);
	assert_int_equal(offer(node_config_id(s.nodes[0])), OFFER_IGNORE);
	r.is_quorum = false;
	earlier.config_term = 0;
	assert_int_equal(offer(&earlier), OFFER_IGNORE);
}

static void
proposal(uint32_t config_version, enum rollout_origin origin)
{
	struct config_id config_id = later;

	config_id.config_version = config_version;
	assert_true(rollout_wants(&r, s.nodes[0], origin, &config_id));
	rollout_propose(&r, s.nodes[0], origin, &config_id,
	    quorum_document(config_version), QUORUM_DOCUMENT);
}

/* It would be the next step again, at once. */
LATER(proposal_of_a_step_that_cannot_be_used_has_failed)
{
	struct config_id config_id = stamped(4), refused;

	r.ends[ORIGIN_FILE] = PROPOSAL_PROPOSED;
	proposal(4, ORIGIN_FILE);
	keep(ORIGIN_LEADER, &config_id);
	expect_kept(true, ROLLOUT_APPLY);
	refused = rollout_refused(&r, s.nodes[0]);
	assert_true(config_id_equal(&refused, &r.proposal));
	assert_false(rollout_is_proposing(&r, s.nodes[0]));
	assert_int_equal(r.ends[ORIGIN_FILE], PROPOSAL_FAILED);
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
}

/* The leader has failed to stamp what is in effect. */
CASE(proposal_stays_where_another_step_has_failed)
{
	struct config_id config_id = *node_config_id(s.nodes[0]);

	config_id.config_term = stage_status(&s, 0).term;
	keep(ORIGIN_LEADER, &config_id);
	proposal(4, ORIGIN_FILE);
	expect_kept(true, ROLLOUT_APPLY);
	(void)rollout_refused(&r, s.nodes[0]);
	assert_true(rollout_is_proposing(&r, s.nodes[0]));
}

LATER(proposal_ends_once_it_is_in_effect)
{
	proposal(4, ORIGIN_FILE);
	assert_true(rollout_is_proposing(&r, s.nodes[0]));
	assert_false(rollout_wants(&r, s.nodes[0], ORIGIN_FILE, &r.proposal));
	s.setups[0].config_id = stamped(4);
	stage_change(&s, 0);
	assert_false(rollout_is_proposing(&r, s.nodes[0]));
	expect(ROLLOUT_WAIT);
	assert_false(r.has_proposal);
}

/* The document of a peer was taken while the list was made. */
SIMPLE(list_by_an_earlier_file_does_not_undo_a_later_one)
{
	struct config_id list = { .config_version = 2, .revision = 9 };

	keep(ORIGIN_NODES, &list);
	expect_kept(true, ROLLOUT_DROP);
	list.config_version = 3;
	list.revision = 0;
	keep(ORIGIN_NODES, &list);
	expect_kept(true, ROLLOUT_APPLY);
}

/* Its host makes it again with the nodes that were discovered meanwhile. */
LATER(proposal_ends_once_a_later_list_is_in_effect)
{
	proposal(4, ORIGIN_FILE);
	s.setups[0].config_id = stamped(3);
	s.setups[0].config_id.revision++;
	stage_change(&s, 0);
	assert_false(rollout_is_proposing(&r, s.nodes[0]));
	assert_false(rollout_wants(&r, s.nodes[0], ORIGIN_FILE, &r.proposal));
	expect(ROLLOUT_WAIT);
	assert_false(r.has_proposal);
	r.has_file = true;
	assert_true(rollout_look_at_file(&r, s.nodes[0], 4, 3));
}

LATER(host_withdraws_the_proposal_of_its_former_file_only)
{
	proposal(5, ORIGIN_PEER);
	rollout_withdraw(&r, s.nodes[0], 4);
	assert_true(r.has_proposal);
	proposal(6, ORIGIN_FILE);
	rollout_withdraw(&r, s.nodes[0], 7);
	assert_true(r.has_proposal);
	rollout_withdraw(&r, s.nodes[0], 6);
	assert_false(r.has_proposal);
}

/* The cluster had an earlier configuration, which took the place of the file
 * at the first start of this host. */
CASE(file_that_no_leader_stamped_is_news_yet)
{
	r.has_file = true;
	assert_false(rollout_look_at_file(&r, s.nodes[0], 3, 3));
	assert_true(r.has_file);
	s.setups[0].config_id.config_term = stage_status(&s, 0).term;
	s.setups[0].config_id.config_version = 2;
	stage_change(&s, 0);
	assert_true(rollout_look_at_file(&r, s.nodes[0], 3, 2));
	proposal(3, ORIGIN_FILE);
	assert_false(rollout_look_at_file(&r, s.nodes[0], 3, 2));
	s.setups[0].config_id.config_version = 3;
	stage_change(&s, 0);
	assert_false(rollout_look_at_file(&r, s.nodes[0], 3, 3));
	assert_false(r.has_file);
}

/* Gives node 2 a proposal that changes two voters. */
static enum rollout_act
pursue_too_far(void)
{
	struct node_setup proposed = s.setups[0];

	proposed.peers_count = 0;
	return rollout_next(&r, s.nodes[0], s.now, &proposed).act;
}

LATER(proposal_that_is_too_far_is_refused_with_its_file)
{
	r.has_file = true;
	proposal(4, ORIGIN_FILE);
	assert_int_equal(pursue_too_far(), ROLLOUT_REFUSED);
	assert_false(r.has_proposal);
	assert_false(r.has_file);
}

/* Others may have gone on, so that it is not far from what they have. */
LATER(proposal_is_not_refused_by_a_node_without_a_leader)
{
	s.is_granting = false;
	stage_run(&s, 2 * QUORUM_LEASE);
	assert_int_not_equal(stage_status(&s, 0).state, STATE_LEADER);
	proposal(4, ORIGIN_FILE);
	assert_int_equal(pursue_too_far(), ROLLOUT_WAIT);
	assert_true(r.has_proposal);
}

/* A leader that is to lead no more resigns for the proposal, once, and
 * stands again when that has ended, also while the disk is busy. */
LATER(leader_resigns_for_a_proposal_and_stands_after_it)
{
	struct config_id config_id = stamped(4);

	r.has_resigned = true;
	proposal(4, ORIGIN_FILE);
	rollout_withdraw(&r, s.nodes[0], 4);
	rollout_keep(&r, ORIGIN_PEER, &config_id);
	expect(ROLLOUT_STOOD);
	assert_false(r.has_resigned);
	expect(ROLLOUT_WAIT);
}

/* It leads on, and tries again. */
LATER(leader_that_has_resigned_for_a_proposal_waits)
{
	struct node_setup proposed = s.setups[0];
	struct rollout_todo todo;

	proposed.role = ROLE_VOTER;
	r.has_resigned = true;
	stage_run(&s, QUORUM_LEASE);
	proposal(4, ORIGIN_FILE);
	todo = rollout_next(&r, s.nodes[0], s.now, &proposed);
	assert_int_equal(todo.step, STEP_RESIGN);
	assert_int_equal(todo.act, ROLLOUT_WAIT);
	assert_true(r.has_resigned);
	assert_true(r.has_proposal);
}

/* The operator who made them waits for the end. */
SIMPLE(operator_is_told_of_settings_that_cannot_be_used)
{
	struct config_id config_id = stamped(4);

	r.ends[ORIGIN_FILE] = PROPOSAL_PROPOSED;
	keep(ORIGIN_FILE, &config_id);
	expect_kept(true, ROLLOUT_APPLY);
	(void)rollout_refused(&r, s.nodes[0]);
	assert_int_equal(r.ends[ORIGIN_FILE], PROPOSAL_FAILED);
}

LATER(operator_is_told_of_a_proposal_without_memory)
{
	r.has_file = true;
	r.ends[ORIGIN_MEMBERS] = r.ends[ORIGIN_FILE] = PROPOSAL_PROPOSED;
	rollout_give_up(&r, ORIGIN_MEMBERS);
	assert_int_equal(r.ends[ORIGIN_MEMBERS], PROPOSAL_FAILED);
	assert_int_equal(r.ends[ORIGIN_FILE], PROPOSAL_PROPOSED);
	assert_true(r.has_file);
	rollout_give_up(&r, ORIGIN_FILE);
	assert_int_equal(r.ends[ORIGIN_FILE], PROPOSAL_FAILED);
	assert_false(r.has_file);
}

LATER(step_of_the_leader_is_under_way_until_it_is_kept)
{
	struct config_id config_id = stamped(4);

	assert_false(rollout_is_under_way(&r, s.nodes[0]));
	keep(ORIGIN_LEADER, &config_id);
	assert_true(rollout_is_under_way(&r, s.nodes[0]));
	expect_kept(true, ROLLOUT_APPLY);
	assert_false(rollout_is_under_way(&r, s.nodes[0]));
}

LATER(proposal_that_cannot_be_read_is_refused)
{
	assert_int_equal(
	    rollout_offer(&r, s.nodes[0], s.now, &later, OFFERED_WRONG),
	    OFFER_REFUSE);
	assert_int_equal(offer(&later), OFFER_PROPOSAL);
}

LATER(leader_that_leaves_takes_no_document)
{
	struct config_id config_id = stamped(4);

	assert_int_equal(offer(&config_id), OFFER_KEEP);
	stage_stop(&s, 0);
	assert_true(stage_status(&s, 0).is_leaving);
	assert_int_equal(offer(&config_id), OFFER_IGNORE);
}
