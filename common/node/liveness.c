/* SPDX-License-Identifier: ISC */
/*
 * Who watches whom (PROTOCOL.md, Watching). A peer that is watched sends
 * heartbeats, and its silence means something. Neighbours in a ring, tree or
 * graph watch each other. Where there are sessions between all, that would be
 * n(n - 1) heartbeats an interval: so there, while all is well, a leader and
 * each of its followers watch each other, and the leader's members tells the
 * followers of one another. When the leader is in doubt, or there is none, or
 * an election runs, which waits for answers, everyone watches those of whom it
 * matters; sessions have been kept for that. With a quorum that is everyone.
 * Else it is the best, and whoever owes an answer; the others are asked in
 * turn.
 */
#include "common/node/node_inside.h"

#include <string.h>

/* What all nodes do an interval; peers_budget() is one node's part of it. */
#define WATCH_BEST   2048 /* of the best, watched where there is no leader */
#define WATCH_ROUND  1024 /* of the others, asked in turn */
#define WATCH_MISSED 2048 /* of those that the leader misses, at once */

#define HEALTH_LASTS  10         /* heartbeats, at most a second */
#define REFUSAL_PARTS 10         /* of a heartbeat, between two refusals */
#define REFUSAL_MIN   (5 * MSEC) /* between two refusals: time to answer */

/* Is it next to us in a ring, tree or graph? */
bool
liveness_is_neighbour(const struct node *node, const struct peer *p)
{
	if (node->setup.topology == TOPOLOGY_FULL)
		return false;
	return node_is_ring(node) ? ring_keeps(node, p) : !p->setup.is_remote;
}

void
liveness_init(struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++)
		node->peers[i].live.is_watched = true;
}

/* There is no other that leads, or it has not been heard for so long that it
 * was asked, or its host refuses us. */
static bool
liveness_wants_all(const struct peer *leader)
{
	return leader == NULL || !leader->is_up ||
	       leader->live.detector.pings > 0 || leader->live.is_refused;
}

/* Is this one to be watched, whatever there is of a leader? */
static bool
liveness_needs(const struct node *node, const struct peer *p)
{
	return liveness_is_neighbour(node, p) || !p->is_up ||
	       p->live.is_doubted || p->live.is_refused || p->live.is_missed;
}

/* Without a leader, or beside one in doubt, the best of those who are up are
 * watched: with them it is decided who leads next. */
static void
liveness_choose(struct node *node)
{
	struct peer_set best = { { 0 } }, changed;
	unsigned count = 0, limit = peers_budget(node, WATCH_BEST);

	if (!node->live.watches_all || !node_is_limited(node) ||
	    !node->live.watch_is_old)
		return;
	node->live.watch_is_old = false;
	for (unsigned i = 0; i < node->peers_count && count < limit; i++) {
		const struct peer *p = &node->peers[node->table.by_rank[i]];

		if (!p->is_up || p->setup.id == lead_id(&node->lead))
			continue;
		peer_set_add(&best, p->index);
		count++;
	}
	changed = peer_set_changed(&best, &node->live.watched_best);
	for (unsigned i = peer_set_next(&changed, 0); i < NODES_MAX;
	     i = peer_set_next(&changed, i + 1))
		peers_touch(node, &node->peers[i]);
	node->live.watched_best = best;
}

/* Without a leader: is it one of those, or owes it us that it is there? */
static bool
liveness_asks(const struct node *node, const struct peer *p)
{
	return !node_is_limited(node) || node_leads(node) ||
	       p->channel.held_count > 0 ||
	       peer_set_has(&node->live.watched_best, p->index);
}

/* A session has ended: the next begins with watching. */
void
liveness_reset(struct peer *p)
{
	p->live.detector.is_heard = false;
	p->live.is_watched = true;
	p->live.watches_us = p->live.is_doubted = p->live.is_missed = false;
	liveness_forget_refusals(p);
}

/* Begins or ceases to watch a peer, and tells it. */
static void
liveness_set_watched(struct node *node, struct peer *p, bool is_watched)
{
	if (p->live.is_watched == is_watched)
		return;
	p->live.is_watched = is_watched;
	peers_schedule(node, p);
	if (!p->has_session || !is_watched)
		return;
	detector_watch(&p->live.detector, node->stall.woken);
	p->due.ping = true;
}

void
liveness_update(struct node *node)
{
	node_id id = lead_id(&node->lead);
	const struct peer *leader;
	bool all;

	if (!node_is_star(node))
		return;
	leader = peers_find(node, id);
	if (liveness_wants_all(leader))
		node->live.members_agree = 0;
	all = node->election.is_open || liveness_wants_all(leader);
	if (all != node->live.watches_all || id != node->live.watched_leader ||
	    node->setup.topology != TOPOLOGY_FULL)
		peers_touch_all(node);
	node->live.watches_all = all;
	node->live.watch_is_old |= id != node->live.watched_leader;
	node->live.watched_leader = id;
	liveness_choose(node);
	for (unsigned i = peer_set_next(&node->table.touched, 0); i < NODES_MAX;
	     i = peer_set_next(&node->table.touched, i + 1)) {
		struct peer *p = &node->peers[i];

		liveness_set_watched(node, p,
		    p == leader || liveness_needs(node, p) ||
			(all && liveness_asks(node, p)));
	}
}

/* Without a leader the others are asked in turn whether they are there. */
void
liveness_round(struct node *node)
{
	unsigned budget = peers_budget(node, WATCH_ROUND);

	if (!node->live.watches_all || !node_is_limited(node) ||
	    node_leads(node))
		return;
	for (unsigned i = 0; i < node->peers_count && budget > 0; i++) {
		unsigned turn = node->table.by_id[node->live.watch_turn].index;
		struct peer *p = &node->peers[turn];

		node->live.watch_turn =
		    (node->live.watch_turn + 1) % node->peers_count;
		if (!p->has_session || p->live.is_watched)
			continue;
		liveness_question(p);
		peers_touch(node, p);
		budget--;
	}
}

/* Somebody says that it is another, or not there: is it? */
void
liveness_question(struct peer *p)
{
	p->live.is_doubted = p->has_session;
}

/* Is it one more silence to be lost, or not heard yet since it was asked? Who
 * is not watched is there, by the leader's word. */
bool
liveness_doubts(const struct node *node, nsec_t now, const struct peer *p)
{
	if (!p->live.is_watched)
		return false;
	return !detector_is_current(&p->live.detector) ||
	       detector_doubts(&p->live.detector, now, node->setup.misses,
		   node->stall.local_health);
}

/* When a peer that is asked and was not heard yet will have answered, or be
 * lost; 0: it need not. */
nsec_t
liveness_answer_at(const struct node *node, const struct peer *p)
{
	if (!p->live.is_watched || detector_is_current(&p->live.detector))
		return 0;
	return detector_deadline(
	    &p->live.detector, node->setup.misses, node->stall.local_health);
}

/* What a datagram of the peer's says of watching. Whoever is up and begins to
 * watch us may be in doubt of the leader; while a link comes up both ends want
 * to watch each other. Who goes on beating for us though we do not want it any
 * more is told again. */
void
liveness_hear(struct node *node, struct peer *p, unsigned flags)
{
	if ((flags & WATCH_WANTED) && !p->live.watches_us && p->is_up &&
	    node_is_star(node))
		liveness_ask_leader(node, p);
	p->live.watches_us = flags & WATCH_WANTED;
	p->live.is_doubted = false;
	liveness_forget_refusals(p);
	if ((flags & WATCH_GRANTED) && !p->live.is_watched)
		p->due.datagram = true;
}

unsigned
liveness_flags(const struct peer *p)
{
	return (p->live.is_watched ? WATCH_WANTED : 0) |
	       (p->live.watches_us ? WATCH_GRANTED : 0);
}

/* The leader's members, if there is to be one, gathered once an input: its
 * size */
size_t
liveness_members(struct node *node)
{
	uint8_t bits[NODES_MAX / 8] = { 0 };
	struct members members = {
		.agree = 1,
		.size = (node->peers_count + 1 + 7) / 8,
		.bits = bits,
	};
	struct writer w = writer_of(node->live.members, MEMBERS_BYTES_MAX);

	if (!node_leads(node) || !node_is_star(node))
		return 0;
	if (node->live.members_size > 0)
		return node->live.members_size;
	bits[node->table.place / 8] |= (uint8_t)(1 << node->table.place % 8);
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (!p->is_up)
			continue;
		bits[p->place / 8] |= (uint8_t)(1 << p->place % 8);
		if (p->told.leader == node->setup.self &&
		    p->told.term == node->lead.beacon.term)
			members.agree++;
	}
	members_encode(&w, &members);
	assert(!w.failed);
	node->live.members_size = w.size;
	return w.size;
}

static bool
members_lack(const struct members *members, const struct peer *p)
{
	return p->has_session &&
	       !(members->bits[p->place / 8] >> p->place % 8 & 1);
}

/*
 * Those that the leader misses are looked for, of many a few at once; when all
 * of these have answered, the next. A leader may not hear some for long.
 */
static void
liveness_look_for_missed(struct node *node, const struct members *members)
{
	unsigned count = 0, last = 0, limit = node->peers_count;
	bool are_heard = true, are_more = false;

	if (node_is_limited(node))
		limit = peers_budget(node, WATCH_MISSED);
	for (unsigned i = 0; i < node->peers_count; i++) {
		unsigned at = (node->live.missed_turn + i) % node->peers_count;
		struct peer *p = &node->peers[at];
		bool is_missed = members_lack(members, p);

		are_more |= is_missed && count == limit;
		is_missed &= count < limit;
		if (is_missed != p->live.is_missed) {
			p->live.is_missed = is_missed;
			peers_touch(node, p);
			are_heard &= !is_missed;
		}
		if (is_missed) {
			count++;
			last = at;
			are_heard &= detector_is_current(&p->live.detector);
		}
	}
	if (are_more && are_heard)
		node->live.missed_turn = (last + 1) % node->peers_count;
}

void
liveness_take_members(
    struct node *node, const struct peer *from, const struct members *members)
{
	if (!node_is_star(node) || lead_id(&node->lead) != from->setup.id ||
	    members->size != (node->peers_count + 1 + 7) / 8 ||
	    node->stall.woken < node->live.members_at)
		return;
	/* Each may make us speak to all: a leader gone bad not at any rate. */
	node->live.members_at = node->stall.woken + node->setup.heartbeat / 2;
	node->live.members_agree = members->agree;
	if (node->live.members_agree > node->peers_count + 1)
		node->live.members_agree = (uint16_t)(node->peers_count + 1);
	liveness_look_for_missed(node, members);
}

/* How much later than we asked to we run now. */
nsec_t
liveness_lag(const struct node *node, nsec_t now)
{
	nsec_t asked = node->stall.wanted > node->stall.woken
			   ? node->stall.wanted
			   : node->stall.woken;

	return nsec_since(now, asked);
}

/*
 * Have the others given us up by now? They count from our last heartbeat, and
 * allow for jitter, which we do not: we know it before they do.
 */
bool
liveness_was_given_up(const struct node *node, nsec_t now)
{
	return liveness_lag(node, now) > node->setup.heartbeat / 2 &&
	       nsec_since(now, node->stall.spoke_at) >= node_detection(node);
}

/*
 * After so long without a stall it doubts itself less: by its heartbeats, for
 * what is a stall is measured by them, too.
 */
nsec_t
liveness_health_lasts(const struct node *node)
{
	return nsec_earlier(SEC, HEALTH_LASTS * node->setup.heartbeat);
}

/*
 * How long to wait for its answer, or for what the others get to know of it
 * when it is the leader, whom they have to ask: two round trips.
 */
static nsec_t
liveness_refusal_pause(const struct node *node, const struct peer *p)
{
	nsec_t pause = node->setup.heartbeat / REFUSAL_PARTS;

	if (pause < REFUSAL_MIN)
		pause = REFUSAL_MIN;
	if (pause < 2 * p->channel.rtt.smoothed)
		pause = 2 * p->channel.rtt.smoothed;
	return nsec_earlier(pause, node->setup.heartbeat);
}

/* There is no leader, and all are to know: they may have been refused too. */
static void
liveness_lose_leader(struct node *node, nsec_t now)
{
	node->lead.stale_at = now;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].is_up)
			peers_schedule(node, &node->peers[i]);
	}
}

/* Where nothing listens a hello is no use, and hosts refuse no more than one
 * datagram a second: the next process will say hello itself. */
static void
liveness_hello_rarely(struct peer *p, nsec_t now)
{
	if (p->hello.tries < HELLO_EAGER)
		p->hello.tries = HELLO_EAGER;
	p->hello.at = now + HELLO_LAZY;
}

/* Enough of it. Has anybody who reaches the leader said so since the first
 * time? */
void
liveness_believe_refusal(struct node *node, nsec_t now, struct peer *p)
{
	bool is_leader = lead_id(&node->lead) == p->setup.id;

	node_suspect(node, now, p, EVIDENCE_REFUSED);
	liveness_hello_rarely(p, now);
	if (is_leader && node_is_star(node) &&
	    node->lead.heard <= p->live.refused_at)
		liveness_lose_leader(node, now);
}

/* A peer that followed our leader follows nobody: it has lost it. If we were
 * refused, even once, so have we. */
void
liveness_heed_refusals(struct node *node, nsec_t now, const struct peer *from)
{
	struct peer *leader = peers_find(node, lead_id(&node->lead));

	if (leader != NULL && leader != from && leader->live.is_refused &&
	    node_is_star(node))
		liveness_believe_refusal(node, now, leader);
}

/* Not so soon after one that an answer has made up for: what is said to it then
 * may be refused as well, if by somebody else, and so on without end. */
static bool
liveness_refusal_counts(
    const struct node *node, nsec_t now, const struct peer *p)
{
	return p->live.refused_at == 0 ||
	       nsec_since(now, p->live.refused_at) >= node->setup.heartbeat;
}

void
liveness_take_refusal(struct node *node, nsec_t now, struct peer *p)
{
	if (!p->has_session) {
		liveness_hello_rarely(p, now);
	} else if (!p->live.is_refused) {
		if (!liveness_refusal_counts(node, now, p))
			return;
		p->live.is_refused = true;
		p->live.refused_at = now;
		p->live.ask_at = now + liveness_refusal_pause(node, p);
	} else if (p->live.ask_at == NSEC_NEVER) {
		/* If it lives, its answer comes all the same. */
		p->live.is_refused_twice = true;
		p->live.ask_at = now + liveness_refusal_pause(node, p) / 2;
	}
}

/* Its time to answer is over: once more, then, or never. */
void
liveness_tick_refusal(struct node *node, struct peer *p, nsec_t now)
{
	if (now < p->live.ask_at)
		return;
	p->live.ask_at = NSEC_NEVER;
	if (p->live.is_refused_twice)
		liveness_believe_refusal(node, now, p);
	else
		p->due.ping = true;
}

/* It is there. */
void
liveness_forget_refusals(struct peer *p)
{
	p->live.is_refused = p->live.is_refused_twice = false;
	p->live.ask_at = NSEC_NEVER;
}

/*
 * Somebody begins to want our heartbeats: so it has no leader, or doubts the
 * one it has. Does ours answer? What it says then is a later sign of it than
 * any that the other can know.
 */
void
liveness_ask_leader(struct node *node, const struct peer *for_whom)
{
	struct peer *leader = peers_find(node, lead_id(&node->lead));

	if (leader == NULL || leader == for_whom || !leader->is_up ||
	    leader->live.is_refused ||
	    node->stall.woken < node->live.ask_leader_at)
		return;
	node->live.ask_leader_at =
	    node->stall.woken + node->setup.heartbeat / REFUSAL_PARTS;
	node->live.asks_leader = true;
	leader->due.ping = true;
	peers_touch(node, leader);
}

/* It has answered: whoever may doubt it is told. */
void
liveness_tell_answer(struct node *node, const struct peer *leader)
{
	if (!node->live.asks_leader)
		return;
	node->live.asks_leader = false;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p != leader && p->live.watches_us)
			peers_schedule(node, p);
	}
}
