/* SPDX-License-Identifier: ISC */
/*
 * What a node makes of elections: whom it follows, when it begins one, when it
 * gives a leader up (PROTOCOL.md, Elections).
 */
#include "common/node/node_private.h"

bool
node_leads(const struct node *node)
{
	return lead_id(&node->lead) == node->setup.self;
}

/* May this node begin an election? Who still listens, is no part of its ring,
 * or hears no majority of the voters, may not. */
static bool
may_begin(const struct node *node, nsec_t now, bool is_contest)
{
	return !node->is_starting && !node->is_leaving &&
	       node_takes_part(node) && !election_is_spent(&node->election) &&
	       (!node_is_quorum(node) ||
		   (now >= node->quorum.begin_at &&
		       quorum_holds(node, now, is_contest) &&
		       !quorum_awaits(node, now)));
}

bool
node_may_begin(const struct node *node, nsec_t now)
{
	return may_begin(node, now, false);
}

/* Where another leads. */
bool
node_may_contest(const struct node *node, nsec_t now)
{
	return may_begin(node, now, true);
}

/*
 * Where all are linked to all, the best that is left begins at once, and with
 * bully's first step it is elected: all better ones are gone. The others leave
 * it the time for that, and so on by rank; otherwise each loss of a leader
 * would make as many elections as there are nodes (PROTOCOL.md, Turns). A
 * better one that may have died with the leader is waited for: it would have to
 * be asked. When this node's turn has come, to begin one where there is no
 * leader; or some moment beyond `limit`, if it comes later than that.
 */
nsec_t
node_turn(const struct node *node, nsec_t now, nsec_t limit)
{
	struct rank self = node_rank(node, now);
	nsec_t at = node->lead.since, last = 0;

	if (node->setup.topology != TOPOLOGY_FULL)
		return 0;
	if (at < node->startup_at)
		at = node->startup_at;
	for (unsigned i = 0; i < node->peers_count && at <= limit; i++) {
		const struct peer *p = &node->peers[node->by_rank[i]];
		nsec_t answer_at = watch_answer_at(node, p);

		if (!p->is_up ||
		    !rank_better(&p->rank, &self, node->setup.prefer))
			continue;
		at += node->setup.heartbeat / TURN_PARTS;
		if (last < answer_at)
			last = answer_at;
	}
	return at < last ? last : at;
}

/* The term is to be known after a restart too: by our voter's promise, if that
 * goes as far. */
static void
node_keep_term(struct node *node, uint64_t term)
{
	struct record *r = &node->setup.record;

	if (term <= r->term)
		return;
	r->term = term;
	if (!node_is_quorum(node) || term > node->quorum.voter.promise.term)
		node->persist_due = true;
}

/* Takes a leader, itself perhaps, and tells the host. */
void
node_follow(struct node *node, nsec_t now, const struct pulse *pulse,
    struct cause cause, nsec_t stale_at)
{
	node_id previous = lead_id(&node->lead);
	node_id last = node->lead.pulse.leader.id;
	struct peer *waits =
	    node->lead.pulse.makes_room ? node_find(node, previous) : NULL;

	if (node_is_quorum(node) && pulse->leader.id != node->setup.self)
		quorum_drop(node, now);
	room_renew(node, pulse->leader.id);
	lead_take(&node->lead, pulse, cause, now, stale_at);
	node->quorum.tenure_until = 0;
	node->roll_agree = 0;
	node->quorum.was_lost = false;
	node->found_nobody = false;
	node_keep_term(node, pulse->term);
	/* Who makes room waits for the next leader's own word. */
	if (waits != NULL && pulse->leader.id == node->setup.self) {
		node->lead.pulse.number++;
		peer_tell(node, waits);
	}
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
void
node_unfollow(struct node *node, nsec_t now, struct cause cause)
{
	node_id previous = lead_id(&node->lead);
	nsec_t at = now;

	if (previous == NODE_NONE)
		return;
	/* The end of a lease is when it was, however late we run. */
	if (quorum_is_over(node, now) && quorum_until(node) != 0)
		at = quorum_until(node);
	if (node_is_quorum(node) && node_leads(node))
		quorum_drop(node, now);
	room_close(node);
	lead_drop(&node->lead, cause, at);
	node_note(node, at,
	    (struct notice){
		.kind = NOTICE_NO_LEADER,
		.term = node->lead.pulse.term,
		.previous = previous,
		.cause = cause,
	    });
}

void
node_lose_leader(struct node *node, nsec_t now, struct cause cause)
{
	char text[CAUSE_TEXT_MAX];

	node_trace(
	    node, now, "the leader is lost: %s", cause_text(cause, text));
	node_unfollow(node, now, cause);
	/* A running election goes on; who still listens starts none. */
	if (!node->election.is_open && node_may_begin(node, now) &&
	    now >= node_turn(node, now, now))
		node_begin_election(node, now, cause);
}

/* Nothing is heard of the leader: what was the last of it? */
static enum cause_kind
lead_silence(struct node *node, node_id id)
{
	const struct peer *p = node_find(node, id);

	return p != NULL && !p->is_up && p->evidence == EVIDENCE_REFUSED
		   ? CAUSE_REFUSED
		   : CAUSE_MISSED;
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
	if (id == node->setup.self && node_is_quorum(node) &&
	    node->setup.memory != MEMORY_SOUND)
		return (struct cause){ CAUSE_MEMORY, id };
	/* A later election has begun, which this node can neither end nor
	 * begin again. */
	if (id != NODE_NONE && node->ring.is_aside && !node_is_quorum(node) &&
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
		return (struct cause){ lead_silence(node, id), id };
	return (struct cause){ CAUSE_NONE, NODE_NONE };
}

/* The lease of whom we follow, or our own, is over. */
void
node_expire(struct node *node, nsec_t now)
{
	struct cause cause = { CAUSE_LEASE, lead_id(&node->lead) };

	/* Whoever we make room for is to have the time to take our place. */
	if (node_leads(node) && node->quorum.lease.capped != NSEC_NEVER) {
		cause = node->room.cause;
		quorum_pause(node, now, node_detection(node));
	}
	node_lose_leader(node, now, cause);
	quorum_tick(node, now);
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

/* Why there is no leader: it was lost when nothing could be begun, or nobody
 * stood for election but now this node does, or there never was one. */
static struct cause
node_lack(const struct node *node)
{
	if (node->quorum.was_lost)
		return (struct cause){ CAUSE_QUORUM, node->setup.self };
	if (node->is_alone)
		return (struct cause){ CAUSE_ALONE, node->setup.self };
	if (node->lead.pulse.term == 0 || node->found_nobody)
		return (struct cause){ CAUSE_START, node->setup.self };
	return node->lead.cause;
}

/* With no leader and nothing under way: is it to begin, when its turn comes? */
bool
node_wants_leader(const struct node *node, nsec_t now)
{
	return !node->lead.is_fresh && !node->election.is_open &&
	       node_may_begin(node, now) &&
	       (!node->found_nobody || node_rank(node, now).stands);
}

/* With nothing under way: should this node begin an election? */
static void
node_consider(struct node *node, nsec_t now)
{
	const struct pulse *pulse = &node->lead.pulse;
	struct rank self, leader;

	room_end_abstention(node, now);
	room_succeed(node, now);
	self = node_rank(node, now);
	if (node_wants_leader(node, now) && now >= node_turn(node, now, now))
		node_begin_election(node, now, node_lack(node));
	if (!node->lead.is_fresh || node->election.is_open ||
	    node_leads(node) || !node_may_contest(node, now))
		return;
	/* Nobody preempts a leader because it was unsteady. It gives way to a
	 * steady one only when two leaders meet. */
	leader = pulse->leader;
	leader.sits = true;
	/* Who makes room need not be asked for it: it names the next itself. */
	if (self.stands && !pulse->makes_room &&
	    rank_better(&self, &leader, node->setup.prefer))
		node_begin_election(node, now,
		    (struct cause){ CAUSE_PREEMPT, pulse->leader.id });
}

void
node_conclude(struct node *node, nsec_t now)
{
	struct cause flaw;

	node_note_duplicates(node, now);
	node_forget_keys(node, now);
	if (quorum_is_over(node, now))
		node_expire(node, now);
	flaw = lead_flaw(node, now);
	if (flaw.kind != CAUSE_NONE)
		node_lose_leader(node, now, flaw);
	if (node->is_leaving && !node_leads(node)) {
		quorum_tick(node, now);
		node_leave(node);
		return;
	}
	quorum_renounce(node, now);
	node_end_startup(node, now);
	node_consider(node, now);
	watch_update(node);
}
