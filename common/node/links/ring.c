/* SPDX-License-Identifier: ISC */
/*
 * A node of a ring: whom it takes for its right and its left neighbour
 * (PROTOCOL.md, Ring membership).
 *
 * On each side a node takes the nearest peer, in the configured order, that is
 * up and not bypassed. So the ring steps over dead nodes, and takes them back
 * when they return. The node tells the peers that it takes; a link of the ring
 * is up when both ends take each other.
 *
 * A link that is cut between two live nodes leaves each of them with one side
 * that nobody takes. The first one whose patience ends asks to be bypassed: the
 * others step over it, and the ring closes. It returns when its two
 * neighbours-to-be would both take it. Meanwhile it follows the beacons that it
 * hears.
 *
 * A node that finds nobody on one side seeks twice as far each time. The nearer
 * peers that are lost are sought all along.
 */
#include "common/node/links/ring.h"

#include "common/node/config/configs.h"
#include "common/node/context.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"

#define WIDEN_MIN   (5 * MSEC) /* before seeking further: time to answer */
#define WIDEN_PARTS 4          /* of a heartbeat: the same */

/* The time after which the other end should have followed a change: lazy HELLOs
 * may come as late as that. */
static nsec_t
ring_patience(const struct node *node)
{
	return 2 * node_detection(node) + HELLO_LAZY;
}

/* The time for peers that we seek to answer, before we seek further. */
static nsec_t
ring_pause(const struct node *node)
{
	nsec_t pause = node->setup.timing.heartbeat / WIDEN_PARTS;

	return pause > WIDEN_MIN ? pause : WIDEN_MIN;
}

static enum ring_link
opposite(enum ring_link side)
{
	return side == RING_RIGHT ? RING_LEFT : RING_RIGHT;
}

struct peer *
ring_peer(const struct node *node, enum ring_link side)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	return s->taken < s->count ? &node->peers[s->order[s->taken]] : NULL;
}

/* Takes the nearest peer. Beyond our reach we take only a peer that takes us:
 * else a node whose left neighbour dies would take its right one for both. */
static void
ring_take(struct node *node, enum ring_link side)
{
	struct ring_side *s = &node->topology.ring.sides[side];

	assert(s->reach <= s->count);
	for (s->taken = 0; s->taken < s->count; s->taken++) {
		const struct peer *p = &node->peers[s->order[s->taken]];

		if (p->link.is_up && configs_count(node, p) &&
		    !p->ring.is_bypassed &&
		    (s->taken < s->reach || p->ring.takes[opposite(side)]))
			break;
	}
	assert(s->taken <= s->count);
	if (s->taken < s->count)
		s->reach = s->taken + 1;
}

/* True if this peer, which is bypassed, is nearer than the one that we take. */
static bool
ring_would_take(
    const struct node *node, enum ring_link side, const struct peer *p)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	assert(p->ring.is_bypassed);
	for (unsigned i = 0; i < s->taken && i < s->count; i++) {
		if (s->order[i] == p->index)
			return p->link.is_up && configs_count(node, p);
	}
	return false;
}

/* True if we tell this peer that we take it. */
static bool
ring_takes(const struct node *node, enum ring_link side, const struct peer *p)
{
	return ring_peer(node, side) == p ||
	       (p->ring.is_bypassed && ring_would_take(node, side, p));
}

/* True if the peer that we take on this side takes us, too. */
static bool
ring_is_mutual(const struct node *node, enum ring_link side)
{
	const struct peer *p = ring_peer(node, side);

	return p != NULL && p->ring.takes[opposite(side)];
}

bool
ring_is_whole(const struct node *node)
{
	return !node->topology.ring.is_bypassed &&
	       ring_is_mutual(node, RING_RIGHT) &&
	       ring_is_mutual(node, RING_LEFT);
}

bool
ring_is_alone(const struct node *node)
{
	if (node->topology.ring.widen_at != NSEC_NEVER)
		return false;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up && configs_count(node, p))
			return false;
	}
	return true;
}

bool
ring_is_closed(const struct node *node)
{
	return ring_is_whole(node) &&
	       node->topology.ring.sides[RING_RIGHT].taken == 0 &&
	       node->topology.ring.sides[RING_LEFT].taken == 0;
}

/* Tells each peer whether we take it, if that has changed. */
static void
ring_say(struct node *node)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		bool right = ring_takes(node, RING_RIGHT, p);
		bool left = ring_takes(node, RING_LEFT, p);

		if (p->ring.taken[RING_RIGHT] == right &&
		    p->ring.taken[RING_LEFT] == left &&
		    p->ring.told_bypassed == node->topology.ring.is_bypassed)
			continue;
		p->ring.taken[RING_RIGHT] = right;
		p->ring.taken[RING_LEFT] = left;
		p->ring.told_bypassed = node->topology.ring.is_bypassed;
		peers_schedule(node, p);
	}
}

/* Shows the election the two links. A side has none unless each end takes the
 * other, and none if we are bypassed. */
static void
ring_link(struct node *node, nsec_t now)
{
	assert(node->topology.links_count == RING_LINKS);
	for (unsigned side = 0; side < RING_LINKS; side++) {
		const struct peer *p = ring_peer(node, side);
		struct link *link = &node->topology.links[side];
		uint32_t session = 0;

		if (ring_is_mutual(node, side) && configs_agree(node, p) &&
		    !node->topology.ring.is_bypassed) {
			session = p->link.session_name;
			link->rank = p->rank;
		}
		if (session == link->session)
			continue;
		link->session = session;
		election_links_changed(&node->election, now);
	}
}

/* Says HELLO at once to the lost peers within reach, from this one on. */
static void
ring_seek(struct node *node, nsec_t now, enum ring_link side, unsigned from)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	assert(s->reach <= s->count);
	assert(from <= s->reach);
	for (unsigned i = from; i < s->reach; i++)
		hello_seek(node, now, &node->peers[s->order[i]]);
}

/* True if this node may stay as it is. A bypassed node may, unless each peer
 * that it hears is bypassed too and it follows no leader through them: then all
 * ran out of patience at once, and there is no ring. */
static bool
ring_is_settled(const struct node *node)
{
	node_id leader = lead_id(&node->lead);

	if (ring_is_alone(node))
		return true;
	if (!node->topology.ring.is_bypassed)
		return ring_is_whole(node);
	return ring_peer(node, RING_RIGHT) != NULL ||
	       ring_peer(node, RING_LEFT) != NULL ||
	       (leader != NODE_NONE && leader != node->setup.self);
}

/* Patience has ended: becomes bypassed, or returns. */
static void
ring_turn(struct node *node, nsec_t now)
{
	struct ring *ring = &node->topology.ring;

	assert(!ring_is_settled(node));
	node_trace(node, now,
	    ring->is_bypassed ? "nobody is left in the ring -> return"
			      : "only one side takes us -> ask to be bypassed");
	ring->is_bypassed = !ring->is_bypassed;
	ring->bypassed_at = NSEC_NEVER;
}

/* Ends our bypass if both sides would take us, and begins or ends our
 * patience. */
static void
ring_judge(struct node *node, nsec_t now)
{
	struct ring *ring = &node->topology.ring;
	nsec_t patience = ring_patience(node);

	if (ring->is_bypassed && ((ring_is_mutual(node, RING_RIGHT) &&
				      ring_is_mutual(node, RING_LEFT)) ||
				     ring_is_alone(node))) {
		node_trace(node, now, "both sides would take us -> return");
		ring->is_bypassed = false;
	}
	if (!ring_is_settled(node) && now >= ring->bypassed_at)
		ring_turn(node, now);
	if (ring_is_settled(node)) {
		ring->bypassed_at = NSEC_NEVER;
	} else if (ring->bypassed_at == NSEC_NEVER) {
		ring->bypassed_at = nsec_after(
		    now, random_between(&node->random, patience, 2 * patience));
		ring_seek(node, now, RING_RIGHT, 0);
		ring_seek(node, now, RING_LEFT, 0);
	}
}

/* Seeks twice as far on one side, and takes a peer that is up there already. */
static void
ring_look_further(struct node *node, nsec_t now, enum ring_link side)
{
	struct ring_side *s = &node->topology.ring.sides[side];
	unsigned before = s->reach;

	assert(before > 0);
	assert(before < s->count);
	s->reach = 2 * before < s->count ? 2 * before : s->count;
	ring_seek(node, now, side, before);
	ring_take(node, side);
}

/* True if every peer within reach is known to be dead. */
static bool
ring_is_gone(const struct node *node, const struct ring_side *s)
{
	for (unsigned i = 0; i < s->reach; i++) {
		const struct peer *p = &node->peers[s->order[i]];

		if (p->link.is_up || !process_is_gone(p))
			return false;
	}
	return true;
}

/* Seeks further where there is nobody on a side. It waits for answers, but not
 * for those of dead peers. */
static void
ring_widen(struct node *node, nsec_t now)
{
	struct ring *ring = &node->topology.ring;
	bool is_due = now >= ring->widen_at;

	if (is_due)
		ring->widen_at = NSEC_NEVER;
	for (unsigned side = 0; side < RING_LINKS; side++) {
		const struct ring_side *s = &ring->sides[side];

		if (s->taken < s->count || s->reach == s->count)
			continue;
		if (is_due || ring_is_gone(node, s))
			ring_look_further(node, now, side);
		if (s->taken == s->count)
			ring->widen_at = nsec_earlier(
			    ring->widen_at, nsec_after(now, ring_pause(node)));
	}
}

void
ring_update(struct node *node, nsec_t now)
{
	assert(node_is_ring(node));
	ring_take(node, RING_RIGHT);
	ring_take(node, RING_LEFT);
	ring_widen(node, now);
	ring_judge(node, now);
	ring_say(node);
	ring_link(node, now);
}

void
ring_hear(struct node *node, nsec_t now, struct peer *p, unsigned flags)
{
	bool right = flags & BODY_TAKES_RIGHT;
	bool left = flags & BODY_TAKES_LEFT;
	bool is_bypassed = flags & BODY_BYPASSED;

	if (p->ring.takes[RING_RIGHT] == right &&
	    p->ring.takes[RING_LEFT] == left &&
	    p->ring.is_bypassed == is_bypassed)
		return;
	p->ring.takes[RING_RIGHT] = right;
	p->ring.takes[RING_LEFT] = left;
	p->ring.is_bypassed = is_bypassed;
	ring_update(node, now);
}

unsigned
ring_flags(const struct node *node, const struct peer *p)
{
	return (p->ring.taken[RING_RIGHT] ? BODY_TAKES_RIGHT : 0) |
	       (p->ring.taken[RING_LEFT] ? BODY_TAKES_LEFT : 0) |
	       (node->topology.ring.is_bypassed ? BODY_BYPASSED : 0);
}

/* True if this peer is within reach on this side. */
static bool
ring_side_keeps(const struct ring_side *s, const struct peer *p)
{
	assert(s->reach <= s->count);
	for (unsigned i = 0; i < s->reach; i++) {
		if (s->order[i] == p->index)
			return true;
	}
	return false;
}

bool
ring_keeps(const struct node *node, const struct peer *p)
{
	return ring_side_keeps(&node->topology.ring.sides[RING_RIGHT], p) ||
	       ring_side_keeps(&node->topology.ring.sides[RING_LEFT], p);
}

nsec_t
ring_deadline(const struct node *node)
{
	return nsec_earlier(
	    node->topology.ring.widen_at, node->topology.ring.bypassed_at);
}

static void
ring_side_init(struct ring_side *s, const unsigned *order, unsigned count,
    uint8_t **memory)
{
	assert(count < NODES_MAX);
	s->order = arena_carve(memory, count * sizeof(*s->order));
	for (unsigned i = 0; i < count; i++)
		s->order[i] = order[i];
	s->count = count;
	s->taken = count;
	s->reach = count > 0;
}

void
ring_init(
    struct node *node, const struct node_setup *setup, void *memory, nsec_t now)
{
	struct ring *ring = &node->topology.ring;
	uint8_t *m = memory;

	ring_side_init(&ring->sides[RING_RIGHT], setup->ring.right,
	    setup->ring.right_count, &m);
	ring_side_init(&ring->sides[RING_LEFT], setup->ring.left,
	    setup->ring.left_count, &m);
	ring->bypassed_at = NSEC_NEVER;
	ring->widen_at = nsec_after(now, ring_pause(node));
}

bool
ring_is_taken_by(const struct peer *p)
{
	return p->ring.takes[RING_RIGHT] || p->ring.takes[RING_LEFT];
}

bool
ring_is_bypassed(const struct node *node)
{
	return node->topology.ring.is_bypassed;
}

void
ring_reset(struct peer *p)
{
	assert(!p->has_session);
	p->ring.takes[RING_RIGHT] = p->ring.takes[RING_LEFT] = false;
	p->ring.is_bypassed = false;
}
