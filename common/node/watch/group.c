/* SPDX-License-Identifier: ISC */
/*
 * One datagram for several peers, by a multicast group (PROTOCOL.md, Group
 * datagrams): the heartbeats of a leader, and a message that an algorithm sends
 * to many.
 *
 * A process has a key for its group datagrams and tells it to each peer in
 * their session, with the lowest number that counts. A peer tells back the
 * latest number that it has taken, so we know who hears the group; whoever does
 * not is sent datagrams of its own, as all are without a group. Each group
 * datagram names its receivers, and gives each its timestamp back. So it says
 * to them what a datagram of the session would, but for a few bits that are for
 * one peer alone: the peer repeats those that it was told last, and if they
 * have changed, we tell them by the session.
 */

#include "common/node/watch/group.h"

#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"
#include "common/node/tape/vault.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/voters.h"

/* A follower that the leader's group datagrams reach answers every third round
 * of heartbeats. Its end is then noticed later than the leader's, which does
 * little harm. A voter answers each round, as each renews the lease. */
#define ANSWER_ROUNDS 3

/* In one of UNICAST_ROUNDS rounds a leader sends a peer that the group serves a
 * datagram of its own. Else nobody would find that unicast is blocked before it
 * is needed: when the leader fails. A peer takes unicast for blocked when
 * UNICAST_TRIES of these datagrams in a row did not come. */
#define UNICAST_ROUNDS 20
#define UNICAST_TRIES  4

/* The pause between two questions of who hears us; a leader asks by its
 * heartbeats. ASK_PAUSE at least, and ASK_EACH for each peer, so all nodes
 * together ask 50 times a second at most. After ASKS_EAGER questions in vain
 * multicast does not work: the pause is ASK_LAZINESS times as long. */
#define ASK_PAUSE    (200 * MSEC)
#define ASK_EACH     (20 * MSEC)
#define ASKS_EAGER   (3 * RUN_MIN)
#define ASK_LAZINESS 10

/* After RUN_MIN group datagrams in a row a peer hears us by the group; one miss
 * ends that. Where a tenth is lost, the group serves a peer for
 * a fifth of the time, and for a moment only; where none is, from the second
 * second on. */
#define RUN_MIN 16

/* How far the latest group datagram that a peer has taken may be behind ours:
 * each peer tells it with its heartbeats, and one may be on its way. With more,
 * the group that fails would cost a short lease. */
#define LAG_MAX 1

/* A heartbeat, or a message, to many peers is several datagrams: this number of
 * peers adds at most one. */
#define PEERS_EACH 128

#define ANSWER_PAUSE (ASK_PAUSE / 2) /* between two answers to that */

/* We tell our key anew each KEY_AGAIN, and forget the key of a peer that has
 * not told it anew for KEY_COUNTS. Timestamps repeat after 2^32 us = 71 min,
 * and a datagram held back for that long must not look like one of now. */
#define KEY_AGAIN  (300 * SEC)
#define KEY_COUNTS (5 * KEY_AGAIN)

#define FLAGS_FOR_ONE                                                          \
	(BODY_HEARD | BODY_DUPLICATE | BODY_TAKES_RIGHT | BODY_TAKES_LEFT |    \
	    BODY_BYPASSED)
#define WATCH_FOR_ONE (WATCH_WANTED | WATCH_GRANTED)

/* Where the parts are in a word. */
#define WORD_RESTARTS_AT 2
#define WORD_FLAGS_AT    8

_Static_assert(KEY_COUNTS < UINT32_MAX / 2 * USEC, "a timestamp says its age");
_Static_assert(WATCH_FOR_ONE < 1 << WORD_RESTARTS_AT, "they fit");
_Static_assert(RESTARTS_MAX << WORD_RESTARTS_AT < 1 << WORD_FLAGS_AT, "both");

/* Hosts of which each knows its neighbours only do not count nodes alike. */
bool
group_is_on(const struct node *node)
{
	return node->setup.has_group && configs_exchange(node);
}

void
group_change(struct node *node)
{
	struct node_group *g = &node->group;

	if (node->setup.has_group)
		keys_fresh_secret(node, g->key, KEY_BYTES);
	/* A number that nothing has: who took all under the last key says less
	 * than who has this one. */
	g->number++;
	g->first = g->number;
	g->asks = 0;
	g->ask_at = 0;
	g->turn = 0;
	g->is_due = g->is_message_due = false;
	g->message_size = 0; /* the channels send it again */
	g->receivers = (struct peer_set){ .used = 0 };
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		struct peer_group *pg = &p->group;

		pg->has_answered = pg->hears_us = false;
	}
}

void
group_reset(struct node *node, struct peer *p)
{
	assert(!p->has_session);
	peer_set_remove(&node->group.receivers, p->index);
	node->group.asks = 0;
	seal_wipe(&p->group, sizeof(p->group));
}

bool
group_reaches(const struct node *node, const struct peer *p)
{
	return p->group.hears_us && p->link.is_up && configs_agree(node, p) &&
	       !liveness_is_neighbour(node, p) && !snapshot_names(p) &&
	       (voters_number(p) == VOTER_NONE || voters_votes(p));
}

/* True if the peer leads, and its beats come by the group: we need not answer
 * each. */
static bool
is_served(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t beat = node->setup.timing.heartbeat;

	return voters_own_number(node) == VOTER_NONE &&
	       p->setup.id == lead_id(&node->lead) && p->group.served_at != 0 &&
	       nsec_since(now, p->group.served_at) < beat + beat / 2;
}

/* True if a datagram of its own is due to a peer that the group serves. */
static bool
unicast_is_due(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t beat = node->setup.timing.heartbeat;

	return nsec_since(now, p->group.sent_at) + beat / 2 >=
	       UNICAST_ROUNDS * beat;
}

bool
group_lacks_unicast(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t beat = node->setup.timing.heartbeat, since = p->group.unicast_at;

	if (node_leads(node) || p->setup.id != lead_id(&node->lead) ||
	    !p->has_session || p->group.served_at == 0 ||
	    nsec_since(now, p->group.served_at) >= UNICAST_TRIES * beat)
		return false;
	/* As a follower it may have sent us nothing. */
	if (since < node->lead.since)
		since = node->lead.since;
	return nsec_since(now, since) >= UNICAST_TRIES * UNICAST_ROUNDS * beat;
}

bool
group_spares(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t beat = node->setup.timing.heartbeat, silence;

	if (node_leads(node))
		return group_reaches(node, p) && !unicast_is_due(node, now, p);
	/* First it learns that we pause. All followers answer the same of its
	 * heartbeats, so that it wakes up seldom. */
	if (!is_served(node, now, p) || !p->group.knows_pause)
		return false;
	silence = timestamps_silence(p, now);
	return silence < beat + beat / 2 ||
	       (p->group.heard % ANSWER_ROUNDS != 0 &&
		   silence < ANSWER_ROUNDS * beat + beat / 2);
}

/* True if we are to tell the peer our key: until it confirms that it has the
 * key, and now and then. */
static bool
key_is_due(const struct node *node, nsec_t now, const struct peer *p)
{
	return group_is_on(node) &&
	       (!p->group.has_answered ||
		   nsec_since(now, p->group.key_told) >= KEY_AGAIN);
}

void
group_on_sent(const struct node *node, nsec_t now, struct peer *p)
{
	p->group.knows_pause = is_served(node, now, p);
	p->group.sent_at = now;
	if (key_is_due(node, now, p))
		p->group.key_told = now;
}

nsec_t
group_pause(const struct node *node, nsec_t now, const struct peer *p)
{
	nsec_t beat = node->setup.timing.heartbeat;

	return is_served(node, now, p) ? ANSWER_ROUNDS * beat : beat;
}

/* True if we do not know that the peer hears us, and it may. */
static bool
is_to_ask(const struct node *node, const struct peer *p)
{
	return p->group.has_answered && !p->group.hears_us && p->link.is_up &&
	       !liveness_is_neighbour(node, p);
}

static nsec_t
ask_pause(const struct node *node)
{
	nsec_t pause = node->peers_count * ASK_EACH;

	if (pause < ASK_PAUSE)
		pause = ASK_PAUSE;
	return node->group.asks < ASKS_EAGER ? pause : pause * ASK_LAZINESS;
}

void
group_beat(struct node *node, nsec_t now)
{
	struct node_group *g = &node->group;
	bool reaches = false, asks = false;

	if (!group_is_on(node))
		return;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		reaches |= group_reaches(node, p);
		asks |= is_to_ask(node, p);
		if (p->link.is_up && p->group.has_answered &&
		    key_is_due(node, now, p))
			peers_schedule(node, p);
	}
	if (node_leads(node)) {
		g->is_due = reaches || asks;
	} else if (asks && now >= g->ask_at) {
		g->asks += g->asks < ASKS_EAGER;
		g->ask_at = nsec_after(now, ask_pause(node));
		g->is_due = true;
	}
}

bool
group_carries(const struct node *node, const struct peer *p)
{
	return node->group.is_due && node_leads(node) && group_reaches(node, p);
}

void
group_offer(
    struct node *node, struct peer *p, const uint8_t *bytes, size_t size)
{
	struct node_group *g = &node->group;
	uint32_t sequence = p->has_session ? channel_newest(&p->channel) : 0;

	assert(size <= sizeof(g->message));
	if (g->is_message_due || !group_is_on(node) ||
	    !group_reaches(node, p) || sequence == 0 || sequence > UINT16_MAX)
		return;
	if (g->message_size == 0) {
		memcpy(g->message, bytes, size);
		g->message_size = size;
	}
	if (size != g->message_size || memcmp(g->message, bytes, size) != 0)
		return;
	p->group.sequence = sequence;
	peer_set_add(&g->receivers, p->index);
}

void
group_gather(struct node *node, nsec_t now)
{
	struct node_group *g = &node->group;
	unsigned count = 0;

	if (g->is_message_due || g->message_size == 0)
		return;
	for (unsigned i = peer_set_next(&g->receivers, 0); i < NODES_MAX;
	     i = peer_set_next(&g->receivers, i + 1)) {
		const struct peer *p = &node->peers[i];

		if (channel_newest(&p->channel) == p->group.sequence)
			count++;
		else
			peer_set_remove(&g->receivers, i);
	}
	if (count < 2) {
		g->receivers = (struct peer_set){ .used = 0 };
		g->message_size = 0;
		return;
	}
	g->is_message_due = true;
	for (unsigned i = peer_set_next(&g->receivers, 0); i < NODES_MAX;
	     i = peer_set_next(&g->receivers, i + 1))
		channel_sent(&node->peers[i].channel, now,
		    node->peers[i].group.sequence);
}

unsigned
group_word(const struct body *b)
{
	return (b->watch & WATCH_FOR_ONE) |
	       (unsigned)b->restarts << WORD_RESTARTS_AT |
	       (unsigned)(b->flags & FLAGS_FOR_ONE) << WORD_FLAGS_AT;
}

void
group_keep_word(
    struct peer *p, nsec_t now, uint64_t number, const struct body *b)
{
	p->group.unicast_at = now;
	if (number < p->group.word_number)
		return;
	p->group.word_number = number;
	p->group.word = (uint16_t)group_word(b);
}

void
group_add_word(const struct peer *p, struct body *b)
{
	unsigned word = p->group.word;

	b->watch |= word & WATCH_FOR_ONE;
	b->restarts = word >> WORD_RESTARTS_AT & RESTARTS_MAX;
	b->flags |= word >> WORD_FLAGS_AT & FLAGS_FOR_ONE;
}

bool
group_tells_key(const struct node *node, nsec_t now, const struct peer *p,
    struct group_key *key)
{
	/* Datagrams that we sent before were not for this session, or are too
	 * old. */
	key->first = node->group.number;
	memcpy(key->key, node->group.key, KEY_BYTES);
	return key_is_due(node, now, p);
}

bool
group_tells_heard(const struct peer *p, struct group_heard *heard)
{
	*heard = (struct group_heard){
		.number = p->group.heard,
		.run = p->group.run,
		.word = p->group.word,
	};
	return p->group.has_key;
}

void
group_take_key(const struct node *node, struct peer *p, nsec_t now,
    const struct group_key *key)
{
	struct peer_group *g = &p->group;
	bool is_known =
	    g->has_key && vault_same(node->recording.tape, g->key, key->key);

	assert(p->has_session);
	/* An earlier word, or an earlier key, that came late. */
	if (g->has_key &&
	    (is_known ? key->first < g->first : key->first <= g->first))
		return;
	g->has_key = true;
	g->first = key->first;
	g->key_at = now;
	if (is_known)
		return;
	g->run = 0;
	memcpy(g->key, key->key, KEY_BYTES);
	if (g->heard < key->first - 1)
		g->heard = key->first - 1;
}

void
group_take_heard(
    struct node *node, struct peer *p, const struct group_heard *heard)
{
	struct peer_group *g = &p->group;
	unsigned lag = LAG_MAX + node->peers_count / PEERS_EACH;
	bool heard_us = g->hears_us;

	if (!group_is_on(node) || heard->number < node->group.first - 1)
		return;
	/* Another node that has our key spoke for us: the peer will drop what
	 * we send to the group. */
	if (heard->number >= node->group.number) {
		if (heard_us)
			peers_schedule(node, p);
		g->hears_us = false;
		return;
	}
	/* Datagrams may overtake each other. */
	if (heard->number < g->told)
		return;
	g->told = heard->number;
	g->has_answered = true;
	g->hears_us = heard->run >= RUN_MIN &&
		      heard->number + 1 + lag >= node->group.number;
	if (!heard_us || g->hears_us)
		return;
	node->group.asks = 0;
	peers_schedule(node, p);
}

enum drop
group_unseal(const struct node *node, struct peer *p, nsec_t now,
    const struct packet_head *head, const uint8_t *bytes, size_t size,
    uint8_t *plain)
{
	struct peer_group *g = &p->group;

	assert(head->type == PACKET_GROUP);
	assert(size >= PACKET_HEAD_BYTES);
	if (!p->has_session || !g->has_key ||
	    !session_is_with(&p->session, head->incarnation))
		return DROP_SESSION;
	if (head->number <= g->heard || head->number < g->first)
		return DROP_REPLAY;
	if (nsec_since(now, g->key_at) > KEY_COUNTS)
		return DROP_LATE;
	if (!vault_open(node->recording.tape, g->key, bytes + PACKET_NONCE_AT,
		bytes, PACKET_CLEAR_BYTES, bytes + PACKET_HEAD_BYTES,
		size - PACKET_HEAD_BYTES, bytes + PACKET_CLEAR_BYTES, plain))
		return DROP_SEAL;
	if (head->number != g->heard + 1)
		g->run = 0;
	if (g->run < UINT8_MAX)
		g->run++;
	g->heard = head->number;
	return DROP_NONE;
}

void
group_on_served(struct peer *p, nsec_t now)
{
	p->group.served_at = now;
	p->group.served = p->group.heard;
}

void
group_on_passed(struct node *node, nsec_t now, struct peer *p)
{
	uint64_t parts = 1 + node->peers_count / PEERS_EACH;

	/* Another part of what is to many may have us. */
	if (p->group.served != 0 &&
	    p->group.heard - p->group.served <= 2 * parts)
		return;
	if (p->group.run < RUN_MIN || now < p->group.answer_at ||
	    (liveness_beats(p) && !group_spares(node, now, p)))
		return;
	p->group.answer_at = nsec_after(now, ANSWER_PAUSE);
	peers_schedule(node, p);
}

bool
group_is_due(const struct node *node)
{
	return node->group.is_message_due || node->group.is_due;
}

size_t
group_message(const struct node *node, const uint8_t **bytes)
{
	*bytes = node->group.message;
	return node->group.is_message_due ? node->group.message_size : 0;
}

bool
group_has_begun(const struct node *node)
{
	return node->group.turn > 0;
}

struct peer *
group_next_receiver(struct node *node)
{
	struct node_group *g = &node->group;

	assert(group_is_due(node));
	while (g->turn < node->peers_count) {
		struct peer *p = peers_by_id(node, g->turn++);

		if (g->is_message_due ? peer_set_has(&g->receivers, p->index)
				      : group_reaches(node, p)) {
			/* A heartbeat to the group announces no pause. */
			p->group.knows_pause = false;
			return p;
		}
	}
	return NULL;
}

uint32_t
group_sequence(const struct peer *p)
{
	return p->group.sequence;
}

void
group_seal(
    struct node *node, struct packet_head *head, uint8_t *datagram, size_t size)
{
	struct writer w = writer_of(datagram, PACKET_CLEAR_BYTES);

	head->version = PACKET_VERSION_GROUP;
	head->number = node->group.number++;
	packet_head_encode(&w, head);
	assert(!w.failed);
	vault_close(node->recording.tape, node->group.key,
	    datagram + PACKET_NONCE_AT, datagram, PACKET_CLEAR_BYTES,
	    datagram + PACKET_HEAD_BYTES, size, datagram + PACKET_CLEAR_BYTES);
}

void
group_sent(struct node *node)
{
	struct node_group *g = &node->group;

	assert(group_is_due(node));
	if (g->turn < node->peers_count)
		return;
	g->turn = 0;
	if (!g->is_message_due) {
		g->is_due = false;
		return;
	}
	g->is_message_due = false;
	g->message_size = 0;
	g->receivers = (struct peer_set){ .used = 0 };
}

void
group_check(const struct node *node, const struct peer *p)
{
	const struct node_group *g = &node->group;

	assert(g->first > 0);
	assert(g->first <= g->number);
	assert(p->has_session || !p->group.has_key);
	assert(p->has_session || !p->group.hears_us);
	assert(p->has_session || !peer_set_has(&g->receivers, p->index));
	assert(!p->group.hears_us || p->group.has_answered);
	assert(!g->is_message_due || g->message_size > 0);
}
