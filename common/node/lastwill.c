/* SPDX-License-Identifier: ISC */
/*
 * The last will (PROTOCOL.md, Last will): what a helper, which has neither keys
 * nor wits, is to say of this process once it is dead or hangs. For each
 * session there is one that says "died", and under the guarantee "quorum" one
 * that also gives up the term this node holds; sealed beforehand, and anew when
 * they change.
 */
#include "common/node/node_inside.h"

#include <string.h>

/* The session, or what it says of terms, is another now. */
void
lastwill_change(struct node *node, struct peer *p)
{
	peer_set_add(&node->will.due, p->index);
	p->will.died_due = p->will.release_due = true;
}

/* A session ends: its key opens a will that may yet come. */
void
lastwill_end_session(struct node *node, struct peer *p)
{
	p->will.last_incarnation = p->session.incarnation;
	memcpy(p->will.last_key, p->session.receive_key, KEY_BYTES);
	lastwill_change(node, p);
}

/* Voters are to hear of the term that we hold or claim, or have given up
 * without having told them yet. */
static void
will_look(struct node *node)
{
	const struct quorum *q = &node->quorum;
	uint64_t term = q->lease.term;

	if (term == 0 && q->releases_due > 0)
		term = q->lease.spent;
	if (term == node->will.term)
		return;
	node->will.term = term;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (!p->has_session || p->voting.number == VOTER_NONE)
			continue;
		peer_set_add(&node->will.due, i);
		p->will.release_due = true;
	}
}

/* Seals a will of PACKET_WILL_BYTES, never two under the same number. */
static size_t
will_build(struct node *node, struct peer *p, uint64_t term, uint8_t *datagram)
{
	struct writer w = writer_of(datagram, PACKET_HEAD_BYTES);
	struct writer plain =
	    writer_of(datagram + PACKET_HEAD_BYTES, WILL_BYTES);
	struct packet_head head = {
		.type = PACKET_DIED,
		.key_id = node->keys.id,
		.cluster_tag = node->keys.cluster_tag,
		.source = node->setup.self,
		.destination = p->setup.id,
		.incarnation = node->setup.durable.incarnation,
		.number = UINT64_MAX - p->session.wills++,
	};

	assert(head.number >= WILL_NUMBERS);
	packet_head_encode(&w, &head);
	assert(w.size == PACKET_CLEAR_BYTES);
	will_encode(&plain, &(struct will){ term });
	assert(plain.size == WILL_BYTES);
	seal_close(p->session.send_key, datagram + PACKET_NONCE_AT, datagram,
	    PACKET_CLEAR_BYTES, datagram + PACKET_HEAD_BYTES, WILL_BYTES,
	    datagram + PACKET_CLEAR_BYTES);
	return PACKET_WILL_BYTES;
}

/* The next of a peer's two wills that the helper is to have. */
static void
peer_will(struct node *node, struct peer *p, struct action *action)
{
	uint64_t term = p->voting.number != VOTER_NONE ? node->will.term : 0;

	action->kind = ACTION_WILL;
	action->peer = p->index;
	action->size = 0;
	action->releases = !p->will.died_due;
	if (p->has_session && (!action->releases || term != 0))
		action->size = will_build(
		    node, p, action->releases ? term : 0, action->datagram);
	if (p->will.died_due)
		p->will.died_due = false;
	else
		p->will.release_due = false;
	if (!p->will.died_due && !p->will.release_due)
		peer_set_remove(&node->will.due, p->index);
}

bool
lastwill_act(struct node *node, struct action *action)
{
	unsigned first;

	will_look(node);
	first = peer_set_next(&node->will.due, 0);
	if (first == NODES_MAX)
		return false;
	peer_will(node, &node->peers[first], action);
	return true;
}

/* Opens a will under this key. */
static enum drop
will_open(const uint8_t key[KEY_BYTES], const uint8_t *bytes, struct will *will)
{
	uint8_t plain[WILL_BYTES] = { 0 };
	struct reader r = reader_of(plain, sizeof(plain));

	if (!seal_open(key, bytes + PACKET_NONCE_AT, bytes, PACKET_CLEAR_BYTES,
		bytes + PACKET_HEAD_BYTES, WILL_BYTES,
		bytes + PACKET_CLEAR_BYTES, plain))
		return DROP_SEAL;
	return will_decode(&r, will) ? DROP_NONE : DROP_FORMAT;
}

/*
 * Finds the key that the dead process sealed its will with: of its session; of
 * one that it began, but that nothing was heard under; or of its last one, that
 * its silence has ended, or its first will.
 */
static enum drop
will_find(const struct peer *p, const struct packet_head *head,
    const uint8_t *bytes, struct will *will, const uint8_t **key)
{
	const struct session *s = &p->session, *o = &p->hello.offer.session;
	enum drop drop = DROP_SESSION;

	if (p->has_session && head->incarnation == s->incarnation)
		drop = will_open(*key = s->receive_key, bytes, will);
	if (drop != DROP_NONE && p->hello.offer.is_made &&
	    head->incarnation == o->incarnation)
		drop = will_open(*key = o->receive_key, bytes, will);
	if (drop != DROP_NONE && p->will.last_incarnation != 0 &&
	    head->incarnation == p->will.last_incarnation)
		drop = will_open(*key = p->will.last_key, bytes, will);
	return drop;
}

/* The process is dead, whatever else it seemed to say last. */
static void
peer_bury(struct node *node, nsec_t now, struct peer *p, uint64_t incarnation,
    const uint8_t *key)
{
	uint8_t kept[KEY_BYTES];

	if (incarnation <= p->process.dead_incarnation)
		return;
	p->process.dead_incarnation = incarnation;
	p->process.ended_by = EVIDENCE_DIED;
	memcpy(kept, key, KEY_BYTES);
	if (p->has_session && p->session.incarnation <= incarnation)
		node_session_end(node, now, p, EVIDENCE_DIED);
	if (p->hello.offer.is_made &&
	    p->hello.offer.session.incarnation <= incarnation)
		seal_wipe(&p->hello.offer, sizeof(p->hello.offer));
	/* One that releases may follow. */
	p->will.last_incarnation = incarnation;
	memcpy(p->will.last_key, kept, KEY_BYTES);
	seal_wipe(kept, sizeof(kept));
}

/* From any address: the helper has a socket of its own. */
void
lastwill_take(struct node *node, nsec_t now, struct peer *p,
    const struct packet_head *head, const uint8_t *bytes, size_t size)
{
	const uint8_t *key = NULL;
	enum drop drop = DROP_SEAL; /* no helper of ours sent it */
	struct will will;

	if (size == PACKET_WILL_BYTES && head->number >= WILL_NUMBERS)
		drop = will_find(p, head, bytes, &will, &key);
	/* Wills are said more than once, and this one was heard. */
	if (head->incarnation <= p->process.dead_incarnation &&
	    (drop != DROP_NONE || will.term == 0)) {
		node->counters.dropped[DROP_INCARNATION]++;
		return;
	}
	if (drop != DROP_NONE) {
		drop_datagram(node, now, p, drop);
		return;
	}
	node->counters.received++;
	peer_bury(node, now, p, head->incarnation, key);
	if (node_is_quorum(node) && will.term != 0)
		candidate_take_release(node, now,
		    (struct owner){ p->setup.id, head->incarnation },
		    will.term);
}
