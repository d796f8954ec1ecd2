/* SPDX-License-Identifier: ISC */
/*
 * A node and a member that have different configurations of the shared settings
 * (PROTOCOL.md, Configurations): which of them asks, the pieces, and how long
 * elections wait.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"

#define BEAT  (100 * MSEC)
#define ROUND (BEAT + BEAT / 10) /* the longest interval of heartbeats */

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

static const struct config_id now = { .config_version = 3, .digest = "now" };
static const struct config_id early = { .config_version = 2,
	.digest = "early" };
static const struct config_id late = { .config_version = 4, .digest = "late" };
static const struct config_id later = { .config_version = 5, .digest = "more" };

/* The node's document: three pieces. */
static uint8_t document[2 * PIECE_MAX + 452];

/* Node 3, played by the test. */
static struct member other;

/* Node 2, which gives and takes documents, has just started. The member has a
 * later configuration. */
static int
enter_start(void **state)
{
	(void)state;
	stage_set(&s, 1);
	for (size_t i = 0; i < sizeof(document); i++)
		document[i] = (uint8_t)(i * 7 + i / PIECE_MAX);
	s.setups[0].config_id = now;
	s.setups[0].document = document;
	s.setups[0].document_size = sizeof(document);
	member->incarnation = 5;
	member->config_id = late;
	member->exchanges = true;
	stage_start(&s);
	stage_run(&s, 0);
	return 0;
}

static int
enter(void **state)
{
	enter_start(state);
	stage_join(&s, 0);
	assert(node_peer_status(s.nodes[0], 0).up);
	return 0;
}

static struct node_status
status(void)
{
	return stage_status(&s, 0);
}

/* Piece of a document whose bytes are those of the node's. */
static struct config_piece
piece_at(const struct config_id *config_id, uint32_t offset, size_t size)
{
	return (struct config_piece){
		.tag = config_tag(config_id),
		.offset = offset,
		.size = size,
		.bytes = document + offset,
	};
}

static void
say_piece(const struct config_id *config_id, uint32_t offset, size_t size)
{
	struct config_piece piece = piece_at(config_id, offset, size);

	stage_give(&s, 0, &piece);
}

/* Lets node 3 speak to the node, and hear the last answer. */
static void
other_says(const uint8_t *frames, size_t size, unsigned count)
{
	struct body body = member_body(&other, s.now);

	body.frames_count = (uint16_t)count;
	stage_feed(&s, 0, FROM_NODE, datagram,
	    member_say(&other, &body, frames, size, datagram));
	member_hear(&other, s.last.bytes, s.last.size);
}

static void
other_joins(const struct config_id *config_id)
{
	member_init(&other, 3, 2, s.setups[0].keys.first);
	other.config_id = *config_id;
	other.exchanges = true;
	stage_feed(&s, 0, FROM_NODE, datagram, member_hello(&other, datagram));
	assert_true(member_hear(&other, s.last.bytes, s.last.size));
	assert_true(other.has_session);
	other_says(NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], FROM_NODE).up);
}

static void
other_tells(const struct config_id *config_id, uint32_t size)
{
	uint8_t frame[FRAME_BYTES + CONFIG_ADVERT_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member_write_told(&w, &(struct config_advert){ *config_id, size });
	other_says(frame, w.size, 1);
}

/* The node's last question is for the piece at this offset. */
static void
assert_asks(const struct config_id *config_id, uint32_t offset)
{
	assert_int_equal(member->ask.tag, config_tag(config_id));
	assert_int_equal(member->ask.offset, offset);
}

/* The node asks the member for nothing, for a second. */
static void
assert_asks_nothing(void)
{
	unsigned asks = member->asks;

	s.is_beating = true;
	stage_run(&s, SEC);
	s.is_beating = false;
	assert_true(node_peer_status(s.nodes[0], 0).up);
	assert_int_equal(member->asks, asks);
}

#define CASE(name)          STAGE_CASE(name, enter, &s)
#define CASE_AT_START(name) STAGE_CASE(name, enter_start, &s)

CASE(a_node_tells_its_configuration_to_peers_with_another_alone)
{
	unsigned tolds;

	assert_true(member->tolds > 0);
	assert_int_equal(config_id_compare(&member->told.config_id, &now), 0);
	assert_int_equal(member->told.size, sizeof(document));
	assert_true(node_peer_status(s.nodes[0], 0).is_behind);
	member->config_id = now;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(node_peer_status(s.nodes[0], 0).is_behind);
	tolds = member->tolds;
	stage_run(&s, 2 * ROUND);
	assert_int_equal(member->tolds, tolds);
	member->config_id = early;
	stage_beat(&s, 0, NULL, 0, 0);
	stage_run(&s, ROUND);
	assert_true(member->tolds > tolds);
}

CASE(a_later_configuration_is_asked_for_at_once_and_again)
{
	unsigned asks;

	assert_int_equal(member->asks, 0);
	stage_tell_config(&s, 0, &late, 5000);
	assert_int_equal(member->asks, 1);
	assert_asks(&late, 0);
	stage_run(&s, BEAT);
	assert_true(member->asks > 1);
	asks = member->asks;
	s.is_beating = true;
	stage_run(&s, 10 * BEAT);
	assert_true(member->asks >= asks + 10);
	assert_asks(&late, 0);
	assert_int_equal(s.documents[0].pieces, 0);
}

/* Whichever of the two wins. */
CASE(two_configurations_of_one_config_version_are_told_to_the_host_once)
{
	const struct notice *last = &s.last_notices[NOTICE_CLASH];
	struct config_id wins = now, loses = now;

	wins.digest[0] = 0xff;
	loses.digest[0] = 0;
	stage_tell_config(&s, 0, &now, 5000);
	stage_tell_config(&s, 0, &early, 5000);
	assert_int_equal(s.notices[NOTICE_CLASH], 0);
	for (unsigned i = 1; i <= 3; i++) {
		stage_tell_config(&s, 0, &loses, 5000);
		assert_int_equal(s.notices[NOTICE_CLASH], 1);
		assert_int_equal(last->peer, 1);
	}
	assert_int_equal(member->asks, 0);
	stage_tell_config(&s, 0, &wins, 5000);
	assert_int_equal(s.notices[NOTICE_CLASH], 1);
	assert_int_equal(member->asks, 1);
	s.setups[0].config_id = late;
	stage_change(&s, 0);
	stage_tell_config(&s, 0, &late, 5000);
	loses = late;
	loses.digest[0] = 0;
	stage_tell_config(&s, 0, &loses, 5000);
	assert_int_equal(s.notices[NOTICE_CLASH], 2);
}

CASE(each_piece_is_asked_for_once_the_one_before_is_there)
{
	const uint32_t size = 2 * PIECE_MAX + 1;
	const struct stage_document *got = &s.documents[0];

	stage_tell_config(&s, 0, &late, size);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(member->asks, i + 1);
		assert_asks(&late, i * PIECE_MAX);
		say_piece(&late, i * PIECE_MAX, PIECE_MAX);
		assert_int_equal(got->pieces, i + 1);
		assert_int_equal(got->total, size);
		assert_int_equal(got->size, (i + 1) * PIECE_MAX);
		assert_int_equal(config_id_compare(&got->config_id, &late), 0);
	}
	assert_asks(&late, size - 1);
	say_piece(&late, size - 1, 1);
	assert_int_equal(got->size, size);
	assert_memory_equal(got->bytes, document, size);
	assert_asks_nothing();
	/* The host judges it: it is not fetched a second time. */
	stage_tell_config(&s, 0, &late, size);
	assert_asks_nothing();
	assert_int_equal(got->pieces, 3);
}

/* The piece is on its way to us, or was, or nobody asked for it. */
CASE(pieces_that_were_not_asked_for_change_nothing)
{
	struct config_id same_tag = late;

	say_piece(&late, 0, 100); /* we do not fetch */
	assert_int_equal(s.documents[0].pieces, 0);
	stage_tell_config(&s, 0, &late, 1000);
	say_piece(&late, 0, 600);
	assert_int_equal(s.documents[0].size, 600);
	say_piece(&late, 0, 600);
	say_piece(&late, 599, 401);
	say_piece(&late, 601, 399);
	say_piece(&later, 600, 400);
	say_piece(&late, 600, 401);
	say_piece(&late, 600, PIECE_MAX);
	assert_int_equal(s.documents[0].size, 600);
	assert_int_equal(s.documents[0].pieces, 1);
	assert_asks(&late, 600);
	same_tag.config_version++; /* a piece bears the tag alone */
	say_piece(&same_tag, 600, 400);
	assert_int_equal(s.documents[0].size, 1000);
}

CASE(a_piece_from_another_peer_changes_nothing)
{
	struct config_piece piece = piece_at(&late, 0, 100);
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	other_joins(&late);
	stage_tell_config(&s, 0, &late, 100);
	other_tells(&late, 100);
	assert_int_equal(other.asks, 0);
	member_write_piece(&w, &piece);
	other_says(frame, w.size, 1);
	assert_int_equal(s.documents[0].pieces, 0);
	say_piece(&late, 0, 100);
	assert_int_equal(s.documents[0].pieces, 1);
}

/* Ends the member's session; the frames come with its goodbye. */
static void
say_goodbye(const uint8_t *frames, size_t size, unsigned count)
{
	struct body body = member_body(member, s.now);
	uint8_t plain[PACKET_SEALED_MAX];
	struct writer w = writer_of(plain, sizeof(plain));

	body.frames_count = (uint16_t)count;
	body_encode(&w, &body);
	write_bytes(&w, frames, size);
	assert_false(w.failed);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_seal(member, PACKET_BYE, 0, plain, w.size, datagram));
	assert_false(node_peer_status(s.nodes[0], 0).session);
}

CASE(fetching_ends_with_the_session_and_begins_anew_with_another_peer)
{
	other_joins(&late);
	stage_tell_config(&s, 0, &late, 1000);
	say_piece(&late, 0, 600);
	other_tells(&late, 1000);
	assert_int_equal(other.asks, 0);
	say_goodbye(NULL, 0, 0);
	other_tells(&late, 1000);
	assert_int_equal(other.asks, 1);
	assert_int_equal(other.ask.offset, 0);
}

/* The rest of the document is lost with the session. */
CASE(a_piece_that_comes_with_the_goodbye_is_dropped)
{
	struct config_piece piece = piece_at(&late, 0, 600);
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	stage_tell_config(&s, 0, &late, 1000);
	member_write_piece(&w, &piece);
	say_goodbye(frame, w.size, 1);
	assert_int_equal(s.documents[0].pieces, 0);
}

CASE(the_last_piece_may_come_with_the_goodbye)
{
	struct config_piece piece = piece_at(&late, 0, 600);
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	stage_tell_config(&s, 0, &late, 600);
	member_write_piece(&w, &piece);
	say_goodbye(frame, w.size, 1);
	assert_int_equal(s.documents[0].total, 600);
	assert_int_equal(s.documents[0].size, 600);
}

/* Perhaps it has ended our session, and its goodbye was lost. */
CASE(another_peer_goes_on_when_the_first_does_not_answer)
{
	struct config_piece piece = piece_at(&late, 600, 300);
	uint8_t frame[FRAME_BYTES + PIECE_BYTES + PIECE_MAX];
	struct writer w = writer_of(frame, sizeof(frame));

	other_joins(&late);
	stage_tell_config(&s, 0, &late, 1000);
	say_piece(&late, 0, 600);
	stage_run(&s, BEAT);     /* the node asks again */
	other_tells(&late, 999); /* not the same */
	assert_int_equal(other.asks, 0);
	other_tells(&late, 1000);
	assert_int_equal(other.asks, 1);
	assert_int_equal(other.ask.offset, 600);
	say_piece(&late, 600, 400); /* too late */
	assert_int_equal(s.documents[0].size, 600);
	member_write_piece(&w, &piece);
	other_says(frame, w.size, 1);
	assert_int_equal(s.documents[0].size, 900);
	/* The other one answers: the member's word changes nothing. */
	stage_tell_config(&s, 0, &late, 1000);
	assert_int_equal(other.asks, 2);
	assert_int_equal(other.ask.offset, 900);
	say_piece(&late, 900, 100);
	assert_int_equal(s.documents[0].size, 900);
}

/* The member's datagrams overtake each other. */
CASE(a_late_datagram_does_not_bring_an_earlier_configuration_back)
{
	uint8_t overtaken[PACKET_MAX];
	struct body body;
	size_t size;

	assert_true(node_peer_status(s.nodes[0], 0).is_behind);
	body = member_body(member, s.now);
	size = member_say(member, &body, NULL, 0, overtaken);
	member->config_id = now;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(node_peer_status(s.nodes[0], 0).is_behind);
	stage_feed(&s, 0, FROM_MEMBER, overtaken, size);
	assert_false(node_peer_status(s.nodes[0], 0).is_behind);
}

/* The peer may yet take our configuration, or give its own. */
CASE(elections_wait_for_a_peer_with_another_configuration_but_not_for_long)
{
	const nsec_t longest = 3 * BEAT + SEC;

	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, longest - 1);
	assert_int_not_equal(status().state, STATE_LEADER);
	assert_int_equal(stage_elect(&s, 0), 0);
	stage_run(&s, BEAT);
	assert_int_equal(status().state, STATE_LEADER);
	assert_true(node_peer_status(s.nodes[0], 0).is_behind);
	stage_run(&s, 5 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	other_joins(&late); /* one more changes nothing */
	assert_true(stage_elect(&s, 0) > 0);
}

/* The peer takes part in no election of ours. */
CASE_AT_START(a_peer_with_another_configuration_is_no_successor)
{
	stage_run(&s, 3 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	stage_join(&s, 0);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_NOBODY);
	assert_int_equal(status().state, STATE_LEADER);
	assert_false(status().standby.is_on);
	member->config_id = now;
	stage_run(&s, SEC);
	assert_int_equal(status().state, STATE_LEADER);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
}

/* The node leads, and resigns as the member, which has a later
 * configuration, comes. */
static void
resign_early(void)
{
	stage_run(&s, 3 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	stage_join(&s, 0);
	s.is_beating = true;
	s.beat_at = s.now;
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_BEGUN);
	stage_run(&s, SEC);
	assert_int_equal(status().state, STATE_LEADER);
	assert_true(status().standby.is_on);
	assert_false(member->said.beacon.hands_over);
}

/* Nobody would elect while the peer may yet take our configuration. */
CASE_AT_START(resignation_waits_until_the_peers_have_one_configuration)
{
	resign_early();
	member->config_id = now;
	stage_run(&s, ROUND);
	assert_true(member->said.beacon.hands_over);
}

CASE_AT_START(resignation_ends_if_no_peer_takes_our_configuration)
{
	resign_early();
	stage_run(&s, SEC);
	assert_int_equal(status().state, STATE_LEADER);
	assert_false(status().standby.is_on);
	assert_false(member->said.beacon.hands_over);
}

CASE_AT_START(neighbour_with_another_configuration_is_no_successor)
{
	stage_strike(&s);
	stage_graph(&s);
	s.setups[0].algorithm = &algorithm_floodmax;
	s.setups[0].choices.diameter = 2;
	stage_start(&s);
	stage_run(&s, 3 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	stage_join(&s, 0);
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, 5 * SEC);
	assert_int_equal(stage_resign(&s, 0, NODE_NONE), RESIGN_NOBODY);
	assert_int_equal(status().state, STATE_LEADER);
}

CASE(elections_wait_no_longer_once_all_have_one_configuration)
{
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, SEC + 1);
	assert_int_not_equal(status().state, STATE_LEADER);
	assert_int_equal(stage_elect(&s, 0), 0);
	member->config_id = now;
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(stage_elect(&s, 0) > 0);
}

CASE(a_still_later_configuration_takes_the_place_of_the_one_that_is_fetched)
{
	other_joins(&later);
	stage_tell_config(&s, 0, &late, 1000);
	say_piece(&late, 0, 600);
	other_tells(&later, 700);
	assert_int_equal(other.asks, 1);
	assert_int_equal(other.ask.tag, config_tag(&later));
	assert_int_equal(other.ask.offset, 0);
	say_piece(&late, 600, 400);
	assert_int_equal(s.documents[0].size, 600);
	assert_asks_nothing();
}

/* A piece of one configuration and the word of a later one, in one datagram. */
CASE(a_piece_of_a_configuration_that_is_outdated_is_dropped)
{
	struct config_piece piece = piece_at(&late, 0, 600);
	uint8_t frames[PACKET_SEALED_MAX - BODY_BYTES];
	struct writer w = writer_of(frames, sizeof(frames));

	stage_tell_config(&s, 0, &late, 1000);
	member_write_piece(&w, &piece);
	member_write_told(&w, &(struct config_advert){ later, 1000 });
	stage_beat(&s, 0, frames, w.size, 2);
	assert_int_equal(s.documents[0].pieces, 0);
	assert_asks(&later, 0);
	say_piece(&later, 0, 1000);
	assert_int_equal(s.documents[0].size, 1000);
}

CASE(a_refused_configuration_is_not_fetched_again_but_a_later_one_is)
{
	struct config_id other_digest = late;

	stage_tell_config(&s, 0, &late, 10);
	say_piece(&late, 0, 10);
	node_refuse(s.nodes[0], s.now, &late);
	stage_perform(&s, 0);
	stage_tell_config(&s, 0, &late, 10);
	assert_asks_nothing();
	other_digest.digest[0]--;
	stage_tell_config(&s, 0, &other_digest, 10); /* earlier than that one */
	assert_asks(&other_digest, 0);
	stage_tell_config(&s, 0, &later, 10);
	assert_asks(&later, 0);
}

CASE(a_host_may_refuse_before_all_is_there)
{
	stage_tell_config(&s, 0, &late, DOCUMENT_MAX);
	say_piece(&late, 0, 10);
	node_refuse(s.nodes[0], s.now, &late);
	stage_perform(&s, 0);
	assert_asks_nothing();
	say_piece(&late, 10, 10);
	assert_int_equal(s.documents[0].pieces, 1);
}

CASE(no_configuration_but_a_later_one_is_fetched)
{
	struct config_id same = now;

	stage_tell_config(&s, 0, &now, 10);
	stage_tell_config(&s, 0, &early, 10);
	same.digest[0]--;
	stage_tell_config(&s, 0, &same, 10);
	assert_asks_nothing();
	same.digest[0] += 2; /* two files of one config version */
	stage_tell_config(&s, 0, &same, 10);
	assert_asks(&same, 0);
}

CASE(a_node_without_a_document_fetches_none_and_gives_none)
{
	stage_strike(&s);
	enter_start(state);
	stage_strike(&s);
	s.setups[0].document = NULL;
	s.setups[0].document_size = 0;
	member->config_id = now;
	stage_start(&s);
	stage_run(&s, 0);
	stage_join(&s, 0);
	stage_tell_config(&s, 0, &late, 10);
	stage_ask_config(&s, 0, &now, 0);
	say_piece(&late, 0, 10);
	stage_run(&s, BEAT);
	assert_int_equal(member->asks, 0);
	assert_int_equal(member->pieces, 0);
	assert_int_equal(s.documents[0].pieces, 0);
	assert_int_equal(member->tolds, 0);
}

CASE(a_node_gives_its_document_piece_by_piece)
{
	for (uint32_t at = 0, i = 0; at < sizeof(document); i++) {
		stage_ask_config(&s, 0, &now, at);
		assert_int_equal(member->pieces, i + 1);
		assert_int_equal(member->piece.tag, config_tag(&now));
		assert_int_equal(member->piece.offset, at);
		assert_memory_equal(
		    member->piece_bytes, document + at, member->piece.size);
		at += (uint32_t)member->piece.size;
		assert_true(
		    at == sizeof(document) || member->piece.size == PIECE_MAX);
	}
	/* Each question has one answer. */
	s.is_beating = true;
	s.beat_at = s.now;
	stage_run(&s, SEC);
	assert_int_equal(member->pieces, 3);
}

CASE(a_question_for_another_document_has_no_answer)
{
	stage_ask_config(&s, 0, &late, 0);
	stage_ask_config(&s, 0, &early, 0);
	stage_ask_config(&s, 0, &now, sizeof(document));
	stage_ask_config(&s, 0, &now, DOCUMENT_MAX - 1);
	stage_run(&s, BEAT);
	assert_int_equal(member->pieces, 0);
	stage_ask_config(&s, 0, &now, sizeof(document) - 1);
	assert_int_equal(member->pieces, 1);
	assert_int_equal(member->piece.size, 1);
}

/* The member says a message, under the tag of any configuration. */
static void
say_message(const struct config_id *config_id, uint64_t term)
{
	const struct message m = { .term = term,
		.rank = {
		    .is_eligible = true, .is_contender = true, .id = 1 } };
	const struct config_id has = member->config_id;
	uint8_t frame[FRAME_BYTES + TAGGED_BYTES];
	struct writer w = writer_of(frame, sizeof(frame));

	member->config_id = *config_id;
	member_write_message(member, &w, &m);
	member->config_id = has;
	stage_beat(&s, 0, frame, w.size, 1);
}

CASE(a_message_of_another_configuration_is_dropped_without_a_word)
{
	uint64_t term = status().term;
	const struct config_id *tags[] = { &early, &late };

	member->config_id = now;
	stage_beat(&s, 0, NULL, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		say_message(tags[i], term + 10);
		stage_run(&s, BEAT);
		assert_int_equal(status().term, term);
		assert_int_equal(member->heard.ack, member->sequence);
	}
	for (unsigned i = 0; i < DROP_KINDS; i++)
		assert_int_equal(stage_dropped(&s, 0, (enum drop)i), 0);
	say_message(&now, term + 10);
	assert_int_equal(status().term, term + 10);
}

/* An election would run among nodes that do not agree on who they are. */
CASE(a_peer_of_another_configuration_is_no_link_of_an_election)
{
	s.is_beating = true;
	stage_run(&s, 3 * SEC);
	assert_int_equal(status().state, STATE_LEADER);
	assert_int_equal(member->ack, 0);
	member->config_id = now;
	stage_run(&s, BEAT);
	stage_elect(&s, 0);
	assert_true(member->ack > 0);
	assert_int_equal(member->tag, config_tag(&now));
}

/* A member says ever later configurations, and gives none of them. */
CASE(a_member_makes_it_begin_a_fetch_once_a_second_at_most)
{
	struct config_id ever = late;
	unsigned begun = 0;

	for (unsigned i = 0; i < 100; i++) {
		ever.config_version++;
		ever.digest[0]++;
		stage_tell_config(&s, 0, &ever, 5000);
		begun += member->ask.tag == config_tag(&ever);
	}
	assert_int_equal(begun, 11);
	for (unsigned i = 0; i < 100; i++) {
		stage_run(&s, 100 * MSEC);
		ever.config_version++;
		ever.digest[0]++;
		stage_tell_config(&s, 0, &ever, 5000);
		begun += member->ask.tag == config_tag(&ever);
	}
	assert_in_range(begun, 11 + 9, 11 + 11);
}
