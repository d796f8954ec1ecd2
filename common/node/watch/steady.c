/* SPDX-License-Identifier: ISC */
/*
 * Whether this node is steady (PROTOCOL.md, Unsteady nodes). A node that is cut
 * off again and again, or whose process ends again and again, is no contender
 * for a while, which doubles each time. So it does not take over each time it
 * is back: it follows, and leads where nobody steady is eligible.
 *
 * A node judges for itself whether it was cut off. A process that it lost by
 * silence is back: this node was away if it had heard no other peer later when
 * it lost that one, or if it lost more peers then than it has heard since. So a
 * single link that flaps makes neither end unsteady. A node cannot know of its
 * own restarts: its peers count them, and tell it.
 */
#include "common/node/watch/steady.h"

#include "common/node/context.h"
#include "common/node/watch/liveness.h"

/* Detections. Followers check a peer only after the leader reports it missing,
 * so the two sides of a partition notice it up to so far apart. */
#define STEADY_WINDOW 4

bool
steady_is_steady(const struct node *node, nsec_t now)
{
	return now >= node->steady.at;
}

nsec_t
steady_at(const struct node *node, nsec_t now)
{
	return steady_is_steady(node, now) ? 0 : node->steady.at;
}

nsec_t
steady_deadline(const struct node *node)
{
	return node->steady.at > node->input.now ? node->steady.at : NSEC_NEVER;
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
steady_was_away(const struct node *node, nsec_t lost_at)
{
	nsec_t window = STEADY_WINDOW * node_detection(node);
	unsigned lost = 0, stayed = 0;

	assert(lost_at != 0);
	if (lost_at <= node->steady.alone_at &&
	    node->steady.alone_at <= nsec_after(lost_at, window))
		return true;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		lost += peer_is_missed(p) &&
			nsec_after(p->link.changed, window) >= lost_at;
		stayed += peer_has_stayed(p, lost_at);
	}
	return lost > stayed;
}

/* Before we lose a peer we ping it, and if it leads we ask others too. If none
 * of them has spoken later than it did, we are alone. A follower that is cut
 * off for about a detection loses only its leader. */
void
steady_lose(struct node *node, nsec_t now, const struct peer *lost)
{
	assert(!lost->link.is_up);
	assert(lost->link.evidence == EVIDENCE_MISSED);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p != lost && p->has_session &&
		    p->detector.heard > lost->detector.heard)
			return;
	}
	node->steady.alone_at = now;
}

/* After a flap, or news of restarts: we are unsteady for a while. */
static void
steady_pause(struct node *node, nsec_t now)
{
	unsigned count = flaps_count(&node->steady.flaps, now);
	nsec_t at = nsec_after(now, flaps_pause(count, node_detection(node)));

	if (node->steady.at < at)
		node->steady.at = at;
	node_trace(node, now, "flapped %u times lately", count);
}

void
steady_meet(struct node *node, nsec_t now, struct peer *p, bool is_new_process)
{
	assert(!p->has_session);
	assert(!p->link.is_up);
	/* Peers that were lost together and come back are one flap. */
	if (is_new_process || !peer_is_missed(p) ||
	    p->link.changed <= node->steady.flaps.at ||
	    !steady_was_away(node, p->link.changed))
		return;
	flaps_add(&node->steady.flaps, now);
	steady_pause(node, now);
}

void
steady_told(struct node *node, nsec_t now, unsigned restarts)
{
	if (restarts <= node->steady.told_restarts)
		return;
	node->steady.told_restarts = restarts;
	flaps_raise(&node->steady.flaps, now, restarts);
	steady_pause(node, now);
}

void
steady_reset(struct node *node)
{
	node->steady.told_restarts = 0;
}

void
steady_check(const struct node *node)
{
	const struct node_steady *steady = &node->steady;

	assert(steady->alone_at <= node->input.now);
	assert(steady->flaps.at <= node->input.now);
	/* Only a flap makes a node unsteady. */
	assert(steady->at == 0 || steady->flaps.at != 0);
}
