/* SPDX-License-Identifier: ISC */
/*
 * What a node does by its clock: rounds of heartbeats (PROTOCOL.md,
 * Heartbeats), HELLOs to peers without a session (Probing), pings and the end
 * of silent sessions (Pings, Detection time); and when each of these is due
 * next.
 *
 * What an input costs must depend on the peers that it touches, not on how many
 * there are. So peers.c keeps the deadline of each settled peer, and only the
 * peers that were touched, or whose time has come, are looked at.
 */
#include "common/node/drive/timers.h"

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/drive/node_inside.h"
#include "common/node/lead/handover.h"
#include "common/node/lead/leadership.h"
#include "common/node/life.h"
#include "common/node/links/ring.h"
#include "common/node/links/topology.h"
#include "common/node/look/pulls.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/discovery.h"
#include "common/node/watch/group.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/stall.h"

/* Work of all nodes an interval, about what one that leads a thousand does;
 * peers_budget() gives the share of one. */
#define HELLO_BUDGET    2048 /* HELLOs without a leader */
#define HELLO_FOLLOWING 1024 /* HELLOs of followers: half, as not urgent */

void
timers_begin(struct node *node, nsec_t now)
{
	node->rounds.heartbeat_at = now;
	node->rounds.hello = peers_first_turn(node);
}

void
timers_beat_now(struct node *node, nsec_t now)
{
	node->rounds.heartbeat_at = now;
}

/* True if a peer that has no link to us falls silent. It may have ended the
 * session, by another configuration. */
static bool
is_distant(
    const struct node *node, const struct peer *p, enum evidence evidence)
{
	return evidence == EVIDENCE_MISSED && !node_is_ring(node) &&
	       !topology_keeps(node, p);
}

/* A silent peer is pinged; if it stays silent its session ends. */
static void
peer_tick(struct node *node, nsec_t now, struct peer *p)
{
	enum evidence evidence;

	peers_touch(node, p);
	evidence = liveness_tick(node, now, p);
	if (is_distant(node, p, evidence))
		node_session_end(node, now, p, EVIDENCE_DISTANT);
	else if (evidence != EVIDENCE_NONE)
		node_suspect(node, now, p, evidence);
}

/* Says HELLO to a peer without a session: with each round, so that we notice at
 * once when a partition heals, or lazily. */
static bool
probe(struct node *node, nsec_t now, struct peer *p)
{
	if (!hello_is_time(p, now) || !topology_keeps(node, p))
		return false;
	/* Where the leader seeks this peer too, we need not say HELLO often.
	 * Neighbours in the topology we seek by ourselves. If we are outside,
	 * the others answer us at a limited rate. */
	hello_say(node, now, p,
	    node_is_outside(node) ||
		(node_is_star(node) && !liveness_is_neighbour(node, p) &&
		    node->lead.is_fresh && !node_leads(node)));
	return true;
}

/* To the best peers, as one of them will lead, while they may yet answer. */
static unsigned
probe_best(struct node *node, nsec_t now, unsigned limit)
{
	unsigned count = 0;

	assert(limit <= peers_budget_max(node));
	for (unsigned i = 0; i < node->peers_count && count < limit; i++) {
		struct peer *p = peers_by_rank(node, i);

		if (hello_is_eager(p))
			count += probe(node, now, p);
	}
	return count;
}

/* The HELLOs that come first: to the leader, or without one to the best
 * peers. */
static unsigned
probe_first(struct node *node, nsec_t now, unsigned limit)
{
	node_id leader = lead_id(&node->lead);
	struct peer *p = peers_find(node, leader);

	if (leader == NODE_NONE)
		return probe_best(node, now, limit);
	return p != NULL && probe(node, now, p);
}

/* One round of HELLOs, in rotation. A node that runs late, as others on its
 * host may, says fewer. */
static void
probe_round(struct node *node, nsec_t now)
{
	node_id leader = lead_id(&node->lead);
	unsigned budget = peers_budget(node, HELLO_BUDGET), first;

	if (peers_sessions(node) == node->peers_count)
		return;
	if (leader != NODE_NONE)
		budget = leader == node->setup.self
			     ? peers_budget_max(node)
			     : peers_budget(node, HELLO_FOLLOWING);
	first = probe_first(node, now, budget / 2);
	assert(first <= budget);
	budget = (budget - first) >> stall_health(node);
	peers_rotate(node, now, &node->rounds.hello, budget, probe);
}

/* The time to the next round. A follower waits a little longer than the leader,
 * so that the heartbeat of the leader wakes it. */
static nsec_t
heartbeat_pause(struct node *node)
{
	nsec_t interval = node->setup.timing.heartbeat;
	node_id leader = lead_id(&node->lead);

	if (leader != NODE_NONE && leader != node->setup.self)
		return interval + interval / 10;
	return random_between(
	    &node->random, interval - interval / 10, interval + interval / 10);
}

/* In a ring, ends the sessions with peers that are no neighbours. */
static void
sessions_part(struct node *node, nsec_t now)
{
	assert(node_is_ring(node));
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (topology_is_distant(node, now, p))
			node_session_end(node, now, p, EVIDENCE_DISTANT);
	}
}

/* One round of heartbeats: a node wakes once an interval to speak. */
static void
heartbeat(struct node *node, nsec_t now)
{
	bool tells_keys = keys_beat(node), tells_standby = standby_beat(node);

	assert(!life_is_stopped(node));
	node->rounds.heartbeat_at = nsec_after(now, heartbeat_pause(node));
	assert(node->rounds.heartbeat_at > now);
	stall_speak(node, now);
	/* Each round has one beacon number: a beacon that took a longer way is
	 * no news. */
	if (node_leads(node))
		lead_renumber(&node->lead);
	if (node_is_ring(node))
		sessions_part(node, now);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (tells_keys || tells_standby ||
		    (liveness_beats(p) && !group_spares(node, now, p)))
			peers_schedule(node, p);
		if (configs_want_answer(node, p))
			peers_ping(node, p);
	}
	group_beat(node, now);
	quorum_look(node, now);
	node_act_on_votes(node, now, nominee_beat(node, now));
	probe_round(node, now);
	liveness_round(node, now);
	discovery_beat(node, now);
}

/* Nodes that speak together let each host sleep for most of an interval. */
void
timers_beat_along(struct node *node, nsec_t now)
{
	if (stall_silence(node, now) >= node->setup.timing.heartbeat / 2)
		heartbeat(node, now);
}

void
timers_tick(struct node *node, nsec_t now)
{
	assert(node->input.now == now);
	if (stall_recover(node, now))
		peers_touch_all(node);
	if (now >= node->rounds.heartbeat_at)
		heartbeat(node, now);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (peers_wants(node, now, p))
			peer_tick(node, now, p);
	}
	assert(node->rounds.heartbeat_at > now);
}

/* When this peer wants attention next. */
static nsec_t
timers_peer_deadline(const struct node *node, const struct peer *p)
{
	if (!p->has_session)
		return NSEC_NEVER;
	return nsec_earlier(
	    channel_deadline(&p->channel), liveness_deadline(node, p));
}

/* When the first peer wants attention. */
static nsec_t
timers_peers_deadline(const struct node *node)
{
	nsec_t at = NSEC_NEVER;

	for (const struct peer *p = node->peers; p < peers_end(node); p++)
		at = nsec_earlier(at, peers_settled_until(node, p));
	for (unsigned i = peers_next_touched(node, 0); i < NODES_MAX;
	     i = peers_next_touched(node, i + 1))
		at = nsec_earlier(
		    at, timers_peer_deadline(node, &node->peers[i]));
	return at;
}

nsec_t
node_deadline(const struct node *node)
{
	nsec_t at = node->rounds.heartbeat_at;

	if (life_is_stopped(node))
		return NSEC_NEVER;
	at = nsec_earlier(at, timers_peers_deadline(node));
	if (node_is_ring(node))
		at = nsec_earlier(at, ring_deadline(node));
	at = nsec_earlier(at, life_deadline(node));
	if (node->lead.is_fresh)
		at = nsec_earlier(at, node->lead.stale_at);
	at = nsec_earlier(at, handover_deadline(node));
	at = nsec_earlier(at, damping_deadline(node));
	at = nsec_earlier(at, standby_deadline(node));
	at = nsec_earlier(at, nominee_deadline(node));
	at = nsec_earlier(at, quorum_deadline(node));
	if (leadership_is_wanted(node, node->input.now))
		at = nsec_earlier(
		    at, leadership_turn(node, node->input.now, at));
	at = nsec_earlier(at, process_deadline(node));
	at = nsec_earlier(at, configs_deadline(node));
	at = nsec_earlier(at, outside_deadline(node));
	at = nsec_earlier(at, pulls_deadline(node));
	return nsec_earlier(at, election_deadline(&node->election));
}

void
timers_settle(struct node *node, const struct peer *p)
{
	assert(!p->has_session || !peers_is_due(p));
	assert(!hello_is_due(p));
	peers_settle(node, p, timers_peer_deadline(node, p));
}

void
timers_check(const struct node *node)
{
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if (peers_next_touched(node, i) == i)
			continue;
		assert(peers_settled_until(node, p) ==
		       timers_peer_deadline(node, p));
		assert(!p->has_session || !peers_is_due(p));
		assert(!hello_is_due(p));
	}
}
