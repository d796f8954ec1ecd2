/* SPDX-License-Identifier: ISC */
/*
 * A node and the algorithm: its messages on their way in and out, and what its
 * decision means. Whom the node follows is in node_lead.c.
 */
#include "common/node/node_private.h"

#include <inttypes.h>

/*
 * Does the node follow the leader of this term already, or of a later one? The
 * leader's sign, which others hand on, may overtake its message. The host is
 * not told of an election whose end it knows.
 */
static bool
node_knows_outcome(const struct node *node)
{
	return node->lead.is_fresh &&
	       node->lead.beacon.term >= node->election.run_term;
}

/* Tells of an election that has begun, or reached this node. */
static void
node_note_election(struct node *node, nsec_t now)
{
	const struct election *e = &node->election;

	if (e->run_term == node->noted_term)
		return;
	node->noted_term = e->run_term;
	node->counters.elections++;
	if (node_knows_outcome(node))
		return;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_ELECTION,
		.term = e->run_term,
		.reason = e->reason,
	    });
}

/* Through the peer's channel. Where memory has run out, somebody's session ends
 * for it. */
static void
message_send(struct node *node, nsec_t now, struct peer *p,
    const uint8_t *bytes, size_t size)
{
	struct channel *ch = &p->channel;
	struct peer *hoarder = p;

	if (channel_send(ch, node->blocks, bytes, size))
		return;
	if (channel_has_room(ch, size))
		hoarder = node_hoarder(node, p);
	node_session_end(node, now, hoarder, EVIDENCE_RESET);
	if (p->has_session && !channel_send(ch, node->blocks, bytes, size))
		node_session_end(node, now, p, EVIDENCE_RESET);
}

/* Sends what the election wants sent, through the peers' channels. */
static void
node_send_messages(struct node *node, nsec_t now)
{
	struct message m;
	unsigned link;

	while (election_take(&node->election, &link, &m)) {
		struct peer *p = node_link_peer(node, link);
		uint8_t bytes[MESSAGE_BYTES_MAX];
		struct writer w = writer_of(bytes, sizeof(bytes));

		message_encode(&w, &m);
		assert(!w.failed);
		node->counters.messages[m.kind]++;
		node_trace(node, now, "%s to %" PRIu32 " in term %" PRIu64,
		    node->setup.algorithm->kinds[m.kind], p->setup.id, m.term);
		peer_touch(node, p);
		if (p->has_session)
			message_send(node, now, p, bytes, w.size);
	}
}

static void
node_note_elected(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;
	struct notice n = {
		.kind = NOTICE_ELECTED,
		.term = e->run_term,
		.leader = winner->is_eligible ? winner->id : NODE_NONE,
		.reason = e->reason,
		.duration = nsec_since(now, e->past->began),
	};

	if (node_knows_outcome(node))
		return;
	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++)
		n.sent[i] = e->past->sent[i];
	node_note(node, now, n);
}

/* The election has found nobody who stands. */
static void
node_find_nobody(struct node *node, nsec_t now)
{
	const struct election *e = &node->election;

	if (!node->lead.is_fresh && !node->found_nobody)
		node_note(node, now,
		    (struct notice){
			.kind = NOTICE_NO_LEADER,
			.term = e->run_term,
			.reason = e->reason,
		    });
	node_unfollow(node, now, e->reason);
	node->found_nobody = true;
}

/* With the guarantee "quorum" a decision is not the end of it. */
static void
node_nominate(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;

	if (winner->id == node->setup.self) {
		quorum_nominate(node, now, e->run_term);
		return;
	}
	if (node->quorum.lease.held == 0)
		quorum_drop(node, now);
	else if (node_leads(node))
		handover_make(node, now,
		    (struct reason){ REASON_PREEMPT, node->setup.self }, false,
		    NODE_NONE);
}

/* The algorithm has decided. */
static void
node_decide(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;
	const struct lead *lead = &node->lead;
	struct beacon beacon = {
		.term = e->run_term,
		.leader = *winner,
		.reason = e->reason,
	};
	struct peer *p = node_find(node, winner->id);

	/* A later term was seen meanwhile, its leader perhaps: nobody goes back
	 * to this one. */
	if (beacon.term < e->term)
		return;
	node_note_elected(node, now, winner);
	if (!winner->is_eligible &&
	    !(node_is_quorum(node) && node_leads(node))) {
		election_settle(&node->election);
		node_find_nobody(node, now);
		return;
	}
	if (node_is_quorum(node)) {
		node_nominate(node, now, winner);
		return;
	}
	if (lead->is_fresh && lead->beacon.term == beacon.term &&
	    !rank_better(winner, &lead->beacon.leader, node->setup.prefer))
		return;
	/* Who hands over waits until that one says itself that it leads. */
	if (node_leads(node) && node->handover.is_told &&
	    winner->id != node->setup.self)
		return;
	if (winner->id == node->setup.self) {
		beacon.incarnation = node->setup.durable.incarnation;
		node->is_starting = false;
		node_follow(node, now, &beacon, e->reason, NSEC_NEVER);
	} else {
		beacon.incarnation =
		    p != NULL && p->has_session ? p->incarnation : 0;
		node->leader_by = p != NULL && p->is_up ? p : NULL;
		node_follow(node, now, &beacon, e->reason,
		    node_stale_at(node, now, p, node_hops(node, p)));
	}
}

void
node_flush_election(struct node *node, nsec_t now)
{
	struct rank winner;

	node_note_election(node, now);
	quorum_renounce(node, now);
	node_send_messages(node, now);
	if (election_decision(&node->election, &winner))
		node_decide(node, now, &winner);
}

void
node_begin_election(struct node *node, nsec_t now, struct reason reason)
{
	struct rank self = node_rank(node, now);
	char text[REASON_TEXT_MAX];

	if (election_is_spent(&node->election)) {
		node_trace(node, now, "no term is left");
		return;
	}
	node_trace(
	    node, now, "start an election: %s", reason_text(reason, text));
	election_start(&node->election, now, &self, reason);
	node_flush_election(node, now);
}

/*
 * All miss a dead leader at about the same time. An election that says so,
 * and comes a moment before we would say it ourselves, must not be joined with
 * the dead one in the view: it would be asked, and the election begun again.
 */
static void
node_heed(struct node *node, nsec_t now, const struct message *m)
{
	struct peer *p = node_find(node, m->reason.node);

	if ((m->reason.kind != REASON_MISSED &&
		m->reason.kind != REASON_REFUSED) ||
	    m->term <= node->election.run_term || p == NULL ||
	    !p->has_session || !p->is_watched)
		return;
	if (p->is_refused)
		refusal_believe(node, now, p);
	else if (detector_doubts(
		     &p->detector, now, node->setup.misses, node->local_health))
		node_suspect(node, now, p, EVIDENCE_MISSED);
}

void
node_message(
    struct node *node, nsec_t now, struct peer *p, const struct message *m)
{
	struct rank self = node_rank(node, now);
	const char *kind = node->setup.algorithm->kinds[m->kind];

	if (kind == NULL) {
		node_drop(node, now, p, DROP_FORMAT);
		return;
	}
	node_trace(node, now, "%s from %" PRIu32 " in term %" PRIu64, kind,
	    p->setup.id, m->term);
	node_heed(node, now, m);
	switch (election_receive(
	    &node->election, now, &self, node_link_find(node, p, m->link), m)) {
	case RECEIPT_TAKEN:
		break;
	case RECEIPT_OLD:
		node_trace(node, now, "its term is over -> drop");
		return;
	case RECEIPT_OUTSIDE:
		node_trace(node, now, "its link is new -> drop");
		break;
	case RECEIPT_ABSURD:
		node_drop(node, now, p, DROP_FORMAT);
		return;
	}
	node_flush_election(node, now);
	/* Whoever follows this term's leader already only serves others. */
	if (node_knows_outcome(node))
		election_settle(&node->election);
}
