/* SPDX-License-Identifier: ISC */
/*
 * Who watches whom (design.md 5). Whoever is watched sends heartbeats, and its
 * silence means something. Neighbours in a ring, tree or graph watch each other.
 * Where there are sessions between all, that would be n(n - 1) heartbeats an
 * interval: so there, while all is well, a leader and each of its followers
 * watch each other, and the leader's roll tells the followers of one another.
 * When the leader is in doubt, or there is none, or an election runs, which
 * waits for answers, everyone watches everyone; sessions have been kept for
 * that.
 */
#include "common/node_private.h"

#include <string.h>

/* Are there sessions by which messages of the algorithm do not go, or all? */
static bool
watch_is_star(const struct node *node)
{
	return node->setup.topology == TOPOLOGY_FULL || node_is_quorum(node);
}

/* Is it next to us in a ring, tree or graph? */
static bool
watch_is_neighbour(const struct node *node, const struct peer *p)
{
	if (node->setup.topology == TOPOLOGY_FULL)
		return false;
	return node_is_ring(node) ? ring_keeps(node, p) : !p->setup.is_remote;
}

void
watch_init(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		node->place += p->setup.id < node->setup.self;
		p->place = p->setup.id > node->setup.self;
		for (unsigned j = 0; j < node->peers_count; j++)
			p->place += node->peers[j].setup.id < p->setup.id;
		p->is_watched = true;
	}
}

/* There is no other that leads, or it has not been heard for so long that it was
 * asked. */
static bool
watch_wants_all(const struct peer *leader)
{
	return leader == NULL || !leader->is_up || leader->detector.pings > 0;
}

/* Is this one to be watched, whatever there is of a leader? */
static bool
watch_needs(const struct node *node, const struct peer *p)
{
	return watch_is_neighbour(node, p) || !p->is_up || p->is_doubted ||
	       p->is_missed;
}

/* Begins or ceases to watch a peer, and tells it. */
static void
watch_set(struct node *node, struct peer *p, bool is_watched)
{
	if (p->is_watched == is_watched)
		return;
	p->is_watched = is_watched;
	if (!p->has_session)
		return;
	p->datagram_due = true;
	if (!is_watched)
		return;
	detector_watch(&p->detector, node->woken);
	p->ping_due = true;
}

/* What this node says of itself is another now: also those that have no
 * heartbeats of ours are to know. */
static void
watch_tell(struct node *node)
{
	struct rank self = node_rank(node, node->woken);
	bool votes = node_is_quorum(node) && quorum_has_vote(node, node->woken);
	unsigned said =
	    (self.stands ? 1U : 0) | (self.sits ? 2U : 0) | (votes ? 4U : 0);

	if (said == node->said)
		return;
	node->said = said;
	for (unsigned i = 0; i < node->peers_count; i++)
		node->peers[i].datagram_due |= node->peers[i].has_session;
}

void
watch_update(struct node *node)
{
	node_id id = lead_id(&node->lead);
	const struct peer *leader;
	bool all;

	if (!watch_is_star(node))
		return;
	watch_tell(node);
	leader = node_find(node, id);
	if (watch_wants_all(leader))
		node->roll_agree = 0;
	all = node->election.is_open || watch_wants_all(leader);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		watch_set(node, p, all || p == leader || watch_needs(node, p));
	}
}

/* Somebody says that it is another, or not there: is it? */
void
watch_doubt(struct peer *p)
{
	p->is_doubted = p->has_session;
}

/* Is it one more silence to be lost, or not heard yet since it was asked? Who
 * is not watched is there, by the leader's word. */
bool
watch_doubts(const struct node *node, nsec_t now, const struct peer *p)
{
	if (!p->is_watched)
		return false;
	return !detector_is_current(&p->detector) ||
	       detector_doubts(
		   &p->detector, now, node->setup.misses, node->health);
}

/* When a peer that is asked and was not heard yet will have answered, or be
 * lost; 0: it need not. */
nsec_t
watch_answer_at(const struct node *node, const struct peer *p)
{
	if (!p->is_watched || detector_is_current(&p->detector))
		return 0;
	return detector_deadline(
	    &p->detector, node->setup.misses, node->health);
}

/* What a datagram of the peer's says of watching. Who goes on beating for us
 * though we do not want it any more is told again. */
void
watch_hear(struct peer *p, unsigned flags)
{
	p->watches_us = flags & WATCH_WANTED;
	p->is_doubted = false;
	if ((flags & WATCH_GRANTED) && !p->is_watched)
		p->datagram_due = true;
}

unsigned
watch_flags(const struct peer *p)
{
	return (p->is_watched ? WATCH_WANTED : 0) |
	       (p->watches_us ? WATCH_GRANTED : 0);
}

/* The leader's roll, if there is to be one; ROLL_BYTES_MAX at most. */
size_t
watch_roll(const struct node *node, uint8_t *bytes)
{
	uint8_t bits[NODES_MAX / 8] = { 0 };
	struct roll roll = {
		.agree = 1,
		.size = (node->peers_count + 1 + 7) / 8,
		.bits = bits,
	};
	struct writer w = writer_of(bytes, ROLL_BYTES_MAX);

	if (!node_leads(node) || !watch_is_star(node))
		return 0;
	bits[node->place / 8] |= (uint8_t)(1 << node->place % 8);
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (!p->is_up)
			continue;
		bits[p->place / 8] |= (uint8_t)(1 << p->place % 8);
		if (p->told_leader == node->setup.self &&
		    p->told_term == node->lead.pulse.term)
			roll.agree++;
	}
	roll_encode(&w, &roll);
	assert(!w.failed);
	return w.size;
}

void
watch_take_roll(
    struct node *node, const struct peer *from, const struct roll *roll)
{
	if (!watch_is_star(node) || lead_id(&node->lead) != from->setup.id ||
	    roll->size != (node->peers_count + 1 + 7) / 8 ||
	    node->woken < node->roll_at)
		return;
	/* Each may make us speak to all: a leader gone bad not at any rate. */
	node->roll_at = node->woken + node->setup.heartbeat / 2;
	node->roll_agree = roll->agree;
	if (node->roll_agree > node->peers_count + 1)
		node->roll_agree = (uint16_t)(node->peers_count + 1);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		p->is_missed = !(roll->bits[p->place / 8] >> p->place % 8 & 1);
	}
}
