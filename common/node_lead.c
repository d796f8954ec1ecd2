/* SPDX-License-Identifier: ISC */
/*
 * What a node makes of elections and pulses: whom it follows, when it begins
 * an election, when it gives a leader up (design.md 3).
 */
#include "common/node_private.h"

#include <inttypes.h>

static bool
node_leads(const struct node *node)
{
	return lead_id(&node->lead) == node->setup.self;
}

/* May this node begin an election? Who still listens, or is no part of its
 * ring, may not. */
static bool
node_may_begin(const struct node *node)
{
	return !node->is_starting && node_takes_part(node);
}

/* When a sign of the leader that came in now, over so many hops, is stale. */
static nsec_t
pulse_stale_at(
    const struct node *node, nsec_t now, const struct peer *from, unsigned hops)
{
	nsec_t patience = (node->setup.misses + hops) * node->setup.heartbeat;

	patience += from != NULL ? detector_margin(&from->detector)
				 : node->setup.heartbeat;
	return now + patience * (1 + node->health);
}

/* A new leader is told at once where word goes from neighbour to neighbour. */
static void
node_hand_on(struct node *node)
{
	if (node->setup.topology == TOPOLOGY_FULL)
		return;
	for (unsigned i = 0; i < node->peers_count; i++)
		node->peers[i].datagram_due = node->peers[i].has_session;
}

/* Takes a leader, itself perhaps, and tells the host. */
static void
node_follow(struct node *node, nsec_t now, const struct pulse *pulse,
    struct cause cause, nsec_t stale_at)
{
	node_id previous = lead_id(&node->lead);
	node_id last = node->lead.pulse.leader.id;

	lead_take(&node->lead, pulse, cause, now, stale_at);
	node->found_nobody = false;
	node_hand_on(node);
	if (last != pulse->leader.id)
		node->counters.changes++;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_LEADER,
		.term = pulse->term,
		.leader = pulse->leader.id,
		.previous = previous != NODE_NONE ? previous : last,
		.cause = cause,
	    });
}

/* There is no leader any more, as far as this node knows. */
static void
node_unfollow(struct node *node, nsec_t now, struct cause cause)
{
	node_id previous = lead_id(&node->lead);

	if (previous == NODE_NONE)
		return;
	lead_drop(&node->lead, cause, now);
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_NO_LEADER,
		.term = node->lead.pulse.term,
		.previous = previous,
		.cause = cause,
	    });
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
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_ELECTION,
		.term = e->run_term,
		.cause = e->cause,
	    });
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
		if (p->has_session &&
		    !channel_send(&p->channel, node->blocks, bytes, w.size))
			node_session_end(node, now, p, EVIDENCE_RESET);
	}
}

static void
node_note_elected(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;
	struct notice n = {
		.kind = NOTICE_ELECTED,
		.term = e->run_term,
		.leader = winner->stands ? winner->id : NODE_NONE,
		.cause = e->cause,
		.duration = nsec_since(now, e->account->began),
	};

	for (size_t i = 0; i < MESSAGE_KINDS_MAX; i++)
		n.sent[i] = e->account->sent[i];
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
			.cause = e->cause,
		    });
	node_unfollow(node, now, e->cause);
	node->found_nobody = true;
}

/* The algorithm has decided. */
static void
node_decide(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;
	const struct lead *lead = &node->lead;
	struct pulse pulse = {
		.term = e->run_term,
		.leader = *winner,
		.cause = e->cause,
	};
	struct peer *p = node_find(node, winner->id);

	/* A later term was seen meanwhile, its leader perhaps: nobody goes back
	 * to this one. */
	if (pulse.term < e->term)
		return;
	node_note_elected(node, now, winner);
	if (!winner->stands) {
		node_find_nobody(node, now);
		return;
	}
	if (lead->is_fresh && lead->pulse.term == pulse.term &&
	    !rank_better(winner, &lead->pulse.leader, node->setup.prefer))
		return;
	if (winner->id == node->setup.self) {
		pulse.incarnation = node->setup.incarnation;
		node->is_starting = false;
		node_follow(node, now, &pulse, e->cause, NSEC_NEVER);
	} else {
		pulse.incarnation =
		    p != NULL && p->has_session ? p->incarnation : 0;
		node->leader_by = p != NULL && p->is_up ? p : NULL;
		node_follow(node, now, &pulse, e->cause,
		    pulse_stale_at(node, now, p, node_hops(node, p)));
	}
}

void
node_flush_election(struct node *node, nsec_t now)
{
	struct rank winner;

	node_note_election(node, now);
	node_send_messages(node, now);
	if (election_decision(&node->election, &winner))
		node_decide(node, now, &winner);
}

void
node_begin_election(struct node *node, nsec_t now, struct cause cause)
{
	struct rank self = node_rank(node, now);
	char text[CAUSE_TEXT_MAX];

	node_trace(node, now, "start an election: %s", cause_text(cause, text));
	election_start(&node->election, now, &self, cause);
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
	struct peer *p = node_find(node, m->cause.node);

	if (m->cause.kind != CAUSE_MISSED || m->term <= node->election.run_term)
		return;
	if (p != NULL && p->has_session &&
	    detector_doubts(
		&p->detector, now, node->setup.misses, node->health))
		node_suspect(node, now, p);
}

void
node_message(
    struct node *node, nsec_t now, struct peer *p, const struct message *m)
{
	struct rank self = node_rank(node, now);
	const struct lead *lead = &node->lead;
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
	if (lead->is_fresh && lead->pulse.term >= node->election.run_term)
		election_settle(&node->election);
}

void
node_lose_leader(struct node *node, nsec_t now, struct cause cause)
{
	char text[CAUSE_TEXT_MAX];

	node_trace(
	    node, now, "the leader is lost: %s", cause_text(cause, text));
	node_unfollow(node, now, cause);
	/* A running election goes on; who still listens starts none. */
	if (!node->election.is_open && node_may_begin(node))
		node_begin_election(node, now, cause);
}

/* Another leader, or one of a later term. */
static void
node_meet(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	struct rank self = node_rank(node, now);
	node_id other = lead_id(&node->lead);
	struct cause cause = pulse->cause;

	/* Unless its election reached us, and the pulse is the first word of
	 * how it ended. */
	if (other != NODE_NONE && other != pulse->leader.id &&
	    pulse->term != node->election.run_term)
		cause = (struct cause){ CAUSE_MERGE, pulse->leader.id };
	if (node_may_begin(node) && self.stands &&
	    rank_better(&self, &pulse->leader, node->setup.prefer)) {
		if (cause.kind != CAUSE_MERGE)
			cause.kind = CAUSE_PREEMPT;
		cause.node = pulse->leader.id;
		node_begin_election(node, now, cause);
		return;
	}
	if (pulse->term >= node->election.run_term)
		election_settle(&node->election);
	node->leader_by = from;
	node_follow(node, now, pulse, cause,
	    pulse_stale_at(node, now, from, pulse->hops));
}

/*
 * A peer knows of no leader, in a term above our leader's: so it will not
 * follow ours, and our leader may not hear it. An election above both, for
 * all of us.
 */
static void
node_meet_nobody(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	const struct lead *lead = &node->lead;

	if (lead->is_fresh && pulse->term > lead->pulse.term &&
	    !node->election.is_open && node_may_begin(node))
		node_begin_election(
		    node, now, (struct cause){ CAUSE_MERGE, from->setup.id });
}

void
node_pulse(
    struct node *node, nsec_t now, struct peer *from, const struct pulse *pulse)
{
	struct lead *lead = &node->lead;

	if (!election_saw(&node->election, pulse->term)) {
		node_drop(node, now, from, DROP_FORMAT);
		return;
	}
	if (pulse->leader.id == NODE_NONE) {
		node_meet_nobody(node, now, from, pulse);
		return;
	}
	/* Nobody is so far away. Its term is heeded all the same: whoever
	 * believes it would not join an election of an earlier one. */
	if (pulse->hops == NODES_MAX)
		return;
	if (pulse->leader.id == node->setup.self ||
	    node_process_end(node, now, pulse->leader.id, pulse->incarnation) !=
		EVIDENCE_NONE)
		return;
	switch (
	    lead_judge(lead, pulse, node->election.term, node->setup.prefer)) {
	case PULSE_OLD:
		break;
	case PULSE_RENEWED:
		if (pulse->hops == 0 && pulse->number > lead->pulse.number)
			node_beat_along(node, now);
		if (pulse->number > lead->pulse.number)
			node->leader_by = from;
		/* The first sign of a leader that was elected: those who are
		 * far from it wait for it. */
		if (pulse->number > 0 && lead->pulse.number == 0)
			node_hand_on(node);
		lead_renew(lead, pulse, now,
		    pulse_stale_at(node, now, from, pulse->hops));
		break;
	case PULSE_RIVAL:
		if (!node_leads(node))
			break;
		if (!node_may_begin(node))
			node_meet(node, now, from, pulse);
		else
			node_begin_election(node, now,
			    (struct cause){ CAUSE_MERGE, pulse->leader.id });
		break;
	case PULSE_NEW:
		node_meet(node, now, from, pulse);
		break;
	}
}

/* The leader is known to be gone, or not to lead any more? */
static struct cause
lead_flaw(struct node *node, nsec_t now)
{
	const struct pulse *pulse = &node->lead.pulse;
	node_id id = lead_id(&node->lead);
	enum evidence end;

	if (id == node->setup.self && node_is_duplicate(node, now))
		return (struct cause){ CAUSE_DUPLICATE, id };
	/* A later election has begun, which this node can neither end nor
	 * begin again. */
	if (id != NODE_NONE && node->ring.is_aside &&
	    node->election.term > pulse->term)
		return (struct cause){ CAUSE_MERGE, id };
	if (id == NODE_NONE || id == node->setup.self)
		return (struct cause){ CAUSE_NONE, NODE_NONE };
	end = node_process_end(node, now, id, pulse->incarnation);
	if (end == EVIDENCE_BYE)
		return (struct cause){ CAUSE_BYE, id };
	if (end == EVIDENCE_DIED)
		return (struct cause){ CAUSE_DIED, id };
	if (now >= node->lead.stale_at)
		return (struct cause){ CAUSE_MISSED, id };
	return (struct cause){ CAUSE_NONE, NODE_NONE };
}

/*
 * Listening ends with its time, or when there is nobody left to wait for: but
 * then a moment later, as the others' links come up one by one too.
 */
static void
node_end_startup(struct node *node, nsec_t now)
{
	if (!node->is_starting)
		return;
	if (node_hears_all(node))
		node->startup_at = nsec_earlier(
		    node->startup_at, now + node->setup.heartbeat / 2);
	if (now < node->startup_at)
		return;
	node->is_starting = false;
	node_trace(node, now, "startup is over");
}

/* Why there is no leader: it was lost when nothing could be begun, or there
 * never was one. */
static struct cause
node_lack(const struct node *node)
{
	if (node->lead.pulse.term == 0 || node->found_nobody)
		return (struct cause){ CAUSE_START, node->setup.self };
	return node->lead.cause;
}

/* With nothing under way: should this node begin an election? */
static void
node_consider(struct node *node, nsec_t now)
{
	struct rank self = node_rank(node, now);
	const struct pulse *pulse = &node->lead.pulse;

	if (!node_may_begin(node) || node->election.is_open || node_leads(node))
		return;
	if (!node->lead.is_fresh) {
		if (!node->found_nobody || self.stands)
			node_begin_election(node, now, node_lack(node));
		return;
	}
	if (self.stands &&
	    rank_better(&self, &pulse->leader, node->setup.prefer))
		node_begin_election(node, now,
		    (struct cause){ CAUSE_PREEMPT, pulse->leader.id });
}

void
node_conclude(struct node *node, nsec_t now)
{
	struct cause flaw;

	node_note_duplicates(node, now);
	flaw = lead_flaw(node, now);
	if (flaw.kind != CAUSE_NONE)
		node_lose_leader(node, now, flaw);
	node_end_startup(node, now);
	node_consider(node, now);
}
