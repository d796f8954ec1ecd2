/* SPDX-License-Identifier: ISC */
/*
 * Handshakes: old and new keys, what the sides say of each other, and what a
 * node makes of verdicts, honest or not.
 */
#include "tests/lib/hex.h"
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

static struct stage s;
static struct member *const member = &s.members[0];
static uint8_t datagram[PACKET_MAX];

/* Keys of this byte, and of `second` if that is not 0. */
static struct setup_keys
keys_of(uint8_t first, uint8_t second)
{
	struct setup_keys keys = { .has_second = second != 0 };

	memset(keys.first, first, KEY_BYTES);
	memset(keys.second, second, KEY_BYTES);
	return keys;
}

static void
two_nodes(uint8_t key_2, uint8_t old_2, uint8_t key_3, uint8_t old_3)
{
	stage_set(&s, 2);
	s.setups[0].keys = keys_of(key_2, old_2);
	s.setups[1].keys = keys_of(key_3, old_3);
	stage_start(&s);
	stage_run(&s, 5 * SEC);
}

static void
assert_together(bool together)
{
	assert_int_equal(node_peer_status(s.nodes[0], 1).up, together);
	assert_int_equal(node_peer_status(s.nodes[1], 1).up, together);
	assert_int_equal(stage_status(&s, 0).leader, together ? 3 : 2);
	assert_int_equal(stage_status(&s, 1).leader, 3);
	stage_strike(&s);
}

#define CASE(name) STAGE_CASE(name, stage_enter_alone, &s)

/* How to change a key: first all nodes accept the new one, then all seal with
 * it, then none accepts the old one. */
TEST(nodes_stay_together_at_each_step_of_a_key_change)
{
	enum {
		OLD = 'o',
		NEW = 'n'
	};

	two_nodes(OLD, 0, OLD, NEW);
	assert_together(true);
	two_nodes(OLD, NEW, OLD, 0);
	assert_together(true);
	two_nodes(OLD, NEW, NEW, OLD);
	assert_together(true);
	two_nodes(NEW, OLD, OLD, NEW);
	assert_together(true);
	two_nodes(NEW, OLD, NEW, OLD);
	assert_together(true);
	two_nodes(NEW, 0, NEW, OLD);
	assert_together(true);
	two_nodes(NEW, 0, NEW, 0);
	assert_together(true);
}

/* Gives a running node other keys; `second` 0: none besides the first. */
static void
change_keys(unsigned i, uint8_t first, uint8_t second)
{
	const struct setup_keys keys = keys_of(first, second);

	node_change_keys(s.nodes[i], s.now, &keys);
	stage_perform(&s, i);
	stage_run(&s, 2 * SEC);
}

TEST(node_has_the_keys_that_it_was_given_last)
{
	const struct setup_keys one = keys_of('o', 0), two = keys_of('o', 'n'),
				other = keys_of('o', 'x');

	two_nodes('o', 0, 'o', 0);
	assert_true(node_has_keys(s.nodes[0], &one));
	assert_false(node_has_keys(s.nodes[0], &two));
	change_keys(0, 'o', 'n');
	assert_true(node_has_keys(s.nodes[0], &two));
	assert_false(node_has_keys(s.nodes[0], &one));
	assert_false(node_has_keys(s.nodes[0], &other));
	stage_strike(&s);
}

TEST(keys_change_while_the_nodes_run_and_no_session_ends)
{
	enum {
		OLD = 'o',
		NEW = 'n'
	};
	/* The last is a key that replaces another without a second one. */
	static const uint8_t steps[][2] = { { OLD, NEW }, { NEW, OLD },
		{ NEW, 0 }, { 'x', 0 } };

	two_nodes(OLD, 0, OLD, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		for (unsigned node = 0; node < 2; node++)
			change_keys(node, steps[i][0], steps[i][1]);
	}
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 0);
	assert_int_equal(stage_dropped(&s, 0, DROP_KEY), 0);
	assert_int_equal(stage_dropped(&s, 1, DROP_KEY), 0);
	/* New sessions begin under the new key. */
	s.is_cut = true;
	stage_run(&s, 5 * SEC);
	assert_false(node_peer_status(s.nodes[0], 1).session);
	s.is_cut = false;
	stage_run(&s, 5 * SEC);
	assert_together(true);
}

/* The node still accepts the key before, but neither an answer to a HELLO of
 * that time, nor an offer that it made then, begins a session. */
CASE(handshake_under_way_starts_anew_under_changed_keys)
{
	struct member before;
	uint8_t salt[SALT_BYTES];
	struct setup_keys keys = { .first = { 'n' }, .has_second = true };

	assert_true(member->was_greeted);
	memcpy(salt, member->their_salt, SALT_BYTES);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	before = *member;
	memcpy(keys.second, before.key, KEY_BYTES);
	node_change_keys(s.nodes[0], s.now, &keys);
	stage_perform(&s, 0);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(&before, datagram));
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	memcpy(member->key, keys.first, KEY_BYTES);
	stage_run(&s, SEC);
	assert_memory_not_equal(member->their_salt, salt, SALT_BYTES);
	stage_join(&s, 0);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

TEST(nodes_without_a_key_in_common_stay_apart)
{
	two_nodes('o', 0, 'n', 0);
	assert_true(stage_dropped(&s, 0, DROP_KEY) > 0);
	assert_true(stage_dropped(&s, 1, DROP_KEY) > 0);
	assert_together(false);
	two_nodes('o', 'x', 'n', 'y');
	assert_together(false);
}

/* What node `of` says of the keys of the other. */
static void
assert_keys(unsigned of, enum key_match first, enum key_match second)
{
	struct peer_status peer = node_peer_status(s.nodes[of], 1);

	assert_int_equal(peer.first_key, first);
	assert_int_equal(peer.second_key, second);
}

TEST(each_node_knows_the_keys_of_the_other_at_each_step)
{
	two_nodes('o', 0, 'o', 0);
	assert_keys(0, KEY_FIRST, KEY_NONE);
	change_keys(0, 'o', 'n');
	assert_keys(0, KEY_FIRST, KEY_NONE);
	assert_keys(1, KEY_FIRST, KEY_OTHER);
	change_keys(1, 'o', 'n');
	assert_keys(0, KEY_FIRST, KEY_SECOND);
	change_keys(0, 'n', 'o');
	assert_keys(0, KEY_SECOND, KEY_FIRST);
	assert_keys(1, KEY_SECOND, KEY_FIRST);
	change_keys(0, 'n', 0);
	assert_keys(0, KEY_OTHER, KEY_FIRST);
	assert_keys(1, KEY_SECOND, KEY_NONE);
	change_keys(1, 'x', 0);
	assert_keys(0, KEY_OTHER, KEY_NONE);
	assert_keys(1, KEY_OTHER, KEY_NONE);
	stage_strike(&s);
}

static bool
lacks(unsigned of, uint8_t byte)
{
	uint8_t key[KEY_BYTES];

	memset(key, byte, KEY_BYTES);
	return node_peer_lacks_key(s.nodes[of], 1, key);
}

/* A host knows whether a peer has a key before it sends with the key. */
TEST(node_knows_whether_a_peer_has_a_key)
{
	two_nodes('o', 0, 'o', 'n');
	assert_false(lacks(0, 'o'));
	assert_false(lacks(0, 'n'));
	assert_true(lacks(0, 'x'));
	assert_true(lacks(1, 'n'));
	s.is_cut = true;
	stage_run(&s, 5 * SEC);
	assert_false(lacks(0, 'x'));
	s.is_cut = false;
	stage_strike(&s);
}

/* The keys of an ended session say nothing of the process that comes next. */
TEST(keys_of_a_peer_without_a_session_are_not_known)
{
	two_nodes('o', 0, 'o', 0);
	s.is_cut = true;
	stage_run(&s, 5 * SEC);
	assert_keys(0, KEY_UNKNOWN, KEY_UNKNOWN);
	s.is_cut = false;
	stage_run(&s, 5 * SEC);
	assert_keys(0, KEY_FIRST, KEY_NONE);
	stage_strike(&s);
}

/* How many datagrams node 2 sends the member in 600 ms. Towards node 3, which
 * leads, the member goes on. */
static unsigned
datagrams_to_a_member_that_watches_nobody(void)
{
	struct body body = member_body(member, s.now);
	unsigned count = 0;

	body.watch = 0;
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_say(member, &body, NULL, 0, datagram));
	for (int i = 0; i < 60; i++) {
		if (i % 10 == 0)
			stage_beat(&s, 1, NULL, 0, 0);
		member->heard.incarnation = 0;
		stage_run(&s, 10 * MSEC);
		count += member->heard.incarnation != 0;
	}
	return count;
}

/* Node 2 tells it of the change at once, and with three rounds. */
TEST(changed_keys_are_told_to_peers_that_get_no_heartbeats)
{
	struct setup_keys keys = { .second = { 'n' }, .has_second = true };

	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	s.is_beating = false;
	assert_int_equal(datagrams_to_a_member_that_watches_nobody(), 0);
	assert_int_equal(member->heard.second_key_id, seal_key_id(member->key));
	memcpy(keys.first, member->key, KEY_BYTES);
	node_change_keys(s.nodes[0], s.now, &keys);
	stage_perform(&s, 0);
	assert_int_equal(member->heard.second_key_id, seal_key_id(keys.second));
	assert_int_equal(datagrams_to_a_member_that_watches_nobody(), 3);
	assert_int_equal(datagrams_to_a_member_that_watches_nobody(), 0);
	stage_strike(&s);
}

/* The whole wire format in one datagram: the same node gives the same bytes.
 * Its first hello went to the member. */
TEST(second_hello_is_these_bytes)
{
	stage_set(&s, 1);
	stage_start(&s);
	stage_run(&s, 0);
	assert_int_equal(s.last.size, HANDSHAKE_BYTES);
	assert_string_equal(hex_of(s.last.bytes, s.last.size),
	    "02013c00042d9853000000020000000300000000000000070000000000000002"
	    "818c45b61270c54a2632670d2b30f8856679b27f394d3f9829a02cdbc7a1edfe"
	    "60b4715cd95cd6fcb7f5c7d63d0239965bb8204784fa515cb44d82cbba774b4d"
	    "3e9b5e6bd815c365fe87e0fa6cbcbbd6b95082775646218512f4501915f76fb4"
	    "1fa8d360de452557acf58a3388263536917ca07f4938a0c1871d0cbd13f9a852"
	    "45bbd2fb25f3d0f530a1f9513eaaf503950e5849f29ecdc48d03c349730c8fa8");
	stage_strike(&s);
}

/* The member answers the node's hello; `h` is its answer. */
static void
answer(enum verdict verdict, uint64_t known)
{
	struct handshake h = { .verdict = verdict, .known = known };

	assert_true(member->was_greeted);
	memcpy(h.echo, member->their_salt, SALT_BYTES);
	stage_feed(&s, 0, FROM_MEMBER, datagram,
	    member_handshake(member, PACKET_HELLO_ACK, &h, datagram));
}

/* The node's state was lost, but a peer remembers it. */
CASE(node_goes_above_the_incarnation_that_a_peer_reports)
{
	answer(VERDICT_STALE, 41);
	assert_int_equal(s.durable.incarnation, 42);
	assert_int_equal(stage_status(&s, 0).incarnation, 42);
	stage_run(&s, 200 * MSEC);
	stage_join(&s, 0);
	assert_int_equal(member->their_incarnation, 42);
	assert_true(node_peer_status(s.nodes[0], 0).up);
}

CASE(lower_or_absurd_incarnations_raise_nothing)
{
	static const uint64_t known[] = { 0, 6, UINT64_MAX / 2, UINT64_MAX };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		answer(VERDICT_STALE, known[i]);
		assert_int_equal(s.durable.incarnation, 0);
		assert_int_equal(stage_status(&s, 0).incarnation, 7);
		stage_run(&s, 200 * MSEC);
	}
}

/* Each time costs all sessions: a peer that says so again and again is wrong,
 * or a second process is at work. */
CASE(incarnation_is_raised_once_a_second)
{
	answer(VERDICT_STALE, 41);
	stage_run(&s, 200 * MSEC);
	answer(VERDICT_STALE, 42);
	assert_int_equal(stage_status(&s, 0).incarnation, 42);
	assert_true(stage_status(&s, 0).duplicate);
	stage_run(&s, SEC);
	answer(VERDICT_STALE, 42);
	assert_int_equal(stage_status(&s, 0).incarnation, 43);
	assert_false(stage_status(&s, 0).duplicate);
}

/* A leader that turns out to have an old incarnation listens first. */
CASE(leader_that_learns_of_its_later_incarnation_gives_up)
{
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	answer(VERDICT_STALE, 7);
	assert_int_equal(stage_status(&s, 0).state, STATE_STARTING);
	assert_int_equal(stage_status(&s, 0).incarnation, 8);
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(node_that_learns_of_its_double_is_not_eligible_for_a_while)
{
	stage_run(&s, 3 * SEC);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
	answer(VERDICT_DUPLICATE, 7);
	assert_true(stage_status(&s, 0).duplicate);
	assert_int_equal(stage_status(&s, 0).leader, NODE_NONE);
	assert_int_equal(s.notices[NOTICE_DUPLICATE], 1);
	stage_run(&s, 4 * SEC);
	assert_false(stage_status(&s, 0).duplicate);
	assert_int_equal(s.notices[NOTICE_DUPLICATE], 2);
	assert_int_equal(stage_status(&s, 0).state, STATE_LEADER);
}

CASE(peer_with_other_settings_is_named_until_it_has_ours)
{
	for (int i = 0; i < 2; i++) {
		answer(VERDICT_DIFFERS, 0);
		assert_true(node_peer_status(s.nodes[0], 0).differs);
		assert_int_equal(s.notices[NOTICE_DIFFERS], 1);
		stage_run(&s, 200 * MSEC);
	}
	assert_false(node_peer_status(s.nodes[0], 0).session);
	stage_join(&s, 0);
	assert_false(node_peer_status(s.nodes[0], 0).differs);
	assert_int_equal(s.notices[NOTICE_DIFFERS], 2);
}

/* The member seems to have another key, until it proves that it has ours. */
static void
hint_of_another_key(void)
{
	struct member other = *member;

	other.key[0] ^= 1;
	for (int i = 0; i < 3; i++)
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(&other, datagram));
	assert_true(node_peer_status(s.nodes[0], 0).other_key);
}

CASE(peer_that_rejects_us_under_our_key_has_it)
{
	hint_of_another_key();
	answer(VERDICT_DIFFERS, 0);
	assert_true(node_peer_status(s.nodes[0], 0).differs);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
}

CASE(peer_that_we_reject_has_our_key_once_it_proves_it)
{
	hint_of_another_key();
	member->config_id.digest[0] = 1;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	/* The hello may be an old copy. */
	assert_true(node_peer_status(s.nodes[0], 0).other_key);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).differs);
	assert_false(node_peer_status(s.nodes[0], 0).other_key);
}

CASE(asker_with_other_settings_gets_that_verdict)
{
	member->config_id.digest[0] = 1;
	for (int i = 0; i < 2; i++) {
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(member, datagram));
		assert_int_equal(member->answer.verdict, VERDICT_DIFFERS);
		assert_false(node_peer_status(s.nodes[0], 0).session);
	}
	assert_int_equal(s.notices[NOTICE_DIFFERS], 0);
	/* The node believes it once it has proved that it is alive. */
	for (int i = 0; i < 2; i++) {
		stage_beat(&s, 0, NULL, 0, 0);
		assert_int_equal(s.notices[NOTICE_DIFFERS], 1);
		assert_false(node_peer_status(s.nodes[0], 0).session);
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(member, datagram));
	}
}

/* A process of the same id and incarnation, or a lower one. */
CASE(second_process_of_a_living_peer_is_a_duplicate)
{
	struct member other;

	stage_join(&s, 0);
	other = *member;
	for (uint64_t lower = 0; lower < 2; lower++) {
		member->instance[0]++;
		member->incarnation -= lower;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(member, datagram));
		assert_int_equal(member->answer.verdict, VERDICT_DUPLICATE);
		assert_int_equal(member->answer.known, 5);
	}
	stage_beat(&s, 0, NULL, 0, 0);
	assert_true(node_peer_status(s.nodes[0], 0).duplicate);
	assert_true(node_peer_status(s.nodes[0], 0).up);
	*member = other;
}

CASE(earlier_process_of_a_silent_peer_is_stale)
{
	stage_join(&s, 0);
	stage_run(&s, SEC);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	member->incarnation = 4;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_STALE);
	assert_int_equal(member->answer.known, 5);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	/* The node refuses its answer to our hello, too. */
	stage_run(&s, 2 * SEC);
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 1);
}

CASE(new_process_replaces_the_old_one_once_it_proves_itself)
{
	stage_join(&s, 0);
	member->incarnation = 6;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_hello(member, datagram));
	assert_int_equal(member->answer.verdict, VERDICT_WELCOME);
	assert_int_equal(node_peer_status(s.nodes[0], 0).incarnation, 5);
	stage_beat(&s, 0, NULL, 0, 0);
	assert_int_equal(node_peer_status(s.nodes[0], 0).incarnation, 6);
	assert_int_equal(s.notices[NOTICE_PEER_DOWN], 1);
	assert_int_equal(s.notices[NOTICE_PEER_UP], 2);
}

/* A member's handshake with a verdict that does not exist. */
CASE(handshakes_without_sense_are_dropped)
{
	struct handshake h = { .verdict = VERDICTS };

	memcpy(h.echo, member->their_salt, SALT_BYTES);
	for (int type = PACKET_HELLO; type <= PACKET_HELLO_ACK; type++) {
		s.bytes_sent = 0;
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_handshake(
			member, (enum packet_type)type, &h, datagram));
		assert_int_equal(s.bytes_sent, 0);
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), type);
	}
}

/* Under either key's identifier: a node with an old key has more keys to try,
 * but still takes nothing that no key opens. */
TEST(forged_hello_is_refused_under_both_keys)
{
	static const uint8_t keys[] = { 'n', 'o' };

	stage_set(&s, 1);
	s.setups[0].keys = keys_of('n', 'o');
	stage_start(&s);
	for (unsigned i = 0; i < 2; i++) {
		size_t size;

		memset(member->key, keys[i], KEY_BYTES);
		size = member_hello(member, datagram);
		datagram[size - 1] ^= 1;
		stage_feed(&s, 0, FROM_MEMBER, datagram, size);
		assert_int_equal(stage_dropped(&s, 0, DROP_SEAL), i + 1);
		assert_int_equal(member->answers, 0);
		stage_join(&s, 0);
		assert_true(node_peer_status(s.nodes[0], 0).up);
		member->answers = 0;
	}
	stage_strike(&s);
}

CASE(hello_of_an_absurd_incarnation_is_refused)
{
	static const uint64_t absurd[] = { 0, INCARNATION_MAX };

	for (size_t i = 0; i < 2; i++) {
		member->incarnation = absurd[i];
		stage_feed(&s, 0, FROM_MEMBER, datagram,
		    member_hello(member, datagram));
		assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), i + 1);
		assert_int_equal(member->answers, 0);
	}
}

/* Nobody could ever go above it. */
CASE(answer_of_an_absurd_incarnation_is_refused)
{
	assert_true(member->was_greeted);
	member->incarnation = INCARNATION_MAX + 1;
	stage_feed(
	    &s, 0, FROM_MEMBER, datagram, member_welcome(member, datagram));
	assert_int_equal(stage_dropped(&s, 0, DROP_INCARNATION), 1);
	assert_false(node_peer_status(s.nodes[0], 0).session);
	assert_int_equal(node_peer_status(s.nodes[0], 0).incarnation, 0);
	member->incarnation = 5;
	stage_run(&s, 200 * MSEC);
	stage_join(&s, 0);
	assert_int_equal(node_peer_status(s.nodes[0], 0).incarnation, 5);
}
