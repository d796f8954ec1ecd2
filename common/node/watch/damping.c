/* SPDX-License-Identifier: ISC */
/*
 * Whether this node is undamped (PROTOCOL.md, Flap damping). A node that is cut
 * off again and again, or whose process ends again and again, is no contender
 * for a while, which doubles each time. So it does not take over each time it
 * is back: it follows, and leads where nobody undamped is eligible.
 *
 * A node judges for itself whether it was cut off. A process that it lost by
 * silence is back: this node was away if it had heard no other peer later when
 * it lost that one, or if it lost others then, too, and more than it has heard
 * since. So a single link that flaps makes neither end damped, however soon it
 * is back. A node cannot know of its
 * own restarts: its peers count them, and tell it.
 */
#include "common/node/watch/damping.h"

#include "common/node/context.h"
#include "common/node/watch/liveness.h"

/* Detections. Followers check a peer only after the leader reports it missing,
 * so the two sides of a partition notice it up to so far apart. */
#define DAMPING_WINDOW 4

bool
damping_is_over(const struct node *node, nsec_t now)
{
	return now >= node->damping.at;
}

nsec_t
damping_ends_at(const struct node *node, nsec_t now)
{
	return damping_is_over(node, now) ? 0 : node->damping.at;
}

nsec_t
damping_deadline(const struct node *node)
{
	return node->damping.at > node->input.now ? node->damping.at
						  : NSEC_NEVER;
}

/* True if the peer was lost, but its process may be alive. */
static bool
peer_is_missed(const struct peer *p)
{
	return !p->link.is_up && p->link.changed != 0 &&
	       (p->link.evidence == EVIDENCE_MISSED ||
		   p->link.evidence == EVIDENCE_REFUSED);
}

/* True if the peer was heard after others were lost. The leader vouches for the
 * peers that we do not watch. */
static bool
peer_has_stayed(const struct peer *p, nsec_t since)
{
	assert(!p->link.is_up || p->has_session);
	return p->link.is_up &&
	       (!liveness_watches(p) || p->detector.heard > since);
}

/* True if we were alone, or lost most peers, at about that time. */
static bool
damping_was_away(const struct node *node, nsec_t lost_at)
{
	nsec_t window = DAMPING_WINDOW * node_detection(node);
	unsigned lost = 0, stayed = 0;

	assert(lost_at != 0);
	if (lost_at <= node->damping.alone_at &&
	    node->damping.alone_at <= nsec_after(lost_at, window))
		return true;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		lost += peer_is_missed(p) &&
			nsec_after(p->link.changed, window) >= lost_at;
		stayed += peer_has_stayed(p, lost_at);
	}
	return lost > 1 && lost > stayed;
}

/* Before we lose a peer we ping it, and if it leads we ask others too. If none
 * of them has spoken later than it did, we are alone. A follower that is cut
 * off for about a detection loses only its leader. */
void
damping_lose(struct node *node, nsec_t now, const struct peer *lost)
{
	assert(!lost->link.is_up);
	assert(lost->link.evidence == EVIDENCE_MISSED);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p != lost && p->has_session &&
		    p->detector.heard > lost->detector.heard)
			return;
	}
	node->damping.alone_at = now;
}

/* After a flap, or news of restarts: we are damped for a while. */
static void
damping_pause(struct node *node, nsec_t now)
{
	unsigned count = flaps_count(&node->damping.flaps, now);
	nsec_t at = nsec_after(now, flaps_pause(count, node_detection(node)));

	if (node->damping.at < at)
		node->damping.at = at;
	node_trace(node, now, "flapped %u times lately", count);
}

void
damping_meet(struct node *node, nsec_t now, struct peer *p, bool is_new_process)
{
	assert(!p->has_session);
	assert(!p->link.is_up);
	/* Peers that were lost together and come back are one flap. */
	if (is_new_process || !peer_is_missed(p) ||
	    p->link.changed <= node->damping.flaps.at ||
	    !damping_was_away(node, p->link.changed))
		return;
	flaps_add(&node->damping.flaps, now);
	damping_pause(node, now);
}

void
damping_told(struct node *node, nsec_t now, unsigned restarts)
{
	if (restarts <= node->damping.told_restarts)
		return;
	node->damping.told_restarts = restarts;
	flaps_raise(&node->damping.flaps, now, restarts);
	damping_pause(node, now);
}

void
damping_reset(struct node *node)
{
	node->damping.told_restarts = 0;
}

void
damping_check(const struct node *node)
{
	const struct node_damping *damping = &node->damping;

	assert(damping->alone_at <= node->input.now);
	assert(damping->flaps.at <= node->input.now);
	/* Only a flap makes a node damped. */
	assert(damping->at == 0 || damping->flaps.at != 0);
}
