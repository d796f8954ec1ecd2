/* SPDX-License-Identifier: ISC */
/*
 * Is this node steady? One that is cut off again and again, or whose process
 * ends again and again, does not take over each time that it is back: for a
 * while that doubles each time it does not sit (common/wire/rank.h), so every
 * steady node ranks before it. It follows, and it leads where nobody else does.
 *
 * A node judges for itself whether it was cut off. A process that it lost by
 * silence is back: this node was away if it heard nobody else either when it
 * lost that one, or if it lost more of its peers then than it has heard since.
 * So a single link that flaps makes neither end unsteady. Restarts it cannot
 * know of: its peers count them, and tell it.
 */
#include "common/node/node_inside.h"

/* Followers check a peer only after the leader reports it missing, so the two
 * sides of a partition notice it up to so many detections apart. */
#define STEADY_WINDOW 4

bool
steady_is_steady(const struct node *node, nsec_t now)
{
	return now >= node->steady.at;
}

nsec_t
steady_deadline(const struct node *node)
{
	return node->steady.at > node->stall.woken ? node->steady.at
						   : NSEC_NEVER;
}

/* Was it lost, and may be there all the same? */
static bool
peer_is_missed(const struct peer *p)
{
	return !p->is_up && p->changed != 0 &&
	       (p->evidence == EVIDENCE_MISSED ||
		   p->evidence == EVIDENCE_REFUSED);
}

/* True if the peer was heard after others were lost. The leader vouches for the
 * peers that we do not watch. */
static bool
peer_has_stayed(const struct peer *p, nsec_t since)
{
	return p->is_up &&
	       (!p->live.is_watched || p->live.detector.heard > since);
}

/* Were we alone, or were most peers lost, at about that time? */
static bool
steady_was_away(const struct node *node, nsec_t lost_at)
{
	nsec_t window = STEADY_WINDOW * node_detection(node);
	unsigned lost = 0, stayed = 0;

	if (lost_at <= node->steady.alone_at &&
	    node->steady.alone_at <= lost_at + window)
		return true;
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		lost += peer_is_missed(p) && p->changed + window >= lost_at;
		stayed += peer_has_stayed(p, lost_at);
	}
	return lost > stayed;
}

/*
 * We lose this peer by silence. Before we do, we ask it, and if it leads we ask
 * others too: if none has spoken later than it did, we are alone. A follower
 * that is cut off for about as long as a detection takes loses nobody but its
 * leader.
 */
void
steady_lose(struct node *node, nsec_t now, const struct peer *lost)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (p != lost && p->has_session &&
		    p->live.detector.heard > lost->live.detector.heard)
			return;
	}
	node->steady.alone_at = now;
}

static void
steady_pause(struct node *node, nsec_t now)
{
	unsigned count = flaps_count(&node->steady.flaps, now);
	nsec_t at = nsec_after(now, flaps_pause(count, node_detection(node)));

	if (node->steady.at < at)
		node->steady.at = at;
	node_trace(node, now, "flapped %u times lately", count);
}

/* A session with this peer begins. */
void
steady_meet(struct node *node, nsec_t now, struct peer *p, bool is_new_process)
{
	if (is_new_process && p->process.incarnation != 0)
		flaps_add(&p->process.restarts, now);
	/* All that is lost at once, and comes back, is one flap. */
	if (is_new_process || !peer_is_missed(p) ||
	    p->changed <= node->steady.flaps.at ||
	    !steady_was_away(node, p->changed))
		return;
	flaps_add(&node->steady.flaps, now);
	steady_pause(node, now);
}

/* A peer says how often this node was restarted lately. */
void
steady_told(struct node *node, nsec_t now, unsigned restarts)
{
	if (restarts <= node->steady.told_restarts)
		return;
	node->steady.told_restarts = restarts;
	flaps_raise(&node->steady.flaps, now, restarts);
	steady_pause(node, now);
}
