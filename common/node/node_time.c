/* SPDX-License-Identifier: ISC */
/*
 * A node and time: the stall meter, heartbeats, the detector's questions and
 * verdicts, and when all that is due (PROTOCOL.md, Detection).
 */
#include "common/node/node_private.h"

/* We did not speak for as long as it takes to be given up: the others have
 * gone on without us, and we begin as at a start. */
static void
node_rejoin(struct node *node, nsec_t now)
{
	node_id leader = lead_id(&node->lead);
	struct reason reason = { REASON_STALLED, node->setup.self };
	nsec_t listen = node->setup.startup;

	if (listen < STARTUP_MIN + node_detection(node))
		listen = STARTUP_MIN + node_detection(node);
	node->is_starting = true;
	node->startup_at = nsec_after(now, listen);
	node->eligible_since = now;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		/* Who expected nothing of us has not given us up. */
		if (p->watches_us || p->is_watched || !watch_is_limited(node))
			node_session_end(node, now, p, EVIDENCE_MISSED);
	}
	election_settle(&node->election);
	if (leader != NODE_NONE)
		node_lose_leader(node, now, reason);
	node->heartbeat_at = now;
}

/* How much later than we asked to we run now. */
nsec_t
node_lag(const struct node *node, nsec_t now)
{
	nsec_t asked = node->wanted > node->woken ? node->wanted : node->woken;

	return nsec_since(now, asked);
}

/*
 * Have the others given us up by now? They count from our last heartbeat, and
 * allow for jitter, which we do not: we know it before they do.
 */
bool
node_was_given_up(const struct node *node, nsec_t now)
{
	return node_lag(node, now) > node->setup.heartbeat / 2 &&
	       nsec_since(now, node->spoke_at) >= node_detection(node);
}

/*
 * After so long without a stall it doubts itself less: by its heartbeats, for
 * what is a stall is measured by them, too.
 */
static nsec_t
node_health_lasts(const struct node *node)
{
	return nsec_earlier(SEC, HEALTH_LASTS * node->setup.heartbeat);
}

/*
 * The stall meter (PROTOCOL.md, Local health): if we run later than we asked
 * to, whatever we seem to have missed may be our own doing.
 */
void
node_wake(struct node *node, nsec_t now)
{
	nsec_t lag = node_lag(node, now);
	bool was_given_up = node_was_given_up(node, now);

	node->woken = now;
	node->members_size = 0;
	if (!was_given_up && quorum_is_over(node, now))
		node_expire(node, now);
	if (lag <= node->setup.heartbeat / 2)
		return;
	node->counters.stalls++;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_STALLED, .duration = lag });
	if (was_given_up) {
		node_rejoin(node, now);
		return;
	}
	if (node->local_health < HEALTH_MAX)
		node->local_health++;
	node->healthy_at = nsec_after(now, node_health_lasts(node));
	if (lag > node->setup.heartbeat)
		lag += node->setup.heartbeat;
	for (unsigned i = 0; i < node->peers_count; i++)
		detector_excuse(&node->peers[i].detector, lag);
	node_touch_all(node);
	node->lead.stale_at = nsec_after(node->lead.stale_at, lag);
}

/* The peer has been silent for too long, or refused us: its session ends. */
void
node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	if (p->detector.is_heard)
		node->counters.suspicions++;
	node_session_end(node, now, p, evidence);
}

/* Silence: first a question, then the end of the session. */
static void
peer_tick(struct node *node, nsec_t now, struct peer *p)
{
	struct detector *d = &p->detector;

	peer_touch(node, p);
	if (!p->has_session || !p->is_watched)
		return;
	refusal_tick(node, p, now);
	if (!p->has_session)
		return;
	if (now >=
	    detector_deadline(d, node->setup.misses, node->local_health)) {
		node_suspect(node, now, p, EVIDENCE_MISSED);
		return;
	}
	if (now >=
	    detector_ping_at(d, node->setup.misses, node->local_health)) {
		detector_pinged(d);
		p->ping_due = true;
	}
}

/*
 * Does somebody else seek this peer for us? The leader does, where there are
 * sessions between all. Then this node may be lazy about it. A neighbour in the
 * topology it seeks itself.
 */
static bool
hello_may_wait(const struct node *node, const struct peer *p)
{
	return watch_is_star(node) && !watch_is_neighbour(node, p) &&
	       node->lead.is_fresh && !node_leads(node);
}

/* Says hello to a peer without a session: with each heartbeat, so that a
 * partition that heals is noticed at once, or lazily. */
static bool
hello_tick(struct node *node, nsec_t now, struct peer *p)
{
	if (p->has_session || p->hello_due || now < p->hello_at ||
	    !node_keeps(node, p))
		return false;
	p->hello_due = true;
	peer_touch(node, p);
	p->hello_tries++;
	p->hello_at = now;
	if (p->hello_tries > HELLO_EAGER && hello_may_wait(node, p))
		p->hello_at += random_between(
		    &node->random, HELLO_LAZY - HELLO_LAZY / 10, HELLO_LAZY);
	return true;
}

/* To the best first, as one of them is going to lead; while they may answer. */
static unsigned
hello_best(struct node *node, nsec_t now, unsigned limit)
{
	unsigned count = 0;

	for (unsigned i = 0; i < node->peers_count && count < limit; i++) {
		struct peer *p = &node->peers[node->by_rank[i]];

		if (p->hello_tries < HELLO_EAGER)
			count += hello_tick(node, now, p);
	}
	return count;
}

/* To the leader, or, leaderless, to the best. */
static unsigned
hello_first(struct node *node, nsec_t now, unsigned limit)
{
	node_id leader = lead_id(&node->lead);
	struct peer *p = node_find(node, leader);

	if (leader == NODE_NONE)
		return hello_best(node, now, limit);
	return p != NULL && hello_tick(node, now, p);
}

/*
 * So many hellos an interval, in rotation: each peer has its turn. All go
 * round from their own place on, so of two one asks well before the other. Who
 * does not run when it should, as others here may not, says fewer, or none.
 */
static void
hello_round(struct node *node, nsec_t now)
{
	node_id leader = lead_id(&node->lead);
	unsigned budget = node_budget(node, HELLO_BUDGET), first;

	if (node->sessions_now == node->peers_count)
		return;
	if (leader != NODE_NONE)
		budget = leader == node->setup.self
			     ? node_budget_max(node)
			     : node_budget(node, HELLO_FOLLOWING);
	first = hello_first(node, now, budget / 2);
	budget = (budget - first) >> node->local_health;
	for (unsigned i = 0; i < node->peers_count && budget > 0; i++) {
		unsigned turn = node->hello_turn;

		node->hello_turn = (turn + 1) % node->peers_count;
		if (hello_tick(
			node, now, &node->peers[node->by_id[turn].index]))
			budget--;
	}
}

/*
 * When to beat next: about an interval from now. Who follows a leader waits a
 * little longer than the leader does, so as to be woken by its beat.
 */
static nsec_t
heartbeat_pause(struct node *node)
{
	nsec_t interval = node->setup.heartbeat;
	node_id leader = lead_id(&node->lead);

	if (leader != NODE_NONE && leader != node->setup.self)
		return interval + interval / 10;
	return random_between(
	    &node->random, interval - interval / 10, interval + interval / 10);
}

/* One beat for all: a node wakes once an interval to speak. */
static void
heartbeat(struct node *node, nsec_t now)
{
	node->heartbeat_at = now + heartbeat_pause(node);
	node->spoke_at = now;
	/* One number a beat: a sign that took a longer way is no news. */
	node->lead.beacon.number += lead_id(&node->lead) == node->setup.self;
	if (node_is_ring(node))
		ring_part(node, now);
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p->is_watched || p->watches_us)
			peer_tell(node, p);
	}
	if (node_is_quorum(node)) {
		quorum_look(node, now);
		quorum_beat(node, now);
	}
	hello_round(node, now);
	watch_round(node);
	node_costs(node, now);
}

/*
 * The leader has beaten: so do we, now that we run. What all say comes close
 * together then, and a host is woken twice an interval, not once by each.
 */
void
node_beat_along(struct node *node, nsec_t now)
{
	if (nsec_since(now, node->spoke_at) >= node->setup.heartbeat / 2)
		heartbeat(node, now);
}

void
node_tick_peers(struct node *node, nsec_t now)
{
	if (node->local_health > 0 && now >= node->healthy_at) {
		node->local_health--;
		node->healthy_at = nsec_after(now, node_health_lasts(node));
		node_touch_all(node);
	}
	if (now >= node->heartbeat_at)
		heartbeat(node, now);
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (now >= node->wake_at[i] || peer_set_has(&node->touched, i))
			peer_tick(node, now, &node->peers[i]);
	}
}

/* When this peer wants attention next. */
nsec_t
peer_deadline(const struct node *node, const struct peer *p)
{
	nsec_t at;

	if (!p->has_session)
		return NSEC_NEVER;
	at = channel_deadline(&p->channel);
	if (!p->is_watched)
		return at;
	at = nsec_earlier(at, p->ask_at);
	at = nsec_earlier(at, detector_deadline(&p->detector,
				  node->setup.misses, node->local_health));
	return nsec_earlier(at, detector_ping_at(&p->detector,
				    node->setup.misses, node->local_health));
}

/* When an id in use twice is forgiven; NSEC_NEVER if there is none. */
static nsec_t
duplicates_deadline(const struct node *node)
{
	nsec_t at = NSEC_NEVER;

	if (node->duplicate_noted)
		at = node->duplicate_until;
	for (unsigned i = peer_set_next(&node->duplicates, 0); i < NODES_MAX;
	     i = peer_set_next(&node->duplicates, i + 1)) {
		if (node->peers[i].duplicate_noted)
			at = nsec_earlier(at, node->peers[i].duplicate_until);
	}
	return at;
}

nsec_t
node_deadline(const struct node *node)
{
	nsec_t at = node->heartbeat_at;

	if (node->is_stopping)
		return NSEC_NEVER;
	at = nsec_earlier(at, peers_deadline(node));
	if (node_is_ring(node))
		at = nsec_earlier(at, ring_deadline(node));
	if (node->is_starting)
		at = nsec_earlier(at, node->startup_at);
	if (node->lead.is_fresh)
		at = nsec_earlier(at, node->lead.stale_at);
	at = nsec_earlier(at, handover_deadline(node));
	at = nsec_earlier(at, steady_deadline(node));
	if (node_is_quorum(node))
		at = nsec_earlier(at, quorum_deadline(node));
	if (node_wants_leader(node, node->woken))
		at = nsec_earlier(at, node_turn(node, node->woken, at));
	at = nsec_earlier(at, duplicates_deadline(node));
	return nsec_earlier(at, election_deadline(&node->election));
}
