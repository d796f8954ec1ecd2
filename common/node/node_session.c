/* SPDX-License-Identifier: ISC */
/*
 * Sessions: how they begin and end, and the link that is up while both ends
 * of one hear each other.
 */
#include "common/node/node_private.h"

#include <string.h>

/* The link follows what both ends say; a change is told. */
void
node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	bool is_up = p->has_session && p->detector.is_heard && p->hears_us;

	if (is_up == p->is_up)
		return;
	p->is_up = is_up;
	node->watch_is_old = true;
	p->changed = now;
	p->evidence = is_up ? EVIDENCE_NONE : evidence;
	node_note(node, now,
	    (struct notice){
		.kind = is_up ? NOTICE_PEER_UP : NOTICE_PEER_DOWN,
		.peer = p->setup.id,
		.evidence = p->evidence,
	    });
	node_links_update(node, now, p);
	quorum_look(node, now);
	if (p->evidence == EVIDENCE_MISSED)
		steady_lose(node, now, p);
}

/* Down with a session; up with the next one as soon as a hello gets through. */
void
node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	if (!p->has_session)
		return;
	peer_touch(node, p);
	p->hears_us = false;
	node_link_judge(node, now, p, evidence);
	p->has_session = false;
	node->sessions_now--;
	p->detector.is_heard = false;
	channel_close(&p->channel, node->blocks);
	p->last_incarnation = p->session.incarnation;
	memcpy(p->last_key, p->session.receive_key, KEY_BYTES);
	seal_wipe(&p->session, sizeof(p->session));
	p->told_leader = NODE_NONE;
	p->is_watched = true;
	p->watches_us = p->is_doubted = p->is_missed = false;
	refusal_forget(p);
	p->votes = false;
	p->is_waiting = p->vote_due = p->request_due = false;
	p->request = (struct vote_request){ .term = 0 };
	p->moved_to = 0;
	p->vote.denial = DENIAL_NONE;
	p->takes[RING_RIGHT] = p->takes[RING_LEFT] = false;
	p->is_aside = false;
	p->stamp = 0;
	will_change(node, p);
	p->datagram_due = false;
	p->ping_due = false;
	p->hello_is_out = false;
	p->hello_tries = 0;
	p->hello_at = now;
}

/*
 * Memory for messages has run out, as one to or from `p` found. Whose session
 * is to end? Theirs whose message leads to it, and not of any honest peer that
 * is to be told of it; unless another keeps more than twice as much, and than
 * all do who are told of everything at once: then who speaks now just came
 * late.
 */
struct peer *
node_hoarder(struct node *node, struct peer *p)
{
	struct peer *speaker = node->speaker;
	struct peer *hoarder =
	    speaker != NULL && speaker->has_session ? speaker : p;
	size_t fair = blocks_count(node->blocks) / node->peers_count;
	size_t most = 2 * hoarder->channel.blocks_count;

	if (most < fair + fair / 2)
		most = fair + fair / 2;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *other = &node->peers[i];

		if (other->channel.blocks_count > most) {
			most = other->channel.blocks_count;
			hoarder = other;
		}
	}
	return hoarder;
}

/*
 * Is this process of a peer's known to be gone, and by what? What was heard of
 * the peer long ago proves nothing: its state may have been lost since, and
 * in a ring nobody tells it so who is no neighbour any more.
 */
enum evidence
node_process_end(
    struct node *node, nsec_t now, node_id id, uint64_t incarnation)
{
	const struct peer *p = node_find(node, id);

	if (p == NULL || incarnation == 0)
		return EVIDENCE_NONE;
	if (!p->has_session && nsec_since(now, p->stamped) > GONE_LASTS)
		return EVIDENCE_NONE;
	if (incarnation <= p->dead_incarnation)
		return p->gone_by;
	return incarnation < p->incarnation ? EVIDENCE_DIED : EVIDENCE_NONE;
}

/* Tells when somebody's id begins or ceases to be in use twice. */
void
node_note_duplicates(struct node *node, nsec_t now)
{
	bool is_now = node_is_duplicate(node, now);

	if (is_now != node->duplicate_noted) {
		node->duplicate_noted = is_now;
		node_note(node, now,
		    (struct notice){
			.kind = NOTICE_DUPLICATE,
			.peer = node->setup.self,
			.on = is_now,
		    });
	}
	for (unsigned i = peer_set_next(&node->duplicates, 0); i < NODES_MAX;
	     i = peer_set_next(&node->duplicates, i + 1)) {
		struct peer *p = &node->peers[i];

		is_now = p->duplicate_until > now;
		if (!is_now)
			peer_set_remove(&node->duplicates, i);
		if (is_now == p->duplicate_noted)
			continue;
		p->duplicate_noted = is_now;
		node_note(node, now,
		    (struct notice){
			.kind = NOTICE_DUPLICATE,
			.peer = p->setup.id,
			.on = is_now,
		    });
	}
}

/* A peer whose cluster-wide settings are not ours is named, once. */
void
node_set_differs(struct node *node, nsec_t now, struct peer *p, bool differs)
{
	if (p->differs == differs)
		return;
	p->differs = differs;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_DIFFERS,
		.peer = p->setup.id,
		.on = differs,
	    });
}

void
node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct session *s, const uint8_t *instance)
{
	bool is_new_process = s->incarnation != p->incarnation;

	node_session_end(
	    node, now, p, is_new_process ? EVIDENCE_DIED : EVIDENCE_RESET);
	steady_meet(node, now, p, is_new_process);
	if (is_new_process) {
		/* What was held against earlier ones: if there still are two
		 * of them, the other says hello again. */
		p->hello_seen = 0;
		p->duplicate_until = now;
	}
	p->incarnation = s->incarnation;
	memcpy(p->instance, instance, SALT_BYTES);
	p->session = *s;
	p->has_session = true;
	node->sessions_now++;
	p->session_name = ++node->sessions_count;
	will_change(node, p);
	p->said_at = now;
	p->silence = 0;
	p->hello_is_out = false;
	seal_wipe(&p->offer, sizeof(p->offer));
	seal_wipe(&p->rejection, sizeof(p->rejection));
	channel_open(&p->channel);
	detector_open(&p->detector, now, node->setup.heartbeat);
	peer_tell(node, p);
	if (p == node->leader_by)
		node->reported_beats = 0; /* it may have been lost */
	node_set_differs(node, now, p, false);
}

/* A datagram under an offer's keys: the process that said hello is alive. */
void
node_confirm(struct node *node, nsec_t now, struct peer *p, struct offer *made)
{
	struct offer offer = *made;

	if (!offer.is_stranger)
		node_forgive_key(node, now, p);
	switch (offer.verdict) {
	case VERDICT_WELCOME:
		node_session_begin(
		    node, now, p, &offer.session, offer.instance);
		p->hello_seen = offer.number;
		break;
	case VERDICT_DUPLICATE:
		p->duplicate_until = now + DUPLICATE_LASTS;
		peer_set_add(&node->duplicates, p->index);
		peer_tell(node, p);
		break;
	case VERDICT_DIFFERS:
		node_set_differs(node, now, p, true);
		break;
	case VERDICT_STALE: /* it has been told; it comes back with another */
	case VERDICTS:
		break;
	}
	seal_wipe(made, sizeof(*made));
	seal_wipe(&offer, sizeof(offer));
}
