/* SPDX-License-Identifier: ISC */
/*
 * What follows from what: the parts of a node decide, each about its own
 * concern, and tell this file what follows for the others: a session that
 * begins or ends, an election, a leader that is taken or lost.
 */
#include "common/node/node_inside.h"

#include <inttypes.h>
#include <string.h>

#define STARTUP_MIN (10 * MSEC) /* beyond a detection, after a stall */
#define REFUTE_GAP  (1 * SEC)   /* between two raised incarnations */
#define BYE_COPIES  3 /* datagrams may be lost, and it is the last one */

/* The link follows what both ends say; a change is told. */
void
node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	bool is_up = p->has_session && p->live.detector.is_heard && p->hears_us;

	if (is_up == p->is_up)
		return;
	p->is_up = is_up;
	node->live.watch_is_old = true;
	p->changed = now;
	p->evidence = is_up ? EVIDENCE_NONE : evidence;
	node_note(node, now,
	    (struct notice){
		.kind = is_up ? NOTICE_PEER_UP : NOTICE_PEER_DOWN,
		.peer = p->setup.id,
		.evidence = p->evidence,
	    });
	topology_update(node, now, p);
	candidate_look(node, now);
	if (p->evidence == EVIDENCE_MISSED)
		steady_lose(node, now, p);
}

/* Down with a session; up with the next one as soon as a hello gets through. */
void
node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	if (!p->has_session)
		return;
	peers_touch(node, p);
	p->hears_us = false;
	node_link_judge(node, now, p, evidence);
	p->has_session = false;
	node->table.sessions_now--;
	channel_close(&p->channel, node->blocks);
	lastwill_end_session(node, p);
	seal_wipe(&p->session, sizeof(p->session));
	p->told.leader = NODE_NONE;
	p->stamps.stamp = 0;
	p->due.datagram = false;
	p->due.ping = false;
	liveness_reset(p);
	voting_reset(p);
	ring_reset(p);
	handshake_reset(p, now);
}

void
node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct session *s, const uint8_t *instance)
{
	bool is_new_process = s->incarnation != p->process.incarnation;

	node_session_end(
	    node, now, p, is_new_process ? EVIDENCE_DIED : EVIDENCE_RESET);
	steady_meet(node, now, p, is_new_process);
	if (is_new_process) {
		/* What was held against earlier ones: if there still are two
		 * of them, the other says hello again. */
		p->hello.seen = 0;
		p->process.duplicate_until = now;
	}
	p->process.incarnation = s->incarnation;
	memcpy(p->process.instance, instance, SALT_BYTES);
	p->session = *s;
	p->has_session = true;
	node->table.sessions_now++;
	p->session_name = ++node->table.sessions_count;
	lastwill_change(node, p);
	p->stamps.said_at = now;
	p->stamps.silence = 0;
	p->hello.is_out = false;
	handshake_forget_offers(p);
	channel_open(&p->channel);
	detector_open(&p->live.detector, now, node->setup.heartbeat);
	peers_schedule(node, p);
	if (p == node->view.leader_by)
		node->reports.reported_beats = 0; /* it may have been lost */
	handshake_set_differs(node, now, p, false);
}

/* The peer has been silent for too long, or refused us: its session ends. */
void
node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	if (p->live.detector.is_heard)
		node->counters.suspicions++;
	node_session_end(node, now, p, evidence);
}

/* Goes on as a new process would, without any session, and mute until its
 * incarnation is durable. */
void
node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason)
{
	for (unsigned i = 0; i < node->peers_count; i++)
		node_session_end(node, now, &node->peers[i], EVIDENCE_RESET);
	for (unsigned i = 0; i < node->peers_count; i++) {
		handshake_reset(&node->peers[i], now);
		handshake_forget_offers(&node->peers[i]);
	}
	/* What we were is dead to them: we listen, and stand anew. */
	node->life.is_starting = true;
	node->life.startup_at = nsec_after(now, node->setup.startup);
	node->life.eligible_since = now;
	node->steady.told_restarts = 0;
	election_settle(&node->election);
	if (node_leads(node))
		node_lose_leader(
		    node, now, (struct reason){ reason, node->setup.self });
	if (node_is_quorum(node) && node->quorum.lease.term != 0)
		candidate_drop(node, now);
	node->setup.durable.incarnation = incarnation;
	node->process.duplicate_until = now;
	node->disk.is_due = true;
	node->disk.is_mute = node->disk.can_persist;
	node->turns.heartbeat_at = now;
}

void
node_refute(struct node *node, nsec_t now, uint64_t known)
{
	if (known < node->setup.durable.incarnation ||
	    known - node->setup.durable.incarnation > INCARNATION_JUMP_MAX)
		return;
	/* It costs every session: a peer gone bad does not ask for it often. */
	if (now < node->process.refute_at) {
		node->process.duplicate_until = now + DUPLICATE_LASTS;
		return;
	}
	node->process.refute_at = now + REFUTE_GAP;
	node_trace(node, now, "told of our incarnation -> go above it");
	node_reincarnate(node, now, known + 1, REASON_REFUTED);
	/* Later lives of ours may have given promises that this record knows
	 * nothing of. */
	if (node_is_quorum(node) &&
	    node->setup.state_health == STATE_HEALTH_SOUND) {
		node->setup.durable.is_revoked = true;
		durable_distrust(node, now, STATE_HEALTH_REVOKED);
	}
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
		node->disk.is_due = true;
}

/* Takes a leader, itself perhaps, and tells the host. */
void
node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct reason reason, nsec_t stale_at)
{
	node_id previous = lead_id(&node->lead);
	node_id last = node->lead.beacon.leader.id;
	struct peer *waits =
	    node->lead.beacon.hands_over ? peers_find(node, previous) : NULL;

	if (node_is_quorum(node) && beacon->leader.id != node->setup.self)
		candidate_drop(node, now);
	handover_renew(node, beacon->leader.id);
	lead_take(&node->lead, beacon, reason, now, stale_at);
	node->quorum.lease_left_until = 0;
	node->live.members_agree = 0;
	node->quorum.was_lost = false;
	node->view.found_nobody = false;
	node_keep_term(node, beacon->term);
	/* Who hands over waits for the next leader's own word. */
	if (waits != NULL && beacon->leader.id == node->setup.self) {
		node->lead.beacon.number++;
		peers_schedule(node, waits);
	}
	leadership_hand_on(node);
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
		candidate_drop(node, now);
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

/* Tells of an election that has begun, or reached this node. */
static void
node_note_election(struct node *node, nsec_t now)
{
	const struct election *e = &node->election;

	if (e->run_term == node->view.noted_term)
		return;
	node->view.noted_term = e->run_term;
	node->counters.elections++;
	if (leadership_knows_outcome(node))
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
		hoarder = peers_hoarder(node, p);
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
		struct peer *p = topology_peer(node, link);
		uint8_t bytes[MESSAGE_BYTES_MAX];
		struct writer w = writer_of(bytes, sizeof(bytes));

		message_encode(&w, &m);
		assert(!w.failed);
		node->counters.messages[m.kind]++;
		node_trace(node, now, "%s to %" PRIu32 " in term %" PRIu64,
		    node->setup.algorithm->kinds[m.kind], p->setup.id, m.term);
		peers_touch(node, p);
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

	if (leadership_knows_outcome(node))
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

	if (!node->lead.is_fresh && !node->view.found_nobody)
		node_note(node, now,
		    (struct notice){
			.kind = NOTICE_NO_LEADER,
			.term = e->run_term,
			.reason = e->reason,
		    });
	node_unfollow(node, now, e->reason);
	node->view.found_nobody = true;
}

/* With the guarantee "quorum" a decision is not the end of it. */
static void
node_nominate(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;

	if (winner->id == node->setup.self) {
		candidate_nominate(node, now, e->run_term);
		return;
	}
	if (node->quorum.lease.held == 0)
		candidate_drop(node, now);
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
	struct peer *p = peers_find(node, winner->id);

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
		node->life.is_starting = false;
		node_follow(node, now, &beacon, e->reason, NSEC_NEVER);
	} else {
		beacon.incarnation =
		    p != NULL && p->has_session ? p->process.incarnation : 0;
		node->view.leader_by = p != NULL && p->is_up ? p : NULL;
		node_follow(node, now, &beacon, e->reason,
		    leadership_stale_at(node, now, p, topology_hops(node, p)));
	}
}

void
node_flush_election(struct node *node, nsec_t now)
{
	struct rank winner;

	node_note_election(node, now);
	candidate_renounce(node, now);
	node_send_messages(node, now);
	if (election_decision(&node->election, &winner))
		node_decide(node, now, &winner);
}

void
node_begin_election(struct node *node, nsec_t now, struct reason reason)
{
	struct rank self = leadership_rank(node, now);
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

void
node_lose_leader(struct node *node, nsec_t now, struct reason reason)
{
	char text[REASON_TEXT_MAX];

	node_trace(
	    node, now, "the leader is lost: %s", reason_text(reason, text));
	node_unfollow(node, now, reason);
	/* A running election goes on; who still listens starts none. */
	if (!node->election.is_open && leadership_may_begin(node, now) &&
	    now >= leadership_turn(node, now, now))
		node_begin_election(node, now, reason);
}

/* The lease of whom we follow, or our own, is over. */
void
node_expire(struct node *node, nsec_t now)
{
	struct reason reason = { REASON_LEASE, lead_id(&node->lead) };

	/* Whoever we hand over for is to have the time to take our place. */
	if (node_leads(node) && node->quorum.lease.capped != NSEC_NEVER) {
		reason = node->handover.reason;
		candidate_pause(node, now, node_detection(node));
	}
	node_lose_leader(node, now, reason);
	candidate_tick(node, now);
}

/*
 * Listening ends with its time, or when there is nobody left to wait for: but
 * then a moment later, as the others' links come up one by one too.
 */
static void
node_end_startup(struct node *node, nsec_t now)
{
	if (!node->life.is_starting)
		return;
	if (topology_hears_all(node))
		node->life.startup_at = nsec_earlier(
		    node->life.startup_at, now + node->setup.heartbeat / 2);
	if (now < node->life.startup_at)
		return;
	node->life.is_starting = false;
	node_trace(node, now, "startup is over");
}

/* With nothing under way: should this node begin an election? */
static void
node_consider(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct rank self, leader;

	handover_end_abstention(node, now);
	handover_succeed(node, now);
	self = leadership_rank(node, now);
	if (leadership_is_wanted(node, now) &&
	    now >= leadership_turn(node, now, now))
		node_begin_election(node, now, leadership_lack(node));
	if (!node->lead.is_fresh || node->election.is_open ||
	    node_leads(node) || !leadership_may_contest(node, now))
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

/* What this node says of itself is another now: also those that have no
 * heartbeats of ours are to know. */
static void
node_tell_changes(struct node *node)
{
	struct rank self = leadership_rank(node, node->stall.woken);
	bool votes =
	    node_is_quorum(node) && quorum_has_vote(node, node->stall.woken);
	unsigned said = (self.is_eligible ? 1U : 0) |
			(self.is_contender ? 2U : 0) | (votes ? 4U : 0);

	if (said == node->view.said)
		return;
	node->view.said = said;
	for (unsigned i = 0; i < node->peers_count; i++)
		peers_schedule(node, &node->peers[i]);
}

void
node_conclude(struct node *node, nsec_t now)
{
	struct reason flaw;

	handshake_note_duplicates(node, now);
	drop_forget_keys(node, now);
	if (quorum_is_over(node, now))
		node_expire(node, now);
	flaw = leadership_flaw(node, now);
	if (flaw.kind != REASON_NONE)
		node_lose_leader(node, now, flaw);
	if (node->life.is_leaving && !node_leads(node)) {
		candidate_tick(node, now);
		node_leave(node);
		return;
	}
	candidate_renounce(node, now);
	node_end_startup(node, now);
	node_consider(node, now);
	if (node_is_star(node))
		node_tell_changes(node);
	liveness_update(node);
}

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
	node->life.is_starting = true;
	node->life.startup_at = nsec_after(now, listen);
	node->life.eligible_since = now;
	for (unsigned i = 0; i < node->peers_count; i++) {
		struct peer *p = &node->peers[i];

		/* Who expected nothing of us has not given us up. */
		if (p->live.watches_us || p->live.is_watched ||
		    !node_is_limited(node))
			node_session_end(node, now, p, EVIDENCE_MISSED);
	}
	election_settle(&node->election);
	if (leader != NODE_NONE)
		node_lose_leader(node, now, reason);
	node->turns.heartbeat_at = now;
}

/*
 * The stall meter (PROTOCOL.md, Local health): if we run later than we asked
 * to, whatever we seem to have missed may be our own doing.
 */
void
node_wake(struct node *node, nsec_t now)
{
	nsec_t lag = liveness_lag(node, now);
	bool was_given_up = liveness_was_given_up(node, now);

	node->stall.woken = now;
	node->live.members_size = 0;
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
	if (node->stall.local_health < HEALTH_MAX)
		node->stall.local_health++;
	node->stall.healthy_at = nsec_after(now, liveness_health_lasts(node));
	if (lag > node->setup.heartbeat)
		lag += node->setup.heartbeat;
	for (unsigned i = 0; i < node->peers_count; i++)
		detector_excuse(&node->peers[i].live.detector, lag);
	peers_touch_all(node);
	node->lead.stale_at = nsec_after(node->lead.stale_at, lag);
}

/* The last word to everybody. */
void
node_leave(struct node *node)
{
	node->life.is_leaving = false;
	node->life.is_stopping = true;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].has_session)
			node->peers[i].due.byes = BYE_COPIES;
		node->peers[i].hello.is_due = false;
	}
	peers_touch_all(node);
}
