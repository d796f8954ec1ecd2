/* SPDX-License-Identifier: ISC */
/*
 * A host that says, by ICMP, that no process listens where we send
 * (PROTOCOL.md, Refusals). This finds out processes that die without a last
 * will, but it is no more than a hint: we ask a peer that refused us once more,
 * a while later. Anything that is heard of it makes up for the refusals; the
 * second ends the session, unless an answer comes in the time that it takes.
 * And while it is asked, so are the others, for the leader: what only one of us
 * is refused, as by a firewall, leads on.
 */
#include "common/node/node_private.h"

/*
 * How long to wait for its answer, or for what the others get to know of it
 * when it is the leader, whom they have to ask: two round trips.
 */
static nsec_t
refusal_pause(const struct node *node, const struct peer *p)
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
leader_lost(struct node *node, nsec_t now)
{
	node->lead.stale_at = now;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].is_up)
			peer_tell(node, &node->peers[i]);
	}
}

/* Where nothing listens a hello is no use, and hosts refuse no more than one
 * datagram a second: the next process will say hello itself. */
static void
hello_rarely(struct peer *p, nsec_t now)
{
	if (p->hello_tries < HELLO_EAGER)
		p->hello_tries = HELLO_EAGER;
	p->hello_at = now + HELLO_LAZY;
}

/* Enough of it. Has anybody who reaches the leader said so since the first
 * time? */
void
refusal_believe(struct node *node, nsec_t now, struct peer *p)
{
	bool is_leader = lead_id(&node->lead) == p->setup.id;

	node_suspect(node, now, p, EVIDENCE_REFUSED);
	hello_rarely(p, now);
	if (is_leader && watch_is_star(node) &&
	    node->lead.heard <= p->refused_at)
		leader_lost(node, now);
}

/* A peer that followed our leader follows nobody: it has lost it. If we were
 * refused, even once, so have we. */
void
refusal_heed(struct node *node, nsec_t now, const struct peer *from)
{
	struct peer *leader = node_find(node, lead_id(&node->lead));

	if (leader != NULL && leader != from && leader->is_refused &&
	    watch_is_star(node))
		refusal_believe(node, now, leader);
}

/* Not so soon after one that an answer has made up for: what is said to it then
 * may be refused as well, if by somebody else, and so on without end. */
static bool
refusal_counts(const struct node *node, nsec_t now, const struct peer *p)
{
	return p->refused_at == 0 ||
	       nsec_since(now, p->refused_at) >= node->setup.heartbeat;
}

static void
refusal_take(struct node *node, nsec_t now, struct peer *p)
{
	if (!p->has_session) {
		hello_rarely(p, now);
	} else if (!p->is_refused) {
		if (!refusal_counts(node, now, p))
			return;
		p->is_refused = true;
		p->refused_at = now;
		p->ask_at = now + refusal_pause(node, p);
	} else if (p->ask_at == NSEC_NEVER) {
		/* If it lives, its answer comes all the same. */
		p->is_refused_twice = true;
		p->ask_at = now + refusal_pause(node, p) / 2;
	}
}

void
node_refused(struct node *node, nsec_t now, unsigned peer)
{
	struct peer *p = &node->peers[peer];

	assert(peer < node->peers_count);
	node_wake(node, now);
	if (node->is_stopping)
		return;
	peer_touch(node, p);
	refusal_take(node, now, p);
	node_conclude(node, now);
}

/* Its time to answer is over: once more, then, or never. */
void
refusal_tick(struct node *node, struct peer *p, nsec_t now)
{
	if (now < p->ask_at)
		return;
	p->ask_at = NSEC_NEVER;
	if (p->is_refused_twice)
		refusal_believe(node, now, p);
	else
		p->ping_due = true;
}

/* It is there. */
void
refusal_forget(struct peer *p)
{
	p->is_refused = p->is_refused_twice = false;
	p->ask_at = NSEC_NEVER;
}

/*
 * Somebody begins to want our heartbeats: so it has no leader, or doubts the
 * one it has. Does ours answer? What it says then is a later sign of it than
 * any that the other can know.
 */
void
refusal_ask_leader(struct node *node, const struct peer *for_whom)
{
	struct peer *leader = node_find(node, lead_id(&node->lead));

	if (leader == NULL || leader == for_whom || !leader->is_up ||
	    leader->is_refused || node->woken < node->ask_leader_at)
		return;
	node->ask_leader_at =
	    node->woken + node->setup.heartbeat / REFUSAL_PARTS;
	node->asks_leader = true;
	leader->ping_due = true;
	peer_touch(node, leader);
}

/* It has answered: whoever may doubt it is told. */
void
refusal_tell(struct node *node, const struct peer *leader)
{
	if (!node->asks_leader)
		return;
	node->asks_leader = false;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		if (p != leader && p->watches_us)
			peer_tell(node, p);
	}
}
