/* SPDX-License-Identifier: ISC */
/*
 * Proposals, and which configurations a node takes under the guarantee "quorum"
 * (PROTOCOL.md, Changes of voters): a host that wants a document in effect lets
 * its node tell the leader, which fetches it for its own host.
 */
#include "tests/lib/ballot.h"
#include "tests/unit/group.h"

#include <string.h>

#define REFUSED (60 * SEC) /* for so long a host gets it no more */
#define OTHER   7          /* number of a proposal's document */

static struct ballot b;
static uint64_t term; /* in which the member leads */
static uint64_t beacons;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };
static const struct config_id wish = { .config_version = 4, .digest = "wish" };
static const struct config_id later = { .config_version = 5,
	.digest = "later" };
static const struct config_id stamped = {
	.config_term = 60, .config_version = 3, .digest = "stamped"
};

static int
enter_with(enum prefer prefer)
{
	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.setup.prefer = prefer;
	ballot_begin(&b, 3 * SEC);
	assert_int_equal(ballot_status(&b).leader, NODE_NONE);
	term = ballot_status(&b).term + 1;
	beacons = 0;
	return 0;
}

/* The member would lead, if it could. */
static int
enter(void **state)
{
	(void)state;
	return enter_with(PREFER_LOWEST);
}

static int
enter_leader(void **state)
{
	(void)state;
	enter_with(PREFER_HIGHEST);
	b.is_granting = true;
	ballot_run(&b, 5 * SEC);
	assert_int_equal(ballot_status(&b).state, STATE_LEADER);
	return 0;
}

/* The member says that it leads. */
static void
lead(void)
{
	const struct beacon beacon = {
		.term = term,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 1 },
		.incarnation = b.member.incarnation,
		.number = ++beacons,
	};
	const struct lease_left left = {
		.timestamp = b.member.heard.timestamp,
		.valid_us = (uint32_t)(BALLOT_LEASE / USEC),
	};
	uint8_t frames[2 * FRAME_BYTES + BEACON_BYTES + LEASE_LEFT_BYTES];
	uint8_t bytes[LEASE_LEFT_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer l = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { FRAME_LEASE_LEFT, 0, bytes, sizeof(bytes) };

	member_write_beacon(&w, &beacon);
	lease_left_encode(&l, &left);
	frame_encode(&w, &f);
	ballot_say(&b, &w, 2);
}

static int
enter_follower(void **state)
{
	enter(state);
	lead();
	assert_int_equal(ballot_status(&b).leader, 1);
	return 0;
}

static void
run_follower(nsec_t duration)
{
	for (nsec_t until = b.now + duration; b.now < until;) {
		lead();
		ballot_run(&b, BALLOT_BEAT);
	}
	assert_int_equal(ballot_status(&b).leader, 1);
}

static void
tell(const struct config_id *config_id)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ADVERT_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_told(
	    &w, &(struct config_advert){ *config_id, BALLOT_DOCUMENT });
	ballot_say(&b, &w, 1);
}

/* True if the node asks for the document of a configuration that it is told. */
static bool
asks_for(const struct config_id *config_id)
{
	unsigned asks = b.member.asks;

	tell(config_id);
	ballot_run(&b, 20 * MSEC);
	return b.member.asks > asks &&
	       b.member.ask.tag == config_tag(config_id);
}

static void
give(const struct config_id *config_id)
{
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_piece(&w, &(struct config_piece){
				   .tag = config_tag(config_id),
				   .offset = 0,
				   .size = BALLOT_DOCUMENT,
				   .bytes = ballot_document(OTHER),
			       });
	ballot_say(&b, &w, 1);
}

static void
ask(const struct config_id *config_id, uint32_t offset)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ASK_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_ask(
	    &w, &(struct config_ask){ config_tag(config_id), offset });
	ballot_say(&b, &w, 1);
	ballot_run(&b, 20 * MSEC);
}

static void
propose(const struct config_id *config_id)
{
	node_propose(
	    b.node, config_id, ballot_document(OTHER), BALLOT_DOCUMENT);
}

static bool
was_told(const struct config_id *config_id)
{
	return b.member.tolds > 0 &&
	       config_id_equal(&b.member.told.config_id, config_id) &&
	       b.member.told.size == BALLOT_DOCUMENT;
}

#define CASE(name, enter) BALLOT_CASE(name, enter, &b)

CASE(follower_tells_its_leader_what_it_proposes, enter_follower)
{
	b.member.tolds = 0;
	run_follower(SEC);
	assert_int_equal(b.member.tolds, 0);
	propose(&wish);
	run_follower(BALLOT_BEAT);
	assert_true(was_told(&wish));
	/* With each datagram, as any may get lost. */
	b.member.tolds = 0;
	run_follower(SEC);
	assert_true(b.member.tolds >= 9);
	assert_true(was_told(&wish));
}

CASE(follower_gives_its_leader_the_document_that_it_proposes, enter_follower)
{
	propose(&wish);
	run_follower(BALLOT_BEAT);
	ask(&wish, 0);
	assert_int_equal(b.member.pieces, 1);
	assert_int_equal(b.member.piece.tag, config_tag(&wish));
	assert_int_equal(b.member.piece.size, BALLOT_DOCUMENT);
	assert_memory_equal(
	    b.member.piece_bytes, ballot_document(OTHER), BALLOT_DOCUMENT);
	ask(&wish, 290);
	assert_int_equal(b.member.pieces, 2);
	assert_int_equal(b.member.piece.offset, 290);
	assert_int_equal(b.member.piece.size, 10);
	ask(&wish, BALLOT_DOCUMENT);
	assert_int_equal(b.member.pieces, 2);
	/* And that of its configuration. */
	ask(&first, 0);
	assert_int_equal(b.member.pieces, 3);
	assert_memory_equal(
	    b.member.piece_bytes, ballot_document(0), BALLOT_DOCUMENT);
	ask(&later, 0);
	assert_int_equal(b.member.pieces, 3);
}

CASE(proposal_that_ends_is_told_no_more_and_given_no_more, enter_follower)
{
	propose(&wish);
	run_follower(BALLOT_BEAT);
	propose(&later); /* it takes the place of the first */
	b.member.tolds = 0;
	run_follower(BALLOT_BEAT);
	assert_true(was_told(&later));
	ask(&wish, 0);
	assert_int_equal(b.member.pieces, 0);
	node_propose(b.node, NULL, NULL, 0);
	b.member.tolds = 0;
	run_follower(SEC);
	assert_int_equal(b.member.tolds, 0);
	ask(&later, 0);
	assert_int_equal(b.member.pieces, 0);
}

/* It was asked for just before. */
CASE(piece_of_a_proposal_that_has_ended_is_not_sent, enter_follower)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ASK_BYTES], datagram[PACKET_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct body body = member_body(&b.member, b.now);

	propose(&wish);
	body.flags |= BODY_VOTES;
	body.frames_count = 1;
	member_write_ask(&w, &(struct config_ask){ config_tag(&wish), 290 });
	node_receive(b.node, b.now, 0, 0, datagram,
	    member_say(&b.member, &body, frame, w.size, datagram));
	node_propose(b.node, NULL, NULL, 0);
	ballot_run(&b, SEC);
	assert_int_equal(b.member.pieces, 0);
	ask(&first, 0);
	assert_int_equal(b.member.pieces, 1);
}

CASE(proposal_is_told_to_nobody_but_the_leader, enter)
{
	propose(&wish);
	b.member.tolds = 0;
	ballot_run(&b, SEC);
	assert_int_equal(b.member.tolds, 0);
	lead();
	ballot_run(&b, 20 * MSEC);
	assert_true(was_told(&wish));
}

CASE(leader_tells_nobody_what_its_host_proposes, enter_leader)
{
	b.member.tolds = 0;
	propose(&wish);
	ballot_run(&b, SEC);
	assert_int_equal(b.member.tolds, 0);
}

CASE(leader_fetches_a_proposal_for_its_host, enter_leader)
{
	assert_true(asks_for(&wish));
	give(&wish);
	assert_int_equal(b.pieces, 1);
	assert_int_equal(b.got_size, BALLOT_DOCUMENT);
	assert_true(config_id_equal(&b.got, &wish));
	assert_true(b.got.config_term == 0);
	assert_memory_equal(b.bytes, ballot_document(OTHER), BALLOT_DOCUMENT);
	/* Once only, while the host thinks about it. */
	assert_false(asks_for(&wish));
	assert_true(asks_for(&later));
}

CASE(leader_fetches_only_what_is_newer_than_all_it_has, enter_leader)
{
	struct config_id other = first;

	other.digest[0] = 'z';
	assert_false(asks_for(&other));
	other.config_version = 2;
	assert_false(asks_for(&other));
	propose(&wish);
	assert_false(asks_for(&wish));
	other.config_version = 4;
	assert_false(asks_for(&other));
	assert_true(asks_for(&later));
}

CASE(leader_fetches_a_proposal_that_its_host_refused_after_a_minute,
    enter_leader)
{
	assert_true(asks_for(&wish));
	give(&wish);
	node_refuse(b.node, b.now, &wish);
	assert_false(asks_for(&wish));
	ballot_run(&b, REFUSED - SEC);
	assert_false(asks_for(&wish));
	ballot_run(&b, SEC);
	assert_true(asks_for(&wish));
	/* That one was not refused. */
	node_refuse(b.node, b.now, &wish);
	assert_false(asks_for(&wish));
	assert_true(asks_for(&later));
}

/* Its own leader hears of it too. */
CASE(follower_fetches_no_configuration_without_a_config_term, enter_follower)
{
	assert_false(asks_for(&wish));
	assert_false(asks_for(&later));
	assert_int_equal(b.pieces, 0);
}

CASE(
    node_without_a_leader_fetches_no_configuration_without_a_config_term, enter)
{
	ballot_move_member(&b, &later);
	assert_false(asks_for(&later));
	assert_true(asks_for(&stamped));
}

/* The configuration may have been ruled out before the file was made. */
CASE(voter_with_a_file_fetches_no_config_term_of_an_earlier_config_version,
    enter)
{
	struct config_id earlier = stamped;

	b.member.config_id = stamped;
	earlier.config_version = 1;
	assert_false(asks_for(&earlier));
	assert_true(asks_for(&stamped));
	give(&stamped);
	assert_true(config_id_equal(&b.got, &stamped));
}

/* The voter votes by what a leader admits it with. */
CASE(voter_that_does_not_vote_fetches_any_config_term, NULL)
{
	struct config_id earlier = stamped;

	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.setup.state_health = STATE_HEALTH_LOST;
	ballot_begin(&b, 3 * SEC);
	b.member.config_id = stamped;
	earlier.config_version = 1;
	assert_true(asks_for(&earlier));
}

/* The operator's file has taken the place of a configuration with the config
 * term 50. */
CASE(
    voter_with_a_file_in_the_place_of_a_configuration_fetches_no_lower_config_term,
    NULL)
{
	struct config_id lower = stamped;

	ballot_set(&b);
	ballot_exchange(&b, &first);
	b.setup.durable.config_id = first;
	b.setup.durable.config_id.config_term = 50;
	ballot_begin(&b, 3 * SEC);
	b.member.config_id = stamped;
	lower.config_term = 49;
	lower.config_version = 9;
	assert_false(asks_for(&lower));
	lower.config_term = 51;
	lower.config_version = 1;
	assert_true(asks_for(&lower));
}

/* The peer denies what it will not fetch, and nobody waits for it. */
CASE(voter_that_will_deny_does_not_count, enter)
{
	const struct config_id file = { .config_version = 4, .digest = "file" };

	b.setup.config_id = stamped;
	b.setup.durable.config_id = stamped;
	ballot_change(&b);
	ballot_move_member(&b, &stamped);
	b.is_voting = true;
	ballot_run(&b, SEC);
	assert_true(node_peer_status(b.node, 0).votes);
	b.member.config_id = file;
	assert_false(asks_for(&file));
	assert_false(node_peer_status(b.node, 0).votes);
	assert_int_equal(ballot_status(&b).votes, 1);
	ballot_move_member(&b, &stamped);
	assert_true(node_peer_status(b.node, 0).votes);
}

/* No leader of the cluster can have put such a configuration into effect,
 * and none could ever put a later one. */
CASE(stamp_that_is_no_credible_term_is_not_fetched, enter)
{
	struct config_id absurd = stamped;

	absurd.config_term = TERM_MAX;
	assert_false(asks_for(&absurd));
	absurd.config_term = TERM_JUMP_QUORUM / 2;
	assert_true(asks_for(&absurd));
}

CASE(change_to_what_was_proposed_ends_the_proposal, enter_follower)
{
	propose(&wish);
	b.setup.config_id = wish;
	b.setup.config_id.config_term = term;
	ballot_change(&b);
	ballot_move_member(&b, &b.setup.config_id);
	b.member.tolds = 0;
	run_follower(SEC);
	assert_int_equal(b.member.tolds, 0);
	ask(&wish, 0); /* the same digest, but the document in effect */
	assert_int_equal(b.member.pieces, 1);
	assert_memory_equal(
	    b.member.piece_bytes, ballot_document(0), BALLOT_DOCUMENT);
}

/* The leader stamps first what it has. */
CASE(change_to_something_earlier_leaves_the_proposal, enter_follower)
{
	propose(&wish);
	b.setup.config_id.config_term = term;
	ballot_change(&b);
	ballot_move_member(&b, &b.setup.config_id);
	b.member.tolds = 0;
	run_follower(BALLOT_BEAT);
	assert_true(was_told(&wish));
	ask(&wish, 0);
	assert_int_equal(b.member.pieces, 1);
	assert_memory_equal(
	    b.member.piece_bytes, ballot_document(OTHER), BALLOT_DOCUMENT);
}
