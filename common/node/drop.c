/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that a node drops: it counts all of them, tells its host of some,
 * and sees by a few that a peer has another key.
 */
#include "common/node/node_inside.h"

#define GAP_MIN         (60 * SEC)   /* between two notices of one kind, */
#define GAP_MAX         (3600 * SEC) /* at first and in the end */
#define NOTE_COST       (10 * SEC)   /* of all peers: 6 a minute of a kind, */
#define NOTE_BURST      (50 * SEC)   /* and as many at once */
#define OTHER_KEY_HINTS 3            /* datagrams that make it believable */
#define OTHER_KEY_LASTS (60 * SEC)   /* after the last datagram under it */

/*
 * Whoever forges addresses speaks for many peers. So the notices of one kind
 * are bounded over all peers too, and one kind cannot silence another.
 */
static bool
kind_is_due(nsec_t *told_until, nsec_t now)
{
	if (*told_until > now + NOTE_BURST)
		return false;
	if (*told_until < now)
		*told_until = now;
	*told_until += NOTE_COST;
	return true;
}

/*
 * The host hears of the first, and of the next after a minute; then that pause
 * doubles, up to an hour, until there was none for twice as long.
 */
static bool
note_is_due(
    struct node *node, nsec_t now, struct drop_note *note, enum drop kind)
{
	nsec_t since = nsec_since(now, note->at);

	if (note->at != 0 && since < note->gap)
		return false;
	if (!kind_is_due(&node->drops.told_until[kind], now))
		return false;
	if (note->at == 0 || since >= 2 * GAP_MAX)
		note->gap = GAP_MIN;
	else
		note->gap = nsec_earlier(2 * note->gap, GAP_MAX);
	note->at = now;
	return true;
}

void
drop_datagram(struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	struct drop_note *note;

	assert(reason > DROP_NONE && reason < DROP_KINDS);
	note = p != NULL ? &p->drops[reason] : &node->drops.strangers[reason];
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
	p->other_key.is_told = on;
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
	if (!p->other_key.is_seen)
		peer_set_add(&node->drops.other_keys, p->index);
	p->other_key.is_seen = true;
	if (!p->other_key.is_told &&
	    note_is_due(node, now, &p->other_key.note, DROP_KEY))
		other_key_note(node, now, p, true);
}

static void
other_key_end(struct node *node, nsec_t now, struct peer *p)
{
	p->other_key.hints = 0;
	if (!p->other_key.is_seen)
		return;
	p->other_key.is_seen = false;
	peer_set_remove(&node->drops.other_keys, p->index);
	if (p->other_key.is_told)
		other_key_note(node, now, p, false);
}

/*
 * The datagram says that it is the peer's, and comes from the peer's address,
 * but we cannot open it. Anyone can forge that, so it only ever changes what
 * the host is told: once a few have come in a row, and not while the peer has
 * a session, and so our key. A peer to which we seek no link never has a
 * session that would disprove a forgery, so we take no hint from it.
 */
void
drop_unopened(struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	if (p->has_session || !topology_keeps(node, p)) {
		drop_datagram(node, now, p, reason);
		return;
	}
	node->counters.dropped[reason]++;
	if (p->other_key.until <= now)
		p->other_key.hints = 0;
	p->other_key.until = now + OTHER_KEY_LASTS;
	if (p->other_key.hints < OTHER_KEY_HINTS)
		p->other_key.hints++;
	if (p->other_key.hints == OTHER_KEY_HINTS)
		other_key_begin(node, now, p);
}

/* The peer has proved that it has our key, be it to reject us. */
void
drop_forgive_key(struct node *node, nsec_t now, struct peer *p)
{
	other_key_end(node, now, p);
}

/* Ends the hints that nothing renews, and those of peers to which we do not
 * seek a link any more. */
void
drop_forget_keys(struct node *node, nsec_t now)
{
	for (unsigned i = peer_set_next(&node->drops.other_keys, 0);
	     i < NODES_MAX; i = peer_set_next(&node->drops.other_keys, i + 1)) {
		struct peer *p = &node->peers[i];

		if (p->other_key.until <= now || !topology_keeps(node, p))
			other_key_end(node, now, p);
	}
}
