/* SPDX-License-Identifier: ISC */
/*
 * Datagrams that a node drops: it counts all of them, tells its host of some,
 * and sees by a few that a peer has another key.
 */
#include "common/node_private.h"

#define GAP_MIN         (60 * SEC)   /* between two notices of one kind, */
#define GAP_MAX         (3600 * SEC) /* at first and in the end */
#define OTHER_KEY_LASTS (60 * SEC)   /* after the last datagram under it */

/*
 * The host hears of the first, and of the next after a minute; while they go
 * on, that pause doubles, up to an hour.
 */
static bool
drop_is_due(struct drop_note *note, nsec_t now)
{
	nsec_t since = nsec_since(now, note->at);

	if (note->at != 0 && since < note->gap)
		return false;
	if (note->at == 0 || since >= 2 * note->gap)
		note->gap = GAP_MIN;
	else
		note->gap = nsec_earlier(2 * note->gap, GAP_MAX);
	note->at = now;
	return true;
}

void
node_drop(struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	struct drop_note *note;

	assert(reason > DROP_NONE && reason < DROP_KINDS);
	note = p != NULL ? &p->drops[reason] : &node->stranger_drops[reason];
	node->counters.dropped[reason]++;
	note->count++;
	if (!drop_is_due(note, now))
		return;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_DROPPED,
		.peer = p != NULL ? p->setup.id : NODE_NONE,
		.claimed = node->claimed,
		.drop = reason,
		.datagrams = note->count,
	    });
	note->count = 0;
}

static void
other_key_set(struct node *node, nsec_t now, struct peer *p, bool on)
{
	if (p->has_other_key == on)
		return;
	p->has_other_key = on;
	if (on)
		marks_add(&node->other_keys, p->index);
	else
		marks_remove(&node->other_keys, p->index);
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_OTHER_KEY,
		.peer = p->setup.id,
		.on = on,
	    });
}

/*
 * The datagram says that it is the peer's, and comes from the peer's address,
 * but we cannot open it. Anyone can forge that, so it only ever changes what
 * the host is told: and not while the peer has a session, and so our key.
 */
void
node_drop_unopened(
    struct node *node, nsec_t now, struct peer *p, enum drop reason)
{
	if (p->has_session) {
		node_drop(node, now, p, reason);
		return;
	}
	node->counters.dropped[reason]++;
	p->other_key_until = now + OTHER_KEY_LASTS;
	other_key_set(node, now, p, true);
}

/* The peer has our key after all. */
void
node_forgive_key(struct node *node, nsec_t now, struct peer *p)
{
	other_key_set(node, now, p, false);
}

/* Forgets the keys of those who are not heard under them any more. */
void
node_forget_keys(struct node *node, nsec_t now)
{
	for (unsigned i = marks_next(&node->other_keys, 0); i < NODES_MAX;
	     i = marks_next(&node->other_keys, i + 1)) {
		struct peer *p = &node->peers[i];

		if (p->other_key_until <= now)
			other_key_set(node, now, p, false);
	}
}
