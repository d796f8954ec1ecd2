/* SPDX-License-Identifier: ISC */
/*
 * Which peers are alive: watching, and whom they name as the leader.
 *
 * Watching (PROTOCOL.md, Watching): a node wants heartbeats from the peers that
 * it watches, and takes their silence for a failure. In a star, while all is
 * well, only the leader and each of its followers watch each other; the
 * leader's list of members (Members) tells the followers of one another. When
 * the leader is in doubt or there is none, or while an election is open, a node
 * watches every peer that matters: under quorum all of them, else the best and
 * those that owe an acknowledgement. It asks the others in turn. A node in
 * doubt of its leader also asks other nodes whether they hear it (Asking
 * others).
 *
 * The detector (common/link/detector.h) has the deadlines of a peer's silence,
 * refusal.c those of ICMP errors. liveness_tick() looks at both.
 */

#include "common/node/watch/liveness.h"

#include <string.h>

#include "common/node/context.h"
#include "common/node/links/ring.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/timestamps.h"
#include "common/node/watch/refusal.h"
#include "common/node/watch/stall.h"

/* Work of all nodes an interval, about what one that leads a thousand does;
 * peers_budget() gives the share of one. */
#define WATCH_BEST   2048 /* of the best, watched without a leader */
#define WATCH_ROUND  1024 /* of the others, in turn: half, as not urgent */
#define WATCH_MISSED 2048 /* peers that the leader misses, at once */

#define ASK_PARTS 10 /* of a heartbeat between two, as between other pings */

void
liveness_init(struct node *node)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		p->live.is_watched = true;
		refusal_reset(p);
	}
	node->live.watch_turn = peers_first_turn(node);
}

void
liveness_reset(struct peer *p)
{
	assert(!p->has_session);
	assert(!p->link.is_up);
	p->live.is_watched = true;
	p->live.watches_us = p->live.is_doubted = p->live.is_missed = false;
	p->live.told.leader = NODE_NONE;
	refusal_reset(p);
}

/* Begins to watch a peer that has a session, and asks it for a sign. */
static void
liveness_watch(struct node *node, struct peer *p)
{
	assert(p->has_session);
	p->live.is_watched = true;
	detector_watch(&p->detector, node->input.now);
	peers_ping(node, p);
	peers_schedule(node, p);
}

void
liveness_change(struct node *node)
{
	node->live = (struct node_liveness){
		.watched_leader = lead_id(&node->lead),
		.watch_is_old = true,
		.watch_turn = peers_first_turn(node),
		.ask_leader_at = node->live.ask_leader_at,
		.members_at = node->live.members_at,
	};
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!p->has_session)
			liveness_reset(p);
		else if (!node_is_star(node) && !p->live.is_watched)
			liveness_watch(node, p);
	}
}

void
liveness_on_input(struct node *node)
{
	node->live.members_size = 0;
}

void
liveness_on_link(struct node *node)
{
	node->live.watch_is_old = true;
}

void
liveness_on_leader(struct node *node)
{
	node->live.members_agree = 0;
}

bool
liveness_is_neighbour(const struct node *node, const struct peer *p)
{
	assert(p->index < node->peers_count);
	if (node->setup.topology == TOPOLOGY_FULL)
		return false;
	return node_is_ring(node) ? ring_keeps(node, p) : !p->setup.is_remote;
}

/* True if our leader is missing or in doubt: there is none but ourselves, or it
 * is down, was pinged, or its host refuses us. */
static bool
liveness_wants_all(const struct peer *leader)
{
	return leader == NULL || !leader->link.is_up ||
	       leader->detector.pings > 0 || refusal_is_open(leader);
}

/* True if this peer is to be watched whatever we know of the leader. */
static bool
liveness_needs(const struct node *node, const struct peer *p)
{
	return liveness_is_neighbour(node, p) || !p->link.is_up ||
	       p->live.is_doubted || refusal_is_open(p) || p->live.is_missed;
}

/* Without a leader, or with one in doubt, we watch the best peers that are up:
 * one of them will lead. */
static void
liveness_choose(struct node *node)
{
	struct peer_set best = { .used = 0 }, changed;
	unsigned count = 0, limit = peers_budget(node, WATCH_BEST);

	assert(limit > 0);
	if (!node->live.watches_all || !node_is_limited(node) ||
	    !node->live.watch_is_old)
		return;
	node->live.watch_is_old = false;
	for (unsigned i = 0; i < node->peers_count && count < limit; i++) {
		const struct peer *p = peers_by_rank(node, i);

		if (!p->link.is_up || p->setup.id == lead_id(&node->lead))
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

/* True if this peer is to be watched for lack of a leader: it is one of the
 * best, or owes us an acknowledgement. */
static bool
liveness_asks(const struct node *node, const struct peer *p)
{
	return !node_is_limited(node) || node_leads(node) ||
	       p->channel.held_count > 0 ||
	       peer_set_has(&node->live.watched_best, p->index);
}

/* Begins or ceases to watch a peer, and tells it. */
static void
liveness_set_watched(struct node *node, struct peer *p, bool is_watched)
{
	if (p->live.is_watched == is_watched)
		return;
	assert(node_is_star(node));
	if (p->has_session && is_watched) {
		liveness_watch(node, p);
		return;
	}
	p->live.is_watched = is_watched;
	peers_schedule(node, p);
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
	for (unsigned i = peers_next_touched(node, 0); i < NODES_MAX;
	     i = peers_next_touched(node, i + 1)) {
		struct peer *p = &node->peers[i];

		liveness_set_watched(node, p,
		    p == leader || liveness_needs(node, p) ||
			(all && liveness_asks(node, p)));
	}
}

/* Watches a peer until it answers, unless we watch it anyway. */
static bool
liveness_ask_unwatched(struct node *node, nsec_t now, struct peer *p)
{
	(void)now;
	if (!p->has_session || p->live.is_watched)
		return false;
	liveness_question(p);
	peers_touch(node, p);
	return true;
}

void
liveness_round(struct node *node, nsec_t now)
{
	unsigned budget = peers_budget(node, WATCH_ROUND);

	if (!node->live.watches_all || !node_is_limited(node) ||
	    node_leads(node))
		return;
	peers_rotate(
	    node, now, &node->live.watch_turn, budget, liveness_ask_unwatched);
}

void
liveness_question(struct peer *p)
{
	p->live.is_doubted = p->has_session;
}

void
liveness_on_loss(struct node *node)
{
	assert(!node->lead.is_fresh);
	if (!lead_was_silent(&node->lead))
		return;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->has_session && p->live.is_watched)
			peers_ping(node, p);
	}
}

/* True if the leader fell silent, and the peer has answered no ping that was
 * sent since: we may hear it, and yet be heard by nobody. */
static bool
is_unanswered(const struct node *node, const struct peer *p)
{
	return lead_was_silent(&node->lead) &&
	       timestamps_answered(p) < node->lead.since;
}

bool
liveness_wants_answer(const struct node *node, const struct peer *p)
{
	return p->has_session && p->live.is_watched && is_unanswered(node, p);
}

/* We do not watch every peer: the others are there by the word of the leader,
 * until it falls silent. The detector's times are moved on when we run late; a
 * datagram arrived when it arrived. */
bool
liveness_doubts(const struct node *node, nsec_t now, const struct peer *p)
{
	const struct detector *d = &p->detector;

	if (!p->live.is_watched)
		return lead_was_silent(&node->lead);
	return !detector_is_current(d) || is_unanswered(node, p) ||
	       detector_doubts(
		   d, now, node->setup.timing.misses, stall_health(node));
}

nsec_t
liveness_answer_at(const struct node *node, const struct peer *p)
{
	if (!p->live.is_watched || detector_is_current(&p->detector))
		return 0;
	return detector_deadline(
	    &p->detector, node->setup.timing.misses, stall_health(node));
}

const uint8_t *
liveness_members(struct node *node, size_t *size)
{
	uint8_t bits[NODES_MAX / 8] = { 0 };
	struct members members = {
		.agree = 1,
		.size = (node->peers_count + 1 + 7) / 8,
		.bits = bits,
	};
	struct writer w = writer_of(node->live.members, MEMBERS_BYTES_MAX);
	unsigned own = peers_own_place(node);

	if (!node_leads(node) || !node_is_star(node))
		return NULL;
	*size = node->live.members_size;
	if (*size > 0)
		return node->live.members;
	bits[own / 8] |= (uint8_t)(1 << own % 8);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!p->link.is_up)
			continue;
		bits[p->place / 8] |= (uint8_t)(1 << p->place % 8);
		members.agree += liveness_follows(
		    p, node->setup.self, node->lead.beacon.term);
	}
	assert(members.agree <= node->peers_count + 1);
	members_encode(&w, &members);
	assert(!w.failed);
	assert(w.size > 0);
	node->live.members_size = *size = w.size;
	return node->live.members;
}

/* True if the list says that the leader does not hear this peer. */
static bool
liveness_is_lacking(const struct members *members, const struct peer *p)
{
	assert(p->place / 8 < members->size);
	return p->has_session &&
	       !(members->bits[p->place / 8] >> p->place % 8 & 1);
}

/* Watches the peers that the leader misses; if there are many, a few at once,
 * and the next few when all of these have answered. A leader may miss some
 * peers for long. */
static void
liveness_look_for_missed(struct node *node, const struct members *members)
{
	unsigned count = 0, last = 0, limit = node->peers_count;
	bool are_heard = true, are_more = false;

	assert(limit > 0);
	assert(node_is_star(node));
	if (node_is_limited(node))
		limit = peers_budget(node, WATCH_MISSED);
	for (unsigned i = 0; i < node->peers_count; i++) {
		unsigned at = (node->live.missed_turn + i) % node->peers_count;
		struct peer *p = &node->peers[at];
		bool is_missed = liveness_is_lacking(members, p);

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
			are_heard &= detector_is_current(&p->detector);
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
	    node->input.now < node->live.members_at)
		return;
	/* A list may make us speak to every peer, so we limit how often a
	 * faulty leader can do that. */
	node->live.members_at =
	    nsec_after(node->input.now, node->setup.timing.heartbeat / 2);
	node->live.members_agree = members->agree;
	if (node->live.members_agree > node->peers_count + 1)
		node->live.members_agree = (uint16_t)(node->peers_count + 1);
	liveness_look_for_missed(node, members);
}

/* A peer begins to want our heartbeats, so it has no leader or doubts it. We
 * ping ours: its answer is later than any sign of it that the peer knows. */
static void
liveness_ask_leader(struct node *node, const struct peer *asker)
{
	struct peer *leader = peers_find(node, lead_id(&node->lead));

	assert(!asker->live.watches_us);
	if (leader == NULL || leader == asker || !leader->link.is_up ||
	    refusal_is_open(leader) ||
	    node->input.now < node->live.ask_leader_at)
		return;
	node->live.ask_leader_at = nsec_after(
	    node->input.now, node->setup.timing.heartbeat / ASK_PARTS);
	node->live.asks_leader = true;
	peers_ping(node, leader);
}

/* The peers that watch us may doubt the leader. */
void
liveness_tell_answer(struct node *node, const struct peer *leader)
{
	if (!node->live.asks_leader)
		return;
	node->live.asks_leader = false;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p != leader && p->live.watches_us)
			peers_schedule(node, p);
	}
}

/*
 * A peer that is up and begins to watch us may doubt the leader, so we ask the
 * leader for it; while a link comes up both ends begin to watch, and that means
 * nothing. If a peer still grants heartbeats that we do not want, we tell it
 * again.
 */
void
liveness_hear(struct node *node, struct peer *p, unsigned flags)
{
	if ((flags & WATCH_WANTED) && !p->live.watches_us && p->link.is_up &&
	    node_is_star(node))
		liveness_ask_leader(node, p);
	p->live.watches_us = flags & WATCH_WANTED;
	p->live.is_doubted = false;
	refusal_reset(p);
	if ((flags & WATCH_GRANTED) && !p->live.is_watched)
		peers_schedule(node, p);
}

unsigned
liveness_flags(const struct peer *p)
{
	return (p->live.is_watched ? WATCH_WANTED : 0) |
	       (p->live.watches_us ? WATCH_GRANTED : 0);
}

enum evidence
liveness_tick(struct node *node, nsec_t now, struct peer *p)
{
	struct detector *d = &p->detector;
	unsigned misses = node->setup.timing.misses,
		 health = stall_health(node);

	if (!p->has_session || !p->live.is_watched)
		return EVIDENCE_NONE;
	if (refusal_tick(node, now, p))
		return EVIDENCE_REFUSED;
	if (now >= detector_deadline(d, misses, health))
		return EVIDENCE_MISSED;
	if (now >= detector_ping_at(d, misses, health)) {
		detector_pinged(d);
		peers_ping(node, p);
	}
	return EVIDENCE_NONE;
}

nsec_t
liveness_deadline(const struct node *node, const struct peer *p)
{
	const struct detector *d = &p->detector;
	unsigned misses = node->setup.timing.misses,
		 health = stall_health(node);
	nsec_t at;

	if (!p->has_session || !p->live.is_watched)
		return NSEC_NEVER;
	at = nsec_earlier(
	    refusal_deadline(p), detector_deadline(d, misses, health));
	return nsec_earlier(at, detector_ping_at(d, misses, health));
}

enum evidence
liveness_agrees(const struct node *node, nsec_t now, const struct peer *p)
{
	if (!p->has_session || !p->live.is_watched)
		return EVIDENCE_NONE;
	if (refusal_is_open(p))
		return EVIDENCE_REFUSED;
	if (detector_doubts(&p->detector, now, node->setup.timing.misses,
		stall_health(node)))
		return EVIDENCE_MISSED;
	return EVIDENCE_NONE;
}

bool
liveness_watches(const struct peer *p)
{
	return p->live.is_watched;
}

bool
liveness_beats(const struct peer *p)
{
	return p->live.is_watched || p->live.watches_us;
}

struct peer *
liveness_take_leader(
    struct node *node, struct peer *p, const struct beacon *beacon)
{
	struct peer *leader = peers_find(node, lead_id(&node->lead));
	bool has_ceased = beacon == NULL && leader != NULL && leader != p &&
			  p->live.told.leader == leader->setup.id;

	p->live.told = (struct peer_told){ .leader = NODE_NONE };
	if (beacon != NULL)
		p->live.told = (struct peer_told){ .term = beacon->term,
			.leader = beacon->leader.id };
	return has_ceased && refusal_is_open(leader) && node_is_star(node)
		   ? leader
		   : NULL;
}

struct peer_told
liveness_told(const struct peer *p)
{
	return p->live.is_watched ? p->live.told
				  : (struct peer_told){ .leader = NODE_NONE };
}

bool
liveness_follows(const struct peer *p, node_id leader, uint64_t term)
{
	return p->live.told.leader == leader && p->live.told.term == term;
}

unsigned
liveness_followers(const struct node *node)
{
	return node->live.members_agree;
}

void
liveness_check(const struct node *node)
{
	assert(node->live.members_agree <= node->peers_count + 1);
	assert(node->live.members_size <= MEMBERS_BYTES_MAX);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		refusal_check(p);
		detector_check(&p->detector);
		assert(p->has_session || !p->detector.is_heard);
		assert(p->has_session || p->live.is_watched);
		assert(p->has_session || !p->live.watches_us);
		assert(p->has_session || !p->live.is_doubted);
		assert(p->has_session || !p->live.is_missed);
		assert(p->has_session || p->live.told.leader == NODE_NONE);
	}
}
