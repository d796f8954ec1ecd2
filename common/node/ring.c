/* SPDX-License-Identifier: ISC */
/*
 * A node of a ring: whom it takes for its successor and its predecessor
 * (PROTOCOL.md, Ring membership).
 *
 * On each side a node takes the nearest peer, in the configured order, that
 * it hears and that hears it; so the dead are skipped, and taken back when
 * they return. It says so to whom it takes, and a link of the ring is up when
 * both ends say so. A node whose both links are up is whole; only those take
 * part in elections (and who hears nobody at all: it is a ring by itself).
 *
 * A cut link between two nodes alive leaves both with one side that nobody
 * takes. The first of them whose patience ends steps aside: the others step
 * over it, and the ring closes. It returns when the two between whom it
 * belongs both say that they would take it. Meanwhile it follows the beacon
 * that it hears.
 *
 * Who has nobody on one side looks further and further, twice as far each
 * time; nearer ones that are lost are sought all along. Sessions with others
 * are ended: heartbeats go between ring neighbours alone.
 */
#include "common/node/node_inside.h"

#define WIDEN_MIN   (5 * MSEC) /* between two looks further: time to answer */
#define WIDEN_PARTS 4          /* of a heartbeat: the same */

/* When the other side ought to have followed: lazy hellos come that late. */
static nsec_t
ring_patience(const struct node *node)
{
	return 2 * node_detection(node) + HELLO_LAZY;
}

/* Between two looks further: time for those who are there to answer. */
static nsec_t
ring_pause(const struct node *node)
{
	nsec_t pause = node->setup.heartbeat / WIDEN_PARTS;

	return pause > WIDEN_MIN ? pause : WIDEN_MIN;
}

static enum ring_link
opposite(enum ring_link side)
{
	return side == RING_RIGHT ? RING_LEFT : RING_RIGHT;
}

static struct peer *
ring_peer(const struct node *node, enum ring_link side)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	return s->taken < s->count ? &node->peers[s->order[s->taken]] : NULL;
}

/*
 * Takes the nearest that may be taken. Beyond its reach nobody but who takes
 * us: else a node whose predecessor dies would take its successor for that.
 */
static void
ring_take(struct node *node, enum ring_link side)
{
	struct ring_side *s = &node->topology.ring.sides[side];

	for (s->taken = 0; s->taken < s->count; s->taken++) {
		const struct peer *p = &node->peers[s->order[s->taken]];

		if (p->is_up && !p->ring.is_bypassed &&
		    (s->taken < s->reach || p->ring.takes[opposite(side)]))
			break;
	}
	if (s->taken < s->count)
		s->reach = s->taken + 1;
}

/* Would this peer, which stands aside, be nearer than whom we take? */
static bool
ring_would_take(
    const struct node *node, enum ring_link side, const struct peer *p)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	for (unsigned i = 0; i < s->taken && i < s->count; i++) {
		if (s->order[i] == p->index)
			return p->is_up;
	}
	return false;
}

static bool
ring_takes(const struct node *node, enum ring_link side, const struct peer *p)
{
	return ring_peer(node, side) == p ||
	       (p->ring.is_bypassed && ring_would_take(node, side, p));
}

/* Does whom we take on this side take us? */
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

/* Nobody is up, also of those farthest off; and they had time to answer. */
bool
ring_is_alone(const struct node *node)
{
	if (node->topology.ring.widen_at != NSEC_NEVER)
		return false;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].is_up)
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
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];
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

/* The links as the election sees them. */
static void
ring_link(struct node *node, nsec_t now)
{
	for (unsigned side = 0; side < RING_LINKS; side++) {
		const struct peer *p = ring_peer(node, side);
		struct link *link = &node->topology.links[side];
		uint32_t session = 0;

		if (ring_is_mutual(node, side) &&
		    !node->topology.ring.is_bypassed) {
			session = p->session_name;
			link->rank = p->rank;
		}
		if (session == link->session)
			continue;
		link->session = session;
		election_links_changed(&node->election, now);
	}
}

/* Says hello now to those within reach that are lost. */
static void
ring_seek(struct node *node, nsec_t now, enum ring_link side, unsigned from)
{
	const struct ring_side *s = &node->topology.ring.sides[side];

	for (unsigned i = from; i < s->reach; i++) {
		struct peer *p = &node->peers[s->order[i]];

		if (p->has_session || p->hello.is_due)
			continue;
		p->hello.is_due = true;
		peers_touch(node, p);
		p->hello.tries = 1;
		p->hello.at = now + node->setup.heartbeat;
	}
}

/*
 * May it stay as it is? Not aside where every node that it hears stands aside
 * too, unless it follows a leader through them: there is no ring, as all have
 * run out of patience at once.
 */
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

/* Steps aside, or returns, when patience ends. */
static void
ring_turn(struct node *node, nsec_t now)
{
	struct ring *ring = &node->topology.ring;

	node_trace(node, now,
	    ring->is_bypassed ? "nobody is left in the ring -> return"
			      : "only one side takes us -> step aside");
	ring->is_bypassed = !ring->is_bypassed;
	ring->bypassed_at = NSEC_NEVER;
}

/* How long may it stay as it is? */
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
		ring->bypassed_at =
		    now + random_between(&node->random, patience, 2 * patience);
		ring_seek(node, now, RING_RIGHT, 0);
		ring_seek(node, now, RING_LEFT, 0);
	}
}

/* One side looks twice as far, and takes whom it finds up already. */
static void
ring_look_further(struct node *node, nsec_t now, enum ring_link side)
{
	struct ring_side *s = &node->topology.ring.sides[side];
	unsigned before = s->reach;

	s->reach = 2 * before < s->count ? 2 * before : s->count;
	ring_seek(node, now, side, before);
	ring_take(node, side);
}

/* Is all that was within reach known to be gone? */
static bool
ring_is_gone(const struct node *node, const struct ring_side *s)
{
	for (unsigned i = 0; i < s->reach; i++) {
		const struct peer *p = &node->peers[s->order[i]];

		if (p->is_up || p->process.dead_incarnation == 0 ||
		    p->process.dead_incarnation < p->process.incarnation)
			return false;
	}
	return true;
}

/* Who has nobody on a side looks further, and waits for answers; but not of
 * those that are dead. */
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
			    ring->widen_at, now + ring_pause(node));
	}
}

void
ring_update(struct node *node, nsec_t now)
{
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

static bool
ring_side_keeps(const struct ring_side *s, const struct peer *p)
{
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
ring_side_init(struct ring_side *s, const unsigned *order, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		s->order[i] = order[i];
	s->count = count;
	s->taken = count;
	s->reach = count > 0;
}

void
ring_init(struct node *node, const struct node_setup *setup, nsec_t now)
{
	ring_side_init(&node->topology.ring.sides[RING_RIGHT], setup->right,
	    setup->right_count);
	ring_side_init(&node->topology.ring.sides[RING_LEFT], setup->left,
	    setup->left_count);
	node->topology.ring.bypassed_at = NSEC_NEVER;
	node->topology.ring.widen_at = now + ring_pause(node);
}

/* A session has ended: the peer takes nobody, as far as we know. */
void
ring_reset(struct peer *p)
{
	p->ring.takes[RING_RIGHT] = p->ring.takes[RING_LEFT] = false;
	p->ring.is_bypassed = false;
}
