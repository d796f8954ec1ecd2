/* SPDX-License-Identifier: ISC */
/* Which beacons are news to which node, and what a node keeps of them. */

#include "tests/unit/group.h"

#include "common/node/lead.h"

static struct beacon
beacon_of(uint64_t term, node_id leader, uint64_t number)
{
	return (struct beacon){
		.term = term,
		.leader = { .is_eligible = true, .id = leader },
		.incarnation = 1,
		.number = number,
	};
}

/* Makes a follower of `leader` in `term` that has heard its beacon `number`. */
static struct lead
follower_of(uint64_t term, node_id leader, uint64_t number)
{
	struct beacon p = beacon_of(term, leader, number);
	struct lead lead = { .stale_at = NSEC_NEVER };

	lead_take(&lead, &p, NULL, (struct reason){ REASON_START, 1 }, 10, 20);
	return lead;
}

/* The node prefers the highest id, and has seen no later term. */
static enum beacon_news
news(const struct lead *lead, struct beacon p)
{
	return lead_judge(lead, &p, lead->beacon.term, PREFER_HIGHEST);
}

TEST(first_beacon_is_new)
{
	struct lead lead = { .is_fresh = false };

	assert_int_equal(lead_id(&lead), NODE_NONE);
	assert_int_equal(news(&lead, beacon_of(1, 3, 0)), BEACON_NEW);
}

/* Others follow that one, and nobody follows this one: its rank counts for
 * nothing, nor does a term that somebody has seen. */
TEST(any_leader_is_new_to_a_lone_leader_but_of_an_earlier_term)
{
	struct lead lead = follower_of(4, 3, 0);
	struct beacon worse = beacon_of(4, 2, 7);

	assert_int_equal(news(&lead, worse), BEACON_RIVAL);
	lead_begin_lone(&lead);
	assert_int_equal(news(&lead, worse), BEACON_NEW);
	assert_int_equal(
	    lead_judge(&lead, &worse, 6, PREFER_HIGHEST), BEACON_NEW);
	assert_int_equal(news(&lead, beacon_of(3, 5, 7)), BEACON_OLD);
	lead_end_lone(&lead);
	assert_int_equal(news(&lead, worse), BEACON_RIVAL);
}

/* A leader that leads its term again goes on above the numbers that it told, not
 * above those of another leader. */
TEST(numbers_that_we_told_stay_known_whoever_led_since)
{
	struct lead lead = follower_of(4, 3, 0);
	struct beacon other = beacon_of(5, 2, 900);

	lead_renumber(&lead);
	lead_renumber(&lead);
	lead_take(
	    &lead, &other, NULL, (struct reason){ REASON_START, 1 }, 30, 40);
	assert_int_equal(lead.beacon.number, 900);
	assert_int_equal(lead.said, 2);
}

/* Nobody leads in term 0, which had no election. */
TEST(beacon_of_term_zero_is_old)
{
	struct lead lead = { .is_fresh = false };

	assert_int_equal(news(&lead, beacon_of(0, 3, 5)), BEACON_OLD);
}

/* A peer that only knows how the election ended sent it. It is neither a sign
 * of the leader nor a leader of its own, whatever its rank. */
TEST(beacon_without_an_incarnation_is_old_where_the_leader_is_known)
{
	struct lead lead = follower_of(2, 3, 4);
	struct beacon p = beacon_of(2, 3, 9);

	p.incarnation = 0;
	assert_int_equal(news(&lead, p), BEACON_OLD);
	p.leader.is_contender = true;
	assert_int_equal(news(&lead, p), BEACON_OLD);
	p.term = 3;
	assert_int_equal(lead_judge(&lead, &p, 3, PREFER_HIGHEST), BEACON_NEW);
}

static struct beacon
handed_on(struct beacon beacon)
{
	beacon.hops++;
	return beacon;
}

TEST(higher_number_renews_and_any_other_is_old)
{
	struct lead lead = follower_of(2, 3, 7);

	assert_int_equal(news(&lead, beacon_of(2, 3, 8)), BEACON_RENEWED);
	assert_int_equal(news(&lead, beacon_of(2, 3, 6)), BEACON_OLD);
	/* The leader's own word counts once more, but not by a longer way. */
	assert_int_equal(news(&lead, beacon_of(2, 3, 7)), BEACON_RENEWED);
	assert_int_equal(
	    news(&lead, handed_on(beacon_of(2, 3, 7))), BEACON_OLD);
	assert_int_equal(
	    news(&lead, beacon_of(2, 3, UINT64_MAX)), BEACON_RENEWED);
}

/* A peer may quote a number too high, or its word may have come first. */
TEST(beacons_of_the_leader_itself_count_by_their_own_numbers)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon quoted = handed_on(beacon_of(2, 3, 99));
	struct beacon own = beacon_of(2, 3, 8);

	quoted.hands_over = quoted.is_named = true;
	quoted.successor = 1;
	lead_renew(&lead, &quoted, NULL, 15, 25);
	assert_int_equal(news(&lead, own), BEACON_RENEWED);
	lead_renew(&lead, &own, NULL, 16, 26);
	assert_int_equal(lead.beacon.number, 8);
	/* The leader may have told of its handover later than that. */
	assert_true(lead.beacon.hands_over && lead.beacon.is_named);
	assert_int_equal(lead.beacon.successor, 1);
	own.number = 9;
	lead_renew(&lead, &own, NULL, 17, 27);
	assert_false(lead.beacon.hands_over);
	assert_int_equal(news(&lead, beacon_of(2, 3, 8)), BEACON_OLD);
}

/* A leader's last beacon, which still goes round, must not bring that leader
 * back. */
TEST(given_up_leader_is_back_only_by_a_new_sign)
{
	struct lead lead = follower_of(2, 3, 7);

	lead_drop(&lead, (struct reason){ REASON_MISSED, 3 }, 30);
	assert_int_equal(lead_id(&lead), NODE_NONE);
	assert_int_equal(news(&lead, beacon_of(2, 3, 7)), BEACON_OLD);
	assert_int_equal(news(&lead, beacon_of(2, 3, 8)), BEACON_NEW);
}

TEST(lower_term_is_old_whoever_leads_in_it)
{
	struct lead lead = follower_of(2, 3, 7);

	assert_int_equal(news(&lead, beacon_of(1, 9, 99)), BEACON_OLD);
	lead_drop(&lead, (struct reason){ REASON_MISSED, 3 }, 30);
	assert_int_equal(news(&lead, beacon_of(1, 9, 99)), BEACON_OLD);
}

TEST(higher_term_is_new_whoever_leads_in_it)
{
	struct lead lead = follower_of(2, 3, 7);

	assert_int_equal(news(&lead, beacon_of(3, 1, 0)), BEACON_NEW);
	assert_int_equal(news(&lead, beacon_of(3, 3, 0)), BEACON_NEW);
	assert_int_equal(news(&lead, beacon_of(3, 9, 0)), BEACON_NEW);
}

TEST(of_two_leaders_of_a_term_the_better_is_new)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon higher = beacon_of(2, 4, 0), lower = beacon_of(2, 2, 99);

	assert_int_equal(
	    lead_judge(&lead, &higher, 2, PREFER_HIGHEST), BEACON_NEW);
	assert_int_equal(
	    lead_judge(&lead, &lower, 2, PREFER_HIGHEST), BEACON_RIVAL);
	assert_int_equal(
	    lead_judge(&lead, &higher, 2, PREFER_LOWEST), BEACON_RIVAL);
	assert_int_equal(
	    lead_judge(&lead, &lower, 2, PREFER_LOWEST), BEACON_NEW);
}

/* Leaders 3 and 4 of a term have left each other. Peers still hand on their
 * last beacons, in which 3 was a contender before 4, and 4 once 3 was none. */
TEST(handed_on_beacons_of_a_leader_that_was_left_are_old)
{
	struct lead lead = follower_of(2, 4, 7);
	struct beacon contender = beacon_of(2, 3, 5), left = beacon_of(2, 4, 7);

	contender.leader.is_contender = true;
	contender.hops = left.hops = 1;
	assert_int_equal(news(&lead, contender), BEACON_NEW);
	lead_take(&lead, &contender, NULL, (struct reason){ REASON_MERGE, 3 },
	    11, 21);
	contender.number = 6;
	contender.leader.is_contender = false;
	assert_int_equal(news(&lead, contender), BEACON_RENEWED);
	lead_renew(&lead, &contender, NULL, 12, 22);
	assert_int_equal(news(&lead, left), BEACON_OLD);
	left.incarnation = 0;
	assert_int_equal(news(&lead, left), BEACON_OLD);
	/* The leader itself, its later beacon, and its next process are news. */
	left = beacon_of(2, 4, 7);
	assert_int_equal(news(&lead, left), BEACON_NEW);
	left.hops = 1;
	left.number = 8;
	assert_int_equal(news(&lead, left), BEACON_NEW);
	left.number = 1;
	left.incarnation = 2;
	assert_int_equal(news(&lead, left), BEACON_NEW);
}

/* A new process of the same leader starts its numbers anew; in the same term it
 * is not better than itself. */
TEST(new_process_of_the_leader_is_no_renewal)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon p = beacon_of(2, 3, 1);

	p.incarnation = 2;
	assert_int_equal(news(&lead, p), BEACON_RIVAL);
	p.term = 3;
	assert_int_equal(news(&lead, p), BEACON_NEW);
}

/* While a later election runs the node keeps its old leader, but takes no new
 * one of that old term. */
TEST(during_a_later_election_only_the_leader_itself_is_heard)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon same = beacon_of(2, 3, 8), other = beacon_of(2, 9, 8);
	struct beacon later = beacon_of(5, 1, 0);

	assert_int_equal(
	    lead_judge(&lead, &same, 5, PREFER_HIGHEST), BEACON_RENEWED);
	assert_int_equal(
	    lead_judge(&lead, &other, 5, PREFER_HIGHEST), BEACON_CROSSED);
	assert_int_equal(
	    lead_judge(&lead, &later, 5, PREFER_HIGHEST), BEACON_NEW);
	lead_drop(&lead, (struct reason){ REASON_MISSED, 3 }, 30);
	assert_int_equal(
	    lead_judge(&lead, &same, 5, PREFER_HIGHEST), BEACON_OLD);
}

/* The node has seen the later term by another way, so it does not follow in a
 * lower one; but there it would not follow its own leader either. */
TEST(later_leader_of_a_term_below_one_seen_has_crossed)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon between = beacon_of(4, 9, 1), same = beacon_of(4, 3, 1);

	assert_int_equal(
	    lead_judge(&lead, &between, 5, PREFER_HIGHEST), BEACON_CROSSED);
	assert_int_equal(
	    lead_judge(&lead, &same, 5, PREFER_HIGHEST), BEACON_CROSSED);
	assert_int_equal(
	    lead_judge(&lead, &between, 4, PREFER_HIGHEST), BEACON_NEW);
	lead_drop(&lead, (struct reason){ REASON_MISSED, 3 }, 30);
	assert_int_equal(
	    lead_judge(&lead, &between, 5, PREFER_HIGHEST), BEACON_OLD);
}

/* Both lead in the term of an election that went to two parts, and a later
 * election has come to nothing. */
TEST(other_leader_of_our_term_below_one_seen_has_crossed)
{
	struct lead lead = follower_of(4, 3, 7);
	struct beacon better = beacon_of(4, 9, 1), worse = beacon_of(4, 2, 1);

	assert_int_equal(
	    lead_judge(&lead, &better, 5, PREFER_HIGHEST), BEACON_CROSSED);
	assert_int_equal(
	    lead_judge(&lead, &worse, 5, PREFER_HIGHEST), BEACON_CROSSED);
	lead_drop(&lead, (struct reason){ REASON_MISSED, 3 }, 30);
	assert_int_equal(
	    lead_judge(&lead, &better, 5, PREFER_HIGHEST), BEACON_OLD);
}

TEST(taking_renewing_and_dropping_change_their_fields_alone)
{
	struct lead lead = follower_of(2, 3, 7);
	struct beacon p = beacon_of(2, 3, 8);

	assert_int_equal(lead_id(&lead), 3);
	assert_int_equal(lead.heard, 10);
	assert_int_equal(lead.stale_at, 20);
	lead_renew(&lead, &p, NULL, 15, 25);
	assert_int_equal(lead_id(&lead), 3);
	assert_int_equal(lead.beacon.number, 8);
	assert_int_equal(lead.heard, 15);
	assert_int_equal(lead.stale_at, 25);
	assert_int_equal(lead.since, 10);
	assert_int_equal(lead.reason.kind, REASON_START);
	lead_drop(&lead, (struct reason){ REASON_BYE, 3 }, 30);
	assert_int_equal(lead.beacon.leader.id, 3);
	assert_int_equal(lead.since, 30);
	assert_int_equal(lead.reason.kind, REASON_BYE);
	assert_int_equal(lead.heard, 15);
}

/* The leader was elected, but the node has not heard it yet: the leader's first
 * beacon names its process. */
TEST(leader_taken_before_its_process_was_known_is_renewed)
{
	struct beacon elected = { .term = 2,
		.leader = beacon_of(2, 3, 0).leader };
	struct beacon sign = beacon_of(2, 3, 1);
	struct lead lead = { .is_fresh = false };

	lead_take(
	    &lead, &elected, NULL, (struct reason){ REASON_START, 1 }, 10, 20);
	assert_int_equal(news(&lead, sign), BEACON_RENEWED);
	lead_renew(&lead, &sign, NULL, 15, 25);
	assert_int_equal(lead.beacon.incarnation, 1);
	/* From now on only that process counts. */
	sign.incarnation = 2;
	assert_int_not_equal(news(&lead, sign), BEACON_RENEWED);
	assert_int_not_equal(news(&lead, elected), BEACON_RENEWED);
}
