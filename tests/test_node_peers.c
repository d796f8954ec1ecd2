/* SPDX-License-Identifier: ISC */
/*
 * A node among many: in which order it says hello, to how many at once, whom it
 * watches, and that it knows each of them by its id, however they are
 * configured. And the sets that this rests on.
 */
#include "common/marks.h"
#include "common/node.h"
#include "common/seal.h"
#include "tests/member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/registry.h"

#define SELF  500
#define PEERS 200 /* ids 401 to 601, without SELF */
#define BEGIN (1000 * SEC)
#define BEAT  (100 * MSEC)

#define BUDGET 10 /* of 2048 an interval, by 201 nodes: hellos; */
#define BEST   5  /* so many of them to the best */

static const uint8_t key[KEY_BYTES];
static struct node *node;
static node_id greeted[PEERS]; /* in the last interval, in their order */
static unsigned greeted_count;
static struct peer_setup peers[PEERS];
static struct member played[PEERS];

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
		.heartbeat = BEAT,
		.misses = 3,
		.startup = 100 * SEC,
		.cluster = "web",
		.record = { .incarnation = 1 },
		.memory = MEMORY_SOUND,
	};

	node = node_init(calloc(1, node_size(&setup)), &setup, BEGIN);
	assert_non_null(node);
}

static int
enter(void **state)
{
	(void)state;
	set_up();
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

/* All that is due in one interval. */
static void
beat(void)
{
	nsec_t now = node_deadline(node);
	struct action action;

	greeted_count = 0;
	node_tick(node, now);
	while (node_act(node, now, &action)) {
		if (action.kind != ACTION_SEND)
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

static void
says_hello_to_so_many_an_interval(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		beat();
		assert_int_equal(greeted_count, BUDGET);
	}
}

static void
the_best_are_the_first_to_be_greeted(void **state)
{
	(void)state;
	beat();
	for (node_id id = 601; id > 601 - BEST; id--)
		assert_true(has_greeted(id));
}

static void
the_best_are_the_lowest_where_these_are_preferred(void **state)
{
	(void)state;
	leave(NULL);
	begin(PREFER_LOWEST);
	beat();
	for (node_id id = 401; id < 401 + BEST; id++)
		assert_true(has_greeted(id));
}

static void
priority_counts_before_the_id(void **state)
{
	(void)state;
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

/* Who does not answer keeps nobody else from being greeted. */
static void
the_others_have_their_turn_from_our_own_place_on(void **state)
{
	(void)state;
	for (node_id next = 501; next < 501 + 4 * BEST; next += BEST) {
		beat();
		for (node_id id = next; id < next + BEST; id++)
			assert_true(has_greeted(id));
	}
}

static void
each_has_been_greeted_after_a_round(void **state)
{
	bool was_greeted[PEERS] = { false };

	(void)state;
	for (unsigned i = 0; i < PEERS / BEST; i++) {
		beat();
		for (unsigned p = 0; p < PEERS; p++)
			was_greeted[p] |= has_greeted(peers[p].id);
	}
	for (unsigned p = 0; p < PEERS; p++)
		assert_true(was_greeted[p]);
}

/* Whoever is known by its id, its datagrams are dropped for what they are: not
 * sealed; the others for who they are from. */
static void
every_peer_is_known_by_its_id(void **state)
{
	uint64_t unknown = 0;

	(void)state;
	for (node_id id = 390; id <= 610; id++) {
		struct packet_head head = {
			.type = PACKET_HELLO, .source = id, .destination = SELF
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

/* One datagram of a member's, and all that comes of it. */
static void
hear(unsigned from, const uint8_t *bytes, size_t size)
{
	struct action action;

	node_receive(node, BEGIN, 0, from, bytes, size);
	while (node_act(node, BEGIN, &action)) {
		if (action.kind != ACTION_SEND && action.kind != ACTION_REPLY)
			continue;
		member_hear(
		    &played[action.kind == ACTION_SEND ? action.peer : from],
		    action.datagram, action.size);
	}
}

static void
beat_of(unsigned member)
{
	uint8_t datagram[PACKET_MAX];
	struct body body = member_body(&played[member], BEGIN);

	hear(member, datagram,
	    member_say(&played[member], &body, NULL, 0, datagram));
}

/* All of them come up. */
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

/* What the members hear of one input. */
static void
tell_members(nsec_t now)
{
	struct action action;

	while (node_act(node, now, &action)) {
		if (action.kind == ACTION_SEND)
			member_hear(
			    &played[action.peer], action.datagram, action.size);
	}
	node_check(node);
}

/* Time passes, in which nobody says a word to it. */
static void
pass(nsec_t from, nsec_t until)
{
	for (nsec_t now = from; node_deadline(node) <= until;) {
		if (now < node_deadline(node))
			now = node_deadline(node);
		node_tick(node, now);
		tell_members(now);
	}
}

/* Leaderless, it watches the best; of the others five an interval. */
static void
the_others_are_asked_in_turn_whether_they_are_there(void **state)
{
	unsigned before;

	(void)state;
	join();
	before = watched();
	pass(BEGIN, BEGIN + BEAT / 2);
	assert_int_equal(watched(), before + 5);
	pass(BEGIN + BEAT / 2, BEGIN + BEAT * 3 / 2);
	assert_int_equal(watched(), before + 10);
}

/* A leader's roll that has nobody else: a few of them are looked for at once. */
static void
the_missing_are_looked_for_a_few_at_once(void **state)
{
	const struct pulse pulse = { .term = 9,
		.leader = { true, false, 0, 601 },
		.incarnation = 1,
		.number = 1 };
	uint8_t frames[128], bits[2 + (PEERS + 1 + 7) / 8] = { 0, 1 };
	const struct packet_frame roll = { FRAME_ROLL, 0, bits, sizeof(bits) };
	struct writer w = writer_of(frames, sizeof(frames));
	uint8_t datagram[PACKET_MAX];
	struct body body;

	(void)state;
	bits[sizeof(bits) - 1] = 1;
	join();
	body = member_body(&played[1], BEGIN);
	body.frames_count = 2;
	member_write_pulse(&w, &pulse);
	frame_encode(&w, &roll);
	hear(1, datagram,
	    member_say(&played[1], &body, frames, w.size, datagram));
	assert_int_equal(node_status(node, BEGIN).leader, 601);
	assert_int_equal(watched(), 1 + BUDGET);
}

/* Nobody else misses a follower. All have acknowledged that it leads: it waits
 * for nothing of theirs. */
static void
who_leads_many_watches_all_of_them(void **state)
{
	(void)state;
	leave(NULL);
	for (unsigned i = 0; i < PEERS; i++)
		peers[i].priority = -1;
	begin(PREFER_HIGHEST);
	join();
	assert_in_range(watched(), BUDGET, 2 * BUDGET);
	assert_true(node_elect(node, BEGIN) > 0);
	tell_members(BEGIN);
	assert_int_equal(node_status(node, BEGIN).state, STATE_LEADER);
	for (unsigned i = 0; i < PEERS; i++)
		beat_of(i);
	assert_int_equal(watched(), PEERS);
}

static void
marks_are_found_in_their_order(void **state)
{
	static const unsigned members[] = { 0, 1, 63, 64, 127, 500, 1023 };
	struct marks marks = { { 0 } };
	unsigned at = 0;

	(void)state;
	assert_int_equal(marks_next(&marks, 0), NODES_MAX);
	for (size_t i = 0; i < 7; i++)
		marks_add(&marks, members[i]);
	for (size_t i = 0; i < 7; i++) {
		at = marks_next(&marks, at);
		assert_int_equal(at++, members[i]);
	}
	assert_int_equal(marks_next(&marks, at), NODES_MAX);
}

static void
marks_come_and_go(void **state)
{
	struct marks marks = { { 0 } }, others = { { 0 } }, changed;

	(void)state;
	marks_add(&marks, 64);
	marks_add(&marks, 70);
	marks_add(&others, 70);
	assert_true(marks_has(&marks, 64));
	assert_false(marks_has(&marks, 65));
	changed = marks_changed(&marks, &others);
	assert_int_equal(marks_next(&changed, 0), 64);
	assert_int_equal(marks_next(&changed, 65), NODES_MAX);
	marks_remove(&marks, 64);
	marks_remove(&marks, 65);
	assert_int_equal(marks_next(&marks, 0), 70);
}

#define case_of(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		case_of(says_hello_to_so_many_an_interval),
		case_of(the_best_are_the_first_to_be_greeted),
		case_of(the_best_are_the_lowest_where_these_are_preferred),
		case_of(priority_counts_before_the_id),
		case_of(the_others_have_their_turn_from_our_own_place_on),
		case_of(each_has_been_greeted_after_a_round),
		case_of(every_peer_is_known_by_its_id),
		case_of(the_others_are_asked_in_turn_whether_they_are_there),
		case_of(the_missing_are_looked_for_a_few_at_once),
		case_of(who_leads_many_watches_all_of_them),
		cmocka_unit_test(marks_are_found_in_their_order),
		cmocka_unit_test(marks_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
