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
	struct durable_state *r = &node->setup.durable;

	if (term <= r->term)
		return;
	r->term = term;
	if (!node_is_quorum(node) || term > node->quorum.voter.promise.term)
		node->persist_due = true;
}

/* Takes a leader, itself perhaps, and tells the host. */
void
node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct reason reason, nsec_t stale_at)
{
	node_id previous = lead_id(&node->lead);
	node_id last = node->lead.beacon.leader.id;
	struct peer *waits =
	    node->lead.beacon.hands_over ? node_find(node, previous) : NULL;

	if (node_is_quorum(node) && beacon->leader.id != node->setup.self)
		quorum_drop(node, now);
	handover_renew(node, beacon->leader.id);
	lead_take(&node->lead, beacon, reason, now, stale_at);
	node->quorum.lease_left_until = 0;
	node->members_agree = 0;
	node->quorum.was_lost = false;
	node->found_nobody = false;
	node_keep_term(node, beacon->term);
	/* Who hands over waits for the next leader's own word. */
	if (waits != NULL && beacon->leader.id == node->setup.self) {
		node->lead.beacon.number++;
		peer_tell(node, waits);
	}
	node_hand_on(node);
	if (last != beacon->leader.id)
		node->counters.changes++;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_LEADER,
		.term = beacon->term,
		.leader = beacon->leader.id,
		.previous = previous != NODE_NONE ? previous : last,
		.reason = reason,
	    });
}

/* There is no leader any more, as far as this node knows. */
void
node_unfollow(struct node *node, nsec_t now, struct reason reason)
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
	handover_close(node);
	lead_drop(&node->lead, reason, at);
	node_note(node, at,
	    (struct notice){
		.kind = NOTICE_NO_LEADER,
		.term = node->lead.beacon.term,
		.previous = previous,
		.reason = reason,
	    });
}

void
node_lose_leader(struct node *node, nsec_t now, struct reason reason)
{
	char text[REASON_TEXT_MAX];

	node_trace(
	    node, now, "the leader is lost: %s", reason_text(reason, text));
	node_unfollow(node, now, reason);
	/* A running election goes on; who still listens starts none. */
	if (!node->election.is_open && node_may_begin(node, now) &&
	    now >= node_turn(node, now, now))
		node_begin_election(node, now, reason);
}

/* Nothing is heard of the leader: what was the last of it? */
static enum reason_kind
lead_silence(struct node *node, node_id id)
{
	const struct peer *p = node_find(node, id);

	return p != NULL && !p->is_up && p->evidence == EVIDENCE_REFUSED
		   ? REASON_REFUSED
		   : REASON_MISSED;
}

/* The leader is known to be gone, or not to lead any more? */
static struct reason
lead_flaw(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	node_id id = lead_id(&node->lead);
	enum evidence end;

	if (id == node->setup.self && node_is_duplicate(node, now))
		return (struct reason){ REASON_DUPLICATE, id };
	if (id == node->setup.self && node_is_quorum(node) &&
	    node->setup.state_health != STATE_HEALTH_SOUND)
		return (struct reason){ REASON_STATE_FILE, id };
	/* A later election has begun, which this node can neither end nor
	 * begin again. */
	if (id != NODE_NONE && node->ring.is_aside && !node_is_quorum(node) &&
	    node->election.term > beacon->term)
		return (struct reason){ REASON_MERGE, id };
	if (id == NODE_NONE || id == node->setup.self)
		return (struct reason){ REASON_NONE, NODE_NONE };
	end = node_process_end(node, now, id, beacon->incarnation);
	if (end == EVIDENCE_BYE)
		return (struct reason){ REASON_BYE, id };
	if (end == EVIDENCE_DIED)
		return (struct reason){ REASON_DIED, id };
	if (now >= node->lead.stale_at)
		return (struct reason){ lead_silence(node, id), id };
	return (struct reason){ REASON_NONE, NODE_NONE };
}

/* The lease of whom we follow, or our own, is over. */
void
node_expire(struct node *node, nsec_t now)
{
	struct reason reason = { REASON_LEASE, lead_id(&node->lead) };

	/* Whoever we hand over for is to have the time to take our place. */
	if (node_leads(node) && node->quorum.lease.capped != NSEC_NEVER) {
		reason = node->handover.reason;
		quorum_pause(node, now, node_detection(node));
	}
	node_lose_leader(node, now, reason);
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
static struct reason
node_lack(const struct node *node)
{
	if (node->quorum.was_lost)
		return (struct reason){ REASON_QUORUM, node->setup.self };
	if (node->is_alone)
		return (struct reason){ REASON_ALONE, node->setup.self };
	if (node->lead.beacon.term == 0 || node->found_nobody)
		return (struct reason){ REASON_START, node->setup.self };
	return node->lead.reason;
}

/* With no leader and nothing under way: is it to begin, when its turn comes? */
bool
node_wants_leader(const struct node *node, nsec_t now)
{
	return !node->lead.is_fresh && !node->election.is_open &&
	       node_may_begin(node, now) &&
	       (!node->found_nobody || node_rank(node, now).is_eligible);
}

/* With nothing under way: should this node begin an election? */
static void
node_consider(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct rank self, leader;

	handover_end_abstention(node, now);
	handover_succeed(node, now);
	self = node_rank(node, now);
	if (node_wants_leader(node, now) && now >= node_turn(node, now, now))
		node_begin_election(node, now, node_lack(node));
	if (!node->lead.is_fresh || node->election.is_open ||
	    node_leads(node) || !node_may_contest(node, now))
		return;
	/* Nobody preempts a leader because it was unsteady. It gives way to a
	 * steady one only when two leaders meet. */
	leader = beacon->leader;
	leader.is_contender = true;
	/* Who hands over need not be asked for it: it names the next itself. */
	if (self.is_eligible && !beacon->hands_over &&
	    rank_better(&self, &leader, node->setup.prefer))
		node_begin_election(node, now,
		    (struct reason){ REASON_PREEMPT, beacon->leader.id });
}

void
node_conclude(struct node *node, nsec_t now)
{
	struct reason flaw;

	node_note_duplicates(node, now);
	node_forget_keys(node, now);
	if (quorum_is_over(node, now))
		node_expire(node, now);
	flaw = lead_flaw(node, now);
	if (flaw.kind != REASON_NONE)
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
