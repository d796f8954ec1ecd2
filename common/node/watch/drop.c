/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that a node drops (PROTOCOL.md, Order of checks). It counts all of
 * them and tells its host of some. It infers from a few that a peer has another
 * key.
 */

#include "common/node/watch/drop.h"

#include "common/node/context.h"
#include "common/node/links/topology.h"

/* From one notice to the next, first and at most. Any times do by which the log
 * stays short, and its last hour shows what goes on. */
#define GAP_MIN (60 * SEC)
#define GAP_MAX (3600 * SEC)

#define NOTE_COST       (10 * SEC) /* 6 notices of a kind a minute ... */
#define NOTE_BURST      (50 * SEC) /* ... over all peers, and 6 at once */
#define OTHER_KEY_HINTS 3          /* datagrams in a row that make a hint */

/* After the last such datagram: many times HELLO_LAZY, so a peer that runs
 * under another key has said HELLO again. */
#define OTHER_KEY_LASTS (60 * SEC)

/*
 * The host hears of the first datagram, and again after a minute. Then the gap
 * doubles, up to an hour. After two hours without a notice it is a minute
 * again. An attacker that forges addresses can speak for many peers, so the
 * notices of each kind are also bounded over all peers; no kind can silence
 * another.
 */
static bool
note_is_due(
    struct node *node, nsec_t now, struct drop_note *note, enum drop kind)
{
	nsec_t since = nsec_since(now, note->at);

	assert(kind > DROP_NONE);
	assert(kind < DROP_KINDS);
	assert(note->gap <= GAP_MAX);
	if (note->at != 0 && since < note->gap)
		return false;
	if (!bucket_take(
		&node->drops.told_until[kind], now, NOTE_COST, NOTE_BURST))
		return false;
	if (note->at == 0 || since >= 2 * GAP_MAX)
		note->gap = GAP_MIN;
	else
		note->gap = nsec_earlier(2 * note->gap, GAP_MAX);
	note->at = now;
	return true;
}

void
drop_note_source(struct node *node, node_id source)
{
	node->drops.claimed = source;
}

void
drop_datagram(struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	struct drop_note *note;

	assert(reason > DROP_NONE);
	assert(reason < DROP_KINDS);
	note = p != NULL ? &p->drops.notes[reason]
			 : &node->drops.strangers[reason];
	node->counters.dropped[reason]++;
	note->count++;
	if (!note_is_due(node, now, note, reason))
		return;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_DROPPED,
		.peer = p != NULL ? p->setup.id : NODE_NONE,
		.claimed = node->drops.claimed,
		.drop = reason,
		.datagrams = note->count,
	    });
	note->count = 0;
}

static void
other_key_note(struct node *node, nsec_t now, struct peer *p, bool on)
{
	assert(p->drops.other_key.is_told != on);
	p->drops.other_key.is_told = on;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_OTHER_KEY,
		.peer = p->setup.id,
		.on = on,
	    });
}

static void
other_key_begin(struct node *node, nsec_t now, struct peer *p)
{
	assert(p->drops.other_key.hints == OTHER_KEY_HINTS);
	assert(!p->has_session);
	if (!p->drops.other_key.is_seen)
		peer_set_add(&node->drops.other_keys, p->index);
	p->drops.other_key.is_seen = true;
	if (!p->drops.other_key.is_told &&
	    note_is_due(node, now, &p->drops.other_key.note, DROP_KEY))
		other_key_note(node, now, p, true);
}

void
drop_forgive_key(struct node *node, nsec_t now, struct peer *p)
{
	p->drops.other_key.hints = 0;
	if (!p->drops.other_key.is_seen)
		return;
	p->drops.other_key.is_seen = false;
	peer_set_remove(&node->drops.other_keys, p->index);
	if (p->drops.other_key.is_told)
		other_key_note(node, now, p, false);
}

/*
 * The datagram names the peer as its source and comes from the peer's address,
 * but we cannot open it. Anyone can forge that, so it changes only what we tell
 * the host, and only after a few in a row. A peer with a session has our key. A
 * peer that we seek no link with never has a session that would disprove a
 * forgery, so we take no hint from it.
 */
void
drop_unopened(struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	assert(p != NULL);
	assert(reason == DROP_KEY || reason == DROP_SEAL);
	if (p->has_session || !topology_keeps(node, p)) {
		drop_datagram(node, now, p, reason);
		return;
	}
	node->counters.dropped[reason]++;
	if (p->drops.other_key.until <= now)
		p->drops.other_key.hints = 0;
	p->drops.other_key.until = nsec_after(now, OTHER_KEY_LASTS);
	if (p->drops.other_key.hints < OTHER_KEY_HINTS)
		p->drops.other_key.hints++;
	if (p->drops.other_key.hints == OTHER_KEY_HINTS)
		other_key_begin(node, now, p);
}

bool
drop_has_other_key(const struct peer *p)
{
	return p->drops.other_key.is_seen;
}

void
drop_forget_keys(struct node *node, nsec_t now)
{
	for (unsigned i = peer_set_next(&node->drops.other_keys, 0);
	     i < NODES_MAX; i = peer_set_next(&node->drops.other_keys, i + 1)) {
		struct peer *p = &node->peers[i];

		assert(i < node->peers_count);
		assert(p->drops.other_key.is_seen);
		if (p->drops.other_key.until <= now || !topology_keeps(node, p))
			drop_forgive_key(node, now, p);
	}
}

void
drop_change(struct node *node)
{
	node->drops.other_keys = (struct peer_set){ .used = 0 };
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].drops.other_key.is_seen)
			peer_set_add(&node->drops.other_keys, i);
	}
}

void
drop_check(const struct node *node, const struct peer *p)
{
	const struct peer_other_key *k = &p->drops.other_key;

	assert(peer_set_has(&node->drops.other_keys, p->index) == k->is_seen);
	assert(k->hints <= OTHER_KEY_HINTS);
	assert(!k->is_seen || !p->has_session);
	assert(!k->is_told || k->is_seen);
}
