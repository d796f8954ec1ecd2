/* SPDX-License-Identifier: ISC */
/*
 * Proposals, and which configurations a node takes under the guarantee "quorum"
 * (PROTOCOL.md, Changes of voters): a host that wants a document in effect lets
 * its node tell the leader, which fetches it for its own host.
 */
#include "tests/lib/stage_quorum.h"
#include "tests/unit/group.h"

#include <string.h>

#define REFUSED (60 * SEC) /* for so long a host gets it no more */
#define OTHER   7          /* number of a proposal's document */

static struct stage s;
static uint64_t term; /* in which the member leads */
static uint64_t beacons;

static const struct config_id first = { .config_version = 3,
	.digest = "first" };
static const struct config_id proposal = { .config_version = 4,
	.digest = "proposal" };
static const struct config_id later = { .config_version = 5,
	.digest = "later" };
static const struct config_id stamped = {
	.config_term = 60, .config_version = 3, .digest = "stamped"
};

static int
enter_with(enum prefer prefer)
{
	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.setups[0].prefer = prefer;
	quorum_begin(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	term = stage_status(&s, 0).term + 1;
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
	s.is_granting = true;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	return 0;
}

/* The member says that it leads. */
static void
lead(void)
{
	const struct beacon beacon =
	    member_beacon(&s.members[0], term, ++beacons);
	const struct lease_left left =
	    member_lease_left(&s.members[0], QUORUM_LEASE);

	stage_lead(&s, 0, &beacon, &left);
}

static int
enter_follower(void **state)
{
	enter(state);
	lead();
	assert_int_equal(stage_status(&s, 0).leader, 1);
	return 0;
}

static void
run_follower(nsec_t duration)
{
	for (nsec_t until = s.now + duration; s.now < until;) {
		lead();
		stage_run(&s, STAGE_BEAT);
	}
	assert_int_equal(stage_status(&s, 0).leader, 1);
}

/* True if the node asks for the document of a configuration that it is told. */
static bool
asks_for(const struct config_id *config_id)
{
	unsigned asks = s.members[0].asks;

	stage_tell_config(&s, 0, config_id, QUORUM_DOCUMENT);
	stage_run(&s, 20 * MSEC);
	return s.members[0].asks > asks &&
	       s.members[0].ask.tag == config_tag(config_id);
}

static void
give(const struct config_id *config_id)
{
	stage_give(&s, 0,
	    &(struct config_piece){
		.tag = config_tag(config_id),
		.size = QUORUM_DOCUMENT,
		.bytes = quorum_document(OTHER),
	    });
}

static void
ask(const struct config_id *config_id, uint32_t offset)
{
	stage_ask_config(&s, 0, config_id, offset);
	stage_run(&s, 20 * MSEC);
}

static void
propose(const struct config_id *config_id)
{
	node_propose(
	    s.nodes[0], config_id, quorum_document(OTHER), QUORUM_DOCUMENT);
}

static bool
was_told(const struct config_id *config_id)
{
	return s.members[0].tolds > 0 &&
	       config_id_equal(&s.members[0].told.config_id, config_id) &&
	       s.members[0].told.size == QUORUM_DOCUMENT;
}

#define CASE(name, enter) STAGE_CASE(name, enter, &s)

CASE(follower_tells_its_leader_what_it_proposes, enter_follower)
{
	s.members[0].tolds = 0;
	run_follower(SEC);
	assert_int_equal(s.members[0].tolds, 0);
	propose(&proposal);
	run_follower(STAGE_BEAT);
	assert_true(was_told(&proposal));
	/* With each datagram, as any may get lost. */
	s.members[0].tolds = 0;
	run_follower(SEC);
	assert_true(s.members[0].tolds >= 9);
	assert_true(was_told(&proposal));
}

CASE(follower_gives_its_leader_the_document_that_it_proposes, enter_follower)
{
	propose(&proposal);
	run_follower(STAGE_BEAT);
	ask(&proposal, 0);
	assert_int_equal(s.members[0].pieces, 1);
	assert_int_equal(s.members[0].piece.tag, config_tag(&proposal));
	assert_int_equal(s.members[0].piece.size, QUORUM_DOCUMENT);
	assert_memory_equal(
	    s.members[0].piece_bytes, quorum_document(OTHER), QUORUM_DOCUMENT);
	ask(&proposal, 290);
	assert_int_equal(s.members[0].pieces, 2);
	assert_int_equal(s.members[0].piece.offset, 290);
	assert_int_equal(s.members[0].piece.size, 10);
	ask(&proposal, QUORUM_DOCUMENT);
	assert_int_equal(s.members[0].pieces, 2);
	/* The follower gives the document of its configuration, too. */
	ask(&first, 0);
	assert_int_equal(s.members[0].pieces, 3);
	assert_memory_equal(
	    s.members[0].piece_bytes, quorum_document(0), QUORUM_DOCUMENT);
	ask(&later, 0);
	assert_int_equal(s.members[0].pieces, 3);
}

CASE(proposal_that_ends_is_told_no_more_and_given_no_more, enter_follower)
{
	propose(&proposal);
	run_follower(STAGE_BEAT);
	propose(&later); /* it takes the place of the first */
	s.members[0].tolds = 0;
	run_follower(STAGE_BEAT);
	assert_true(was_told(&later));
	ask(&proposal, 0);
	assert_int_equal(s.members[0].pieces, 0);
	node_propose(s.nodes[0], NULL, NULL, 0);
	s.members[0].tolds = 0;
	run_follower(SEC);
	assert_int_equal(s.members[0].tolds, 0);
	ask(&later, 0);
	assert_int_equal(s.members[0].pieces, 0);
}

/* The leader asked for the piece just before. */
CASE(piece_of_a_proposal_that_has_ended_is_not_sent, enter_follower)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ASK_BYTES], datagram[PACKET_MAX];
	struct writer w = writer_of(frame, sizeof(frame));
	struct body body = member_body(&s.members[0], s.now);

	propose(&proposal);
	body.flags |= BODY_VOTES;
	body.frames_count = 1;
	member_write_ask(
	    &w, &(struct config_ask){ config_tag(&proposal), 290 });
	node_receive(s.nodes[0], s.now, 0, 0, datagram,
	    member_say(&s.members[0], &body, frame, w.size, datagram));
	node_propose(s.nodes[0], NULL, NULL, 0);
	stage_run(&s, SEC);
	assert_int_equal(s.members[0].pieces, 0);
	ask(&first, 0);
	assert_int_equal(s.members[0].pieces, 1);
}

CASE(proposal_is_told_to_nobody_but_the_leader, enter)
{
	propose(&proposal);
	s.members[0].tolds = 0;
	stage_run(&s, SEC);
	assert_int_equal(s.members[0].tolds, 0);
	lead();
	stage_run(&s, 20 * MSEC);
	assert_true(was_told(&proposal));
}

CASE(leader_tells_nobody_what_its_host_proposes, enter_leader)
{
	s.members[0].tolds = 0;
	propose(&proposal);
	stage_run(&s, SEC);
	assert_int_equal(s.members[0].tolds, 0);
}

CASE(leader_fetches_a_proposal_for_its_host, enter_leader)
{
	assert_true(asks_for(&proposal));
	give(&proposal);
	assert_int_equal(s.documents[0].pieces, 1);
	assert_int_equal(s.documents[0].size, QUORUM_DOCUMENT);
	assert_true(config_id_equal(&s.documents[0].config_id, &proposal));
	assert_true(s.documents[0].config_id.config_term == 0);
	assert_memory_equal(
	    s.documents[0].bytes, quorum_document(OTHER), QUORUM_DOCUMENT);
	/* Once only, while the host thinks about it. */
	assert_false(asks_for(&proposal));
	assert_true(asks_for(&later));
}

CASE(leader_fetches_only_what_is_newer_than_all_it_has, enter_leader)
{
	struct config_id other = first;

	other.digest[0] = 'z';
	assert_false(asks_for(&other));
	other.config_version = 2;
	assert_false(asks_for(&other));
	propose(&proposal);
	assert_false(asks_for(&proposal));
	other.config_version = 4;
	assert_false(asks_for(&other));
	assert_true(asks_for(&later));
}

CASE(leader_fetches_a_proposal_that_its_host_refused_after_a_minute,
    enter_leader)
{
	assert_true(asks_for(&proposal));
	give(&proposal);
	node_refuse(s.nodes[0], s.now, &proposal);
	assert_false(asks_for(&proposal));
	stage_run(&s, REFUSED - SEC);
	assert_false(asks_for(&proposal));
	stage_run(&s, SEC);
	assert_true(asks_for(&proposal));
	/* The host has not refused the later proposal. */
	node_refuse(s.nodes[0], s.now, &proposal);
	assert_false(asks_for(&proposal));
	assert_true(asks_for(&later));
}

/* The follower's own leader hears of the configuration, too. */
CASE(follower_fetches_no_configuration_without_a_config_term, enter_follower)
{
	assert_false(asks_for(&proposal));
	assert_false(asks_for(&later));
	assert_int_equal(s.documents[0].pieces, 0);
}

CASE(
    node_without_a_leader_fetches_no_configuration_without_a_config_term, enter)
{
	quorum_move_member(&s, &later);
	assert_false(asks_for(&later));
	assert_true(asks_for(&stamped));
}

/* The configuration may have been ruled out before the file was made. */
CASE(voter_with_a_file_fetches_no_config_term_of_an_earlier_config_version,
    enter)
{
	struct config_id earlier = stamped;

	s.members[0].config_id = stamped;
	earlier.config_version = 1;
	assert_false(asks_for(&earlier));
	assert_true(asks_for(&stamped));
	give(&stamped);
	assert_true(config_id_equal(&s.documents[0].config_id, &stamped));
}

/* The voter votes by what a leader admits it with. */
CASE(voter_that_does_not_vote_fetches_any_config_term, NULL)
{
	struct config_id earlier = stamped;

	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.setups[0].state_health = STATE_HEALTH_LOST;
	quorum_begin(&s, 3 * SEC);
	s.members[0].config_id = stamped;
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

	quorum_set(&s);
	quorum_exchange(&s, &first);
	s.setups[0].durable.config_id = first;
	s.setups[0].durable.config_id.config_term = 50;
	quorum_begin(&s, 3 * SEC);
	s.members[0].config_id = stamped;
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

	s.setups[0].config_id = stamped;
	s.setups[0].durable.config_id = stamped;
	stage_change(&s, 0);
	quorum_move_member(&s, &stamped);
	s.members[0].is_voting = true;
	stage_run(&s, SEC);
	assert_true(node_peer_status(s.nodes[0], 0).votes);
	s.members[0].config_id = file;
	assert_false(asks_for(&file));
	assert_false(node_peer_status(s.nodes[0], 0).votes);
	assert_int_equal(stage_status(&s, 0).votes, 1);
	quorum_move_member(&s, &stamped);
	assert_true(node_peer_status(s.nodes[0], 0).votes);
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
	propose(&proposal);
	s.setups[0].config_id = proposal;
	s.setups[0].config_id.config_term = term;
	stage_change(&s, 0);
	quorum_move_member(&s, &s.setups[0].config_id);
	s.members[0].tolds = 0;
	run_follower(SEC);
	assert_int_equal(s.members[0].tolds, 0);
	ask(&proposal, 0); /* the same digest, but the document in effect */
	assert_int_equal(s.members[0].pieces, 1);
	assert_memory_equal(
	    s.members[0].piece_bytes, quorum_document(0), QUORUM_DOCUMENT);
}

/* The leader stamps first what it has. */
CASE(change_to_something_earlier_leaves_the_proposal, enter_follower)
{
	propose(&proposal);
	s.setups[0].config_id.config_term = term;
	stage_change(&s, 0);
	quorum_move_member(&s, &s.setups[0].config_id);
	s.members[0].tolds = 0;
	run_follower(STAGE_BEAT);
	assert_true(was_told(&proposal));
	ask(&proposal, 0);
	assert_int_equal(s.members[0].pieces, 1);
	assert_memory_equal(
	    s.members[0].piece_bytes, quorum_document(OTHER), QUORUM_DOCUMENT);
}
