/* SPDX-License-Identifier: ISC */
/*
 * What a host does with later settings: when they are written, come into
 * effect, are dropped, and tried again. Node 2 leads; member 1 is there, and
 * node 3 is not.
 */
#include "common/host/rollout.h"
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

static struct ballot b;
static struct rollout r;

static const struct edition first = { .generation = 3, .digest = "first" };
static const struct edition later = { .generation = 5, .digest = "later" };

static int
enter(void **state)
{
	(void)state;
	ballot_lead_by(&b, &first);
	r = (struct rollout){ .is_quorum = true };
	return 0;
}

/* Likewise, and the edition in effect has the stamp of the leader's term. */
static int
enter_stamped(void **state)
{
	enter(state);
	b.setup.edition.stamp = ballot_status(&b).term;
	ballot_change(&b);
	return 0;
}

static int
enter_component(void **state)
{
	enter_stamped(state);
	r.is_quorum = false;
	return 0;
}

/* The edition of another node, stamped in this term after ours. */
static struct edition
stamped(uint32_t generation)
{
	struct edition e = later;

	e.stamp = node_edition(b.node)->stamp;
	e.generation = generation;
	return e;
}

static struct rollout_todo
next(void)
{
	return rollout_next(&r, b.node, b.now, &b.setup);
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
keep(enum rollout_origin origin, const struct edition *edition)
{
	rollout_keep(&r, origin, edition);
	expect(ROLLOUT_WAIT);
}

static enum rollout_offer
offer(const struct edition *edition)
{
	return rollout_offer(&r, b.node, b.now, edition, OFFERED_RIGHT);
}

static void
expect_kept(bool is_kept, enum rollout_end end)
{
	assert_int_equal(rollout_kept(&r, b.node, b.now, is_kept), end);
}

#define LATER(name)  BALLOT_CASE(name, enter_stamped, &b)
#define SIMPLE(name) BALLOT_CASE(name, enter_component, &b)
#define CASE(name)   BALLOT_CASE(name, enter, &b)

LATER(host_puts_into_effect_what_is_later_and_kept)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_PEER, &edition);
	assert_false(rollout_is_idle(&r, b.node));
	expect_kept(true, ROLLOUT_APPLY);
	assert_true(rollout_is_idle(&r, b.node));
	assert_false(rollout_has_failed(&r));
	assert_true(rollout_deadline(&r) == NSEC_NEVER);
}

/* The host must not lose what it voted by, so it waits for the disk. It tries
 * again twice a pause, and not once more. */
LATER(host_retains_what_its_disk_does_not_take)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_PEER, &edition);
	for (int i = 0; i < 2; i++) {
		expect_kept(false, ROLLOUT_RETAIN);
		assert_true(rollout_has_failed(&r));
		assert_true(rollout_deadline(&r) == b.now + ROLLOUT_PAUSE);
		b.now += ROLLOUT_PAUSE - 1;
		expect(ROLLOUT_WAIT);
		b.now++;
		expect_write(ROLLOUT_NEXT, ORIGIN_PEER);
		rollout_keep(&r, ORIGIN_PEER, &edition);
		assert_true(rollout_has_failed(&r));
		assert_true(rollout_deadline(&r) == NSEC_NEVER);
	}
	expect_kept(true, ROLLOUT_APPLY);
	assert_false(rollout_has_failed(&r));
}

/* A later document does not wait for an earlier one. */
LATER(later_document_takes_the_place_of_one_that_is_retained)
{
	struct edition edition = stamped(4), next_one = stamped(5);

	keep(ORIGIN_PEER, &edition);
	expect_kept(false, ROLLOUT_RETAIN);
	assert_int_equal(offer(&edition), OFFER_IGNORE);
	assert_int_equal(offer(&next_one), OFFER_KEEP);
	keep(ORIGIN_PEER, &next_one);
	expect_kept(true, ROLLOUT_APPLY);
	expect(ROLLOUT_WAIT);
	b.now += ROLLOUT_PAUSE;
	expect(ROLLOUT_WAIT);
}

/* Under component nothing depends on the disk. But the next start does. */
SIMPLE(component_goes_on_without_its_disk_and_writes_again)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_PEER, &edition);
	expect_kept(false, ROLLOUT_APPLY);
	b.setup.edition = edition;
	ballot_change(&b);
	assert_true(rollout_is_idle(&r, b.node));
	assert_true(rollout_has_failed(&r));
	expect(ROLLOUT_WAIT);
	b.now += ROLLOUT_PAUSE;
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
	keep(ORIGIN_DISK, &edition);
	expect_kept(true, ROLLOUT_KEPT);
	assert_false(rollout_has_failed(&r));
	expect(ROLLOUT_WAIT);
}

/* Two hosts that met others at once have settings of one generation. */
SIMPLE(component_takes_the_nodes_that_it_met_in_any_case)
{
	struct edition edition = *node_edition(b.node);

	keep(ORIGIN_PEER, &edition);
	expect_kept(true, ROLLOUT_DROP);
	keep(ORIGIN_NODES, &edition);
	expect_kept(true, ROLLOUT_APPLY);
}

/* The leader wrote the step for too long: a start must not find it. */
LATER(step_that_was_kept_too_late_is_taken_off_the_disk)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_LEADER, &edition);
	b.is_granting = false;
	ballot_run(&b, 2 * BALLOT_LEASE);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	expect_kept(true, ROLLOUT_DROP);
	assert_true(rollout_is_idle(&r, b.node));
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
	keep(ORIGIN_DISK, node_edition(b.node));
	expect_kept(true, ROLLOUT_KEPT);
	expect(ROLLOUT_WAIT);
}

/* The next leader would be behind. */
LATER(step_is_late_once_the_leader_hands_over)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_LEADER, &edition);
	ballot_resign(&b, NODE_NONE);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	expect_kept(true, ROLLOUT_DROP);
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
}

/* The node leads again, in another term. */
LATER(step_of_an_earlier_term_is_late)
{
	struct edition edition = stamped(4);

	edition.stamp++;
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	keep(ORIGIN_LEADER, &edition);
	expect_kept(true, ROLLOUT_DROP);
}

/* The disk has not got it, so nothing is to be taken off. */
LATER(step_that_is_late_is_not_tried_again)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_LEADER, &edition);
	expect_kept(false, ROLLOUT_RETAIN);
	b.is_granting = false;
	ballot_run(&b, 2 * BALLOT_LEASE);
	expect(ROLLOUT_WAIT);
	assert_true(rollout_is_idle(&r, b.node));
	assert_false(rollout_has_failed(&r));
}

CASE(leader_whose_disk_is_full_takes_no_step_before_the_pause)
{
	struct edition edition = first;

	edition.stamp = next().stamp;
	assert_true(edition.stamp == ballot_status(&b).term);
	expect_write(ROLLOUT_CURRENT, ORIGIN_LEADER);
	keep(ORIGIN_LEADER, &edition);
	expect_kept(false, ROLLOUT_RETAIN);
	expect(ROLLOUT_WAIT);
	ballot_run(&b, ROLLOUT_PAUSE);
	expect_write(ROLLOUT_NEXT, ORIGIN_LEADER);
}

LATER(settings_that_cannot_be_used_are_taken_off_the_disk)
{
	struct edition edition = stamped(4);

	keep(ORIGIN_PEER, &edition);
	expect_kept(true, ROLLOUT_APPLY);
	rollout_refused(&r);
	expect_write(ROLLOUT_CURRENT, ORIGIN_DISK);
}

LATER(offer_of_no_leader_is_a_proposal)
{
	struct edition earlier = stamped(3);

	assert_int_equal(offer(&later), OFFER_WISH);
	earlier.generation--;
	assert_int_equal(offer(&earlier), OFFER_IGNORE);
	assert_int_equal(offer(node_edition(b.node)), OFFER_IGNORE);
	r.is_quorum = false;
	earlier.stamp = 0;
	assert_int_equal(offer(&earlier), OFFER_IGNORE);
}

static void
wish(uint32_t generation, enum rollout_origin origin)
{
	struct edition edition = later;

	edition.generation = generation;
	assert_true(rollout_wants(&r, b.node, origin, &edition));
	rollout_wish(&r, b.node, origin, &edition, ballot_document(generation),
	    BALLOT_DOCUMENT);
}

LATER(wish_ends_once_it_is_in_effect)
{
	wish(4, ORIGIN_FILE);
	assert_true(rollout_is_wishing(&r, b.node));
	assert_false(rollout_wants(&r, b.node, ORIGIN_FILE, &r.wish));
	b.setup.edition = stamped(4);
	ballot_change(&b);
	assert_false(rollout_is_wishing(&r, b.node));
	expect(ROLLOUT_WAIT);
	assert_false(r.has_wish);
}

LATER(host_withdraws_the_wish_of_its_former_file_only)
{
	wish(5, ORIGIN_PEER);
	rollout_withdraw(&r, b.node, 4);
	assert_true(r.has_wish);
	wish(6, ORIGIN_FILE);
	rollout_withdraw(&r, b.node, 7);
	assert_true(r.has_wish);
	rollout_withdraw(&r, b.node, 6);
	assert_false(r.has_wish);
}

/* The cluster had an earlier edition, which took the place of the file at the
 * first start of this host. */
CASE(file_that_no_leader_stamped_is_news_yet)
{
	r.has_file = true;
	assert_false(rollout_wishes_file(&r, b.node, 3, 3));
	assert_true(r.has_file);
	b.setup.edition.stamp = ballot_status(&b).term;
	b.setup.edition.generation = 2;
	ballot_change(&b);
	assert_true(rollout_wishes_file(&r, b.node, 3, 2));
	wish(3, ORIGIN_FILE);
	assert_false(rollout_wishes_file(&r, b.node, 3, 2));
	b.setup.edition.generation = 3;
	ballot_change(&b);
	assert_false(rollout_wishes_file(&r, b.node, 3, 3));
	assert_false(r.has_file);
}

/* Gives node 2 a wish that changes two voters. */
static enum rollout_act
pursue_too_far(void)
{
	struct node_setup wished = b.setup;

	wished.peers_count = 0;
	return rollout_next(&r, b.node, b.now, &wished).act;
}

LATER(wish_that_is_too_far_is_refused_with_its_file)
{
	r.has_file = true;
	wish(4, ORIGIN_FILE);
	assert_int_equal(pursue_too_far(), ROLLOUT_REFUSED);
	assert_false(r.has_wish);
	assert_false(r.has_file);
}

/* Others may have gone on, so that it is not far from what they have. */
LATER(wish_is_not_refused_by_a_node_without_a_leader)
{
	b.is_granting = false;
	ballot_run(&b, 2 * BALLOT_LEASE);
	assert_int_not_equal(ballot_status(&b).state, STATE_LEADER);
	wish(4, ORIGIN_FILE);
	assert_int_equal(pursue_too_far(), ROLLOUT_WAIT);
	assert_true(r.has_wish);
}

/* A leader that is to lead no more resigns for the wish, once, and stands again
 * when that has ended, also while the disk is busy. */
LATER(leader_resigns_for_a_wish_and_stands_after_it)
{
	struct edition edition = stamped(4);

	r.has_resigned = true;
	wish(4, ORIGIN_FILE);
	rollout_withdraw(&r, b.node, 4);
	rollout_keep(&r, ORIGIN_PEER, &edition);
	expect(ROLLOUT_STOOD);
	assert_false(r.has_resigned);
	expect(ROLLOUT_WAIT);
}
