/* SPDX-License-Identifier: ISC */
/*
 * A node among many: in which order it sends hellos, to how many at once, which
 * peers it watches, which it tells first, and that it knows each by its id,
 * however they are configured.
 */
#include "tests/unit/group.h"

#include "common/node/node.h"
#include "common/wire/seal.h"
#include "tests/lib/member.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"

#define SELF  500
#define PEERS 200 /* ids 401 to 601, without SELF */
#define BEGIN (1000 * SEC)
#define BEAT  (100 * MSEC)

#define BUDGET 10 /* hellos an interval, of 2048 by 201 nodes; */
#define BEST   5  /* so many of them to the best */
#define MISSED 10 /* so many to those that the leader misses */

static const uint8_t key[KEY_BYTES];
static struct node *node;
static node_id greeted[PEERS]; /* in the last interval, in order */
static unsigned greeted_count;
static struct peer_setup peers[PEERS];
static struct member played[PEERS];
static nsec_t now; /* the time of these peers */

/* Each id once: 401, 601, 402, 600 and so on. */
static void
set_up(void)
{
	node_id low = 401, high = 601;

	for (unsigned i = 0; i < PEERS; i++) {
		if (low == SELF)
			low++;
		if (high == SELF)
			high--;
		peers[i] = (struct peer_setup){
			.id = i % 2 == 0 ? low++ : high--,
		};
	}
}

static void
begin(enum prefer prefer)
{
	struct node_setup setup = {
		.self = SELF,
		.peers = peers,
		.peers_count = PEERS,
		.topology = TOPOLOGY_FULL,
		.algorithm = &algorithm_bully,
		.prefer = prefer,
		.timing.heartbeat = BEAT,
		.timing.misses = 3,
		.timing.startup = 100 * SEC,
		.cluster = "web",
		.versions = PACKET_VERSIONS,
		.durable = { .incarnation = 1 },
		.state_health = STATE_HEALTH_SOUND,
	};

	node = node_init(calloc(1, node_size(&setup)), &setup, BEGIN);
	assert_non_null(node);
}

static int
enter(void **state)
{
	(void)state;
	set_up();
	now = BEGIN;
	begin(PREFER_HIGHEST);
	return 0;
}

static int
leave(void **state)
{
	(void)state;
	node_check(node);
	node_done(node);
	free(node);
	return 0;
}

/* Performs all that is due in one interval. */
static void
beat(void)
{
	struct action action;

	now = node_deadline(node);
	greeted_count = 0;
	node_tick(node, now);
	while (node_act(node, now, &action)) {
		if (!member_is_addressed(&action))
			continue;
		assert_true(greeted_count < PEERS);
		greeted[greeted_count++] = peers[action.peer].id;
	}
	node_check(node);
}

static bool
has_greeted(node_id id)
{
	for (unsigned i = 0; i < greeted_count; i++) {
		if (greeted[i] == id)
			return true;
	}
	return false;
}

#define CASE(name) TEST(name, enter, leave)

CASE(says_hello_to_so_many_an_interval)
{
	for (unsigned i = 0; i < 5; i++) {
		beat();
		assert_int_equal(greeted_count, BUDGET);
	}
}

CASE(the_best_are_the_first_to_be_greeted)
{
	beat();
	for (node_id id = 601; id > 601 - BEST; id--)
		assert_true(has_greeted(id));
}

CASE(the_best_are_the_lowest_where_these_are_preferred)
{
	leave(NULL);
	begin(PREFER_LOWEST);
	beat();
	for (node_id id = 401; id < 401 + BEST; id++)
		assert_true(has_greeted(id));
}

CASE(priority_counts_before_the_id)
{
	leave(NULL);
	peers[0].priority = 1;
	peers[1].role = ROLE_VOTER;
	begin(PREFER_HIGHEST);
	beat();
	assert_int_equal(peers[0].id, 401);
	assert_true(has_greeted(401));
	assert_int_equal(peers[1].id, 601);
	assert_false(has_greeted(601));
}

/* Peers that do not answer do not keep others from getting a hello. */
CASE(the_others_have_their_turn_from_our_own_place_on)
{
	for (node_id next = 501; next < 501 + 4 * BEST; next += BEST) {
		beat();
		for (node_id id = next; id < next + BEST; id++)
			assert_true(has_greeted(id));
	}
}

CASE(each_has_been_greeted_after_a_round)
{
	bool was_greeted[PEERS] = { false };

	for (unsigned i = 0; i < PEERS / BEST; i++) {
		beat();
		for (unsigned p = 0; p < PEERS; p++)
			was_greeted[p] |= has_greeted(peers[p].id);
	}
	for (unsigned p = 0; p < PEERS; p++)
		assert_true(was_greeted[p]);
}

/* The node knows one peer by its id, and drops its datagrams as not sealed; it
 * drops the others by their source. */
CASE(every_peer_is_known_by_its_id)
{
	uint64_t unknown = 0;

	for (node_id id = 390; id <= 610; id++) {
		struct packet_head head = {
			.version = PACKET_VERSION_HANDSHAKE,
			.type = PACKET_HELLO,
			.source = id,
			.destination = SELF,
		};
		uint8_t bytes[HANDSHAKE_BYTES] = { 0 };
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct action action;

		if (id == SELF)
			continue;
		head.cluster_tag = seal_cluster_tag("web");
		head.key_id = seal_key_id((const uint8_t[KEY_BYTES]){ 0 });
		packet_head_encode(&w, &head);
		node_receive(node, BEGIN, 0, PEER_NONE, bytes, sizeof(bytes));
		unknown += id < 401 || id > 601;
		assert_int_equal(
		    node_counters(node)->dropped[DROP_UNKNOWN], unknown);
		while (node_act(node, BEGIN, &action))
			;
	}
}

/* Gives the node one datagram of a member's, and performs all that follows. */
static void
hear(unsigned from, const uint8_t *bytes, size_t size)
{
	struct action action;

	node_receive(node, now, 0, from, bytes, size);
	while (node_act(node, now, &action)) {
		if (!member_is_addressed(&action) &&
		    action.kind != ACTION_REPLY)
			continue;
		member_hear(
		    &played[member_is_addressed(&action) ? action.peer : from],
		    action.datagram, action.size);
	}
}

static void
beat_of(unsigned member)
{
	uint8_t datagram[PACKET_MAX];
	struct body body = member_body(&played[member], now);

	hear(member, datagram,
	    member_say(&played[member], &body, NULL, 0, datagram));
}

/* Lets all of them come up. */
static void
join(void)
{
	uint8_t datagram[PACKET_MAX];

	for (unsigned i = 0; i < PEERS; i++) {
		member_init(&played[i], peers[i].id, SELF, key);
		hear(i, datagram, member_hello(&played[i], datagram));
		assert_true(played[i].has_session);
		beat_of(i);
		beat_of(i);
		assert_true(node_peer_status(node, i).up);
	}
}

static unsigned
watched(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < PEERS; i++)
		count += (played[i].heard.watch & WATCH_WANTED) != 0;
	return count;
}

/* Takes what the members receive after one input. */
static void
tell_members(void)
{
	struct action action;

	while (node_act(node, now, &action)) {
		if (member_is_addressed(&action))
			member_hear(
			    &played[action.peer], action.datagram, action.size);
	}
	node_check(node);
}

/* Lets time pass, without a datagram to the node. */
static void
pass(nsec_t duration)
{
	nsec_t until = now + duration;

	while (node_deadline(node) <= until) {
		if (now < node_deadline(node))
			now = node_deadline(node);
		node_tick(node, now);
		tell_members();
	}
	now = until;
}

/* Without a leader it watches the best; of the others five an interval. */
CASE(the_others_are_asked_in_turn_whether_they_are_there)
{
	unsigned before;

	join();
	before = watched();
	pass(BEAT / 2);
	assert_int_equal(watched(), before + 5);
	pass(BEAT);
	assert_int_equal(watched(), before + 10);
}

/* A heartbeat of 601, which leads, and hears no other node. */
static void
say_members(uint64_t number)
{
	const struct beacon beacon = { .term = 9,
		.leader = { .is_eligible = true,
		    .is_contender = true,
		    .id = 601 },
		.incarnation = 1,
		.number = number };
	uint8_t frames[128], bits[2 + (PEERS + 1 + 7) / 8] = { 0, 1 };
	const struct packet_frame members = { FRAME_MEMBERS, 0, bits,
		sizeof(bits) };
	struct writer w = writer_of(frames, sizeof(frames));
	uint8_t datagram[PACKET_MAX];
	struct body body = member_body(&played[1], now);

	bits[sizeof(bits) - 1] = 1;
	body.frames_count = 2;
	member_write_beacon(&w, &beacon);
	frame_encode(&w, &members);
	hear(1, datagram,
	    member_say(&played[1], &body, frames, w.size, datagram));
	assert_int_equal(node_status(node, now).leader, 601);
}

CASE(the_missing_are_looked_for_a_few_at_once)
{
	join();
	say_members(1);
	assert_int_equal(watched(), 1 + MISSED);
}

/* The leader does not hear peers any better that have answered. */
CASE(each_missed_peer_has_its_turn)
{
	bool was_watched[PEERS] = { false };

	join();
	for (unsigned beat = 1; beat <= 2 * PEERS / MISSED; beat++) {
		say_members(beat);
		assert_in_range(watched(), MISSED, 1 + MISSED);
		for (unsigned i = 0; i < PEERS; i++) {
			if (!(played[i].heard.watch & WATCH_WANTED))
				continue;
			was_watched[i] = true;
			beat_of(i);
		}
		pass(BEAT);
	}
	for (unsigned i = 0; i < PEERS; i++) {
		assert_true(was_watched[i]);
		assert_true(node_peer_status(node, i).up);
	}
}

/* Until they have answered no other has: so it finds a dead one. */
CASE(peer_that_is_missed_and_silent_is_lost)
{
	unsigned lost = 0;

	join();
	for (unsigned beat = 1; beat <= 7; beat++) {
		say_members(beat);
		pass(BEAT);
	}
	for (unsigned i = 0; i < PEERS; i++)
		lost += !node_peer_status(node, i).up;
	assert_int_equal(lost, MISSED);
}

/* Only the leader misses a follower. All have acknowledged that it leads: it
 * waits for nothing of theirs. */
CASE(leader_of_many_watches_all_of_them)
{
	leave(NULL);
	for (unsigned i = 0; i < PEERS; i++)
		peers[i].priority = -1;
	begin(PREFER_HIGHEST);
	join();
	assert_in_range(watched(), BUDGET, 2 * BUDGET);
	assert_true(node_elect(node, BEGIN) > 0);
	tell_members();
	assert_int_equal(node_status(node, BEGIN).state, STATE_LEADER);
	for (unsigned i = 0; i < PEERS; i++)
		beat_of(i);
	assert_int_equal(watched(), PEERS);
}

/* Lists the receivers of what the node sends now, by their numbers. */
static unsigned
spoken_to(unsigned *order, unsigned size)
{
	struct action action;
	unsigned count = 0;

	while (node_act(node, now, &action)) {
		if (!member_is_addressed(&action))
			continue;
		assert_true(count < size);
		order[count++] = action.peer;
	}
	node_check(node);
	return count;
}

CASE(goodbye_is_said_to_each_before_it_is_said_again)
{
	unsigned order[3 * PEERS];

	join();
	node_stop(node, now);
	assert_int_equal(spoken_to(order, 3 * PEERS), 3 * PEERS);
	for (unsigned i = 0; i < 3 * PEERS; i++)
		assert_int_equal(order[i], i % PEERS);
}

/* The successor has the most to do until others have a leader again. */
CASE(successor_hears_first_that_the_leader_hands_over)
{
	unsigned order[PEERS];

	leave(NULL);
	for (unsigned i = 0; i < PEERS; i++)
		peers[i].priority = i == 77 ? -1 : -2;
	begin(PREFER_HIGHEST);
	join();
	assert_true(node_elect(node, now) > 0);
	tell_members();
	for (unsigned i = 0; i < PEERS; i++)
		beat_of(i);
	assert_int_equal(node_resign(node, now, NODE_NONE, ""), RESIGN_BEGUN);
	assert_int_equal(spoken_to(order, PEERS), PEERS);
	assert_int_equal(order[0], 77);
	for (unsigned i = 1; i < PEERS; i++)
		assert_int_equal(order[i], i <= 77 ? i - 1 : i);
}
