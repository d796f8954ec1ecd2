/* SPDX-License-Identifier: ISC */
/*
 * The heart of a node. Each part decides about its own concern and returns what
 * follows for the others; this file acts on that: sessions and links that begin
 * or end (PROTOCOL.md, End of a session), incarnations, a leader that is taken
 * or lost, and elections that begin or decide (PROTOCOL.md, Elections). Only
 * the files that take inputs call it.
 */

#include "common/node/drive/node_inside.h"

#include <inttypes.h>
#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/context.h"
#include "common/node/drive/timers.h"
#include "common/node/lead/handover.h"
#include "common/node/lead/lastwill.h"
#include "common/node/lead/leadership.h"
#include "common/node/life.h"
#include "common/node/links/ring.h"
#include "common/node/links/topology.h"
#include "common/node/links/tree.h"
#include "common/node/look/pulls.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"
#include "common/node/vote/durable.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/refusal.h"
#include "common/node/watch/voters.h"

void
node_link_judge(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	bool is_up = p->has_session && p->detector.is_heard && p->link.hears_us;

	assert(p->has_session);
	if (is_up == p->link.is_up)
		return;
	p->link.is_up = is_up;
	liveness_on_link(node);
	p->link.changed = now;
	p->link.evidence = is_up ? EVIDENCE_NONE : evidence;
	node_note(node, now,
	    (struct notice){
		.kind = is_up ? NOTICE_PEER_UP : NOTICE_PEER_DOWN,
		.peer = p->setup.id,
		.evidence = p->link.evidence,
	    });
	topology_update(node, now, p);
	quorum_look(node, now);
	if (p->link.evidence == EVIDENCE_MISSED)
		damping_lose(node, now, p);
}

/* The link goes down with the session. The next session begins with the next
 * HELLO that gets through. */
void
node_session_end(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	if (!p->has_session)
		return;
	peers_touch(node, p);
	p->link.hears_us = false;
	node_link_judge(node, now, p, evidence);
	assert(!p->link.is_up);
	p->has_session = false;
	peers_session_ended(node);
	channel_close(&p->channel, node->blocks);
	detector_close(&p->detector);
	lastwill_end_session(node, p);
	session_wipe(&p->session);
	timestamps_reset(p);
	peers_reset_due(p);
	liveness_reset(p);
	voters_reset(p);
	voting_reset(p);
	nominee_reset(p);
	topology_reset(node, p);
	configs_reset(node, p);
	keys_reset(p);
	group_reset(node, p);
	snapshot_reset(node, p);
	pulls_reset(node, p);
	handshake_reset(p, now);
	assert(!p->detector.is_heard);
	assert(!peers_is_due(p));
}

void
node_session_begin(struct node *node, nsec_t now, struct peer *p,
    const struct handshake_result *made)
{
	const struct session *s = &made->session;
	bool is_new_process = !session_is_with(s, process_incarnation(p));

	node_session_end(
	    node, now, p, is_new_process ? EVIDENCE_DIED : EVIDENCE_RESET);
	assert(!p->has_session);
	damping_meet(node, now, p, is_new_process);
	process_begin(p, now, s->incarnation, made->instance);
	session_adopt(&p->session, s);
	p->has_session = true;
	p->link.session_name = peers_session_began(node);
	lastwill_change(node, p);
	timestamps_begin(p, now);
	handshake_begin(p, made, is_new_process);
	channel_open(&p->channel);
	detector_open(&p->detector, now, node->setup.timing.heartbeat);
	snapshot_on_session(node, now, p);
	peers_schedule(node, p);
	outside_on_session(node, now, p);
	process_set_mismatch(node, now, p, MISMATCH_NONE);
	assert(!p->link.is_up);
	assert(peers_is_due(p));
}

/* Our leader is over. We tell every peer at once: it may have been refused,
 * too. */
static void
node_expire_leader(struct node *node, nsec_t now)
{
	assert(!node_leads(node));
	assert(node_is_star(node));
	lead_expire(&node->lead, now);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->link.is_up)
			peers_schedule(node, p);
	}
}

void
node_suspect(
    struct node *node, nsec_t now, struct peer *p, enum evidence evidence)
{
	bool is_refused = evidence == EVIDENCE_REFUSED;
	bool is_leader_lost = is_refused && refusal_loses_leader(node, p);

	assert(p->has_session);
	assert(is_refused || evidence == EVIDENCE_MISSED);
	if (p->detector.is_heard)
		node->counters.suspicions++;
	node_session_end(node, now, p, evidence);
	if (is_refused)
		hello_on_refused(p, now);
	if (is_leader_lost)
		node_expire_leader(node, now);
}

/* Gives up the leader, or the lead; does nothing without a leader. */
static void
node_unfollow(struct node *node, nsec_t now, struct reason reason)
{
	node_id previous = lead_id(&node->lead);
	nsec_t at = now;

	if (previous == NODE_NONE)
		return;
	assert(node->lead.is_fresh);
	/* Tell the time at which the lease ended, however late we run. */
	if (quorum_is_over(node, now) && quorum_until(node) != 0)
		at = quorum_until(node);
	if (node_leads(node))
		nominee_drop(node, now);
	handover_close(node, now);
	lead_drop(&node->lead, reason, at);
	assert(nominee_held(node) == 0);
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
	liveness_on_loss(node);
	/* An open election goes on by itself. */
	if (!node->election.is_open && leadership_may_begin(node, now) &&
	    now >= leadership_turn(node, now, now))
		node_begin_election(node, now, reason);
}

/* Goes on as a new process would: without sessions, mute until the incarnation
 * is durable, and listening as at a start. */
void
node_reincarnate(struct node *node, nsec_t now, uint64_t incarnation,
    enum reason_kind reason)
{
	assert(incarnation > node->setup.durable.incarnation);
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		node_session_end(node, now, p, EVIDENCE_RESET);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		handshake_reset(p, now);
		handshake_forget_offers(p);
	}
	/* To the peers our earlier process is dead: listen as at a start. */
	life_listen(node, now, node->setup.timing.startup);
	damping_reset(node);
	election_settle(&node->election);
	if (node_leads(node))
		node_lose_leader(
		    node, now, (struct reason){ reason, node->setup.self });
	nominee_drop(node, now);
	assert(peers_sessions(node) == 0);
	assert(!node_leads(node));
	durable_set_incarnation(node, incarnation);
	process_renew_own(node, now);
	timers_beat_now(node, now);
}

void
node_follow(struct node *node, nsec_t now, const struct beacon *beacon,
    struct peer *by, struct reason reason, nsec_t stale_at)
{
	node_id previous = lead_id(&node->lead);
	node_id last = node->lead.beacon.leader.id;
	struct beacon taken = *beacon;
	struct peer *outgoing =
	    node->lead.beacon.hands_over ? peers_find(node, previous) : NULL;

	assert(beacon->term <= node->election.term);
	if (beacon->leader.id != node->setup.self)
		nominee_drop(node, now);
	else
		taken.token =
		    node_leads(node) ? node->lead.beacon.token : beacon->term;
	handover_renew(node, now, beacon->leader.id);
	lead_take(&node->lead, &taken, by, reason, now, stale_at);
	quorum_on_leader(node);
	liveness_on_leader(node);
	durable_keep_term(node, beacon->term);
	/* The outgoing leader waits for our own beacon. */
	if (outgoing != NULL && beacon->leader.id == node->setup.self) {
		lead_renumber(&node->lead);
		peers_schedule(node, outgoing);
	}
	leadership_hand_on(node);
	if (last != beacon->leader.id)
		node->counters.changes++;
	node_note(node, now,
	    (struct notice){
		.kind = NOTICE_LEADER,
		.term = beacon->term,
		.token = node->lead.beacon.token,
		.leader = beacon->leader.id,
		.previous = previous != NODE_NONE ? previous : last,
		.reason = reason,
	    });
	nominee_check_lead(node);
}

/* Tells the host of an election that began here or reached us. */
static void
node_note_election(struct node *node, nsec_t now)
{
	const struct election *e = &node->election;

	if (e->run_term == node->told.elected)
		return;
	assert(e->run_term > node->told.elected);
	node->told.elected = e->run_term;
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

/* Sends through the channel of the peer, if it has a session. If the pool is
 * empty, or the channel is full, a session ends. True if it is sent. */
static bool
node_send_message(struct node *node, nsec_t now, struct peer *p,
    const uint8_t *bytes, size_t size)
{
	struct channel *ch = &p->channel;
	struct peer *largest = p;

	assert(size > 0);
	if (!p->has_session)
		return false;
	if (channel_send(ch, node->blocks, bytes, size))
		return true;
	if (channel_has_room(ch, size))
		largest = peers_largest_user(node, p);
	node_session_end(node, now, largest, EVIDENCE_RESET);
	if (p->has_session && !channel_send(ch, node->blocks, bytes, size))
		node_session_end(node, now, p, EVIDENCE_RESET);
	return p->has_session;
}

/* Sends the messages of the election. */
static void
node_send_messages(struct node *node, nsec_t now)
{
	struct message m;
	unsigned link;

	while (election_take(&node->election, &link, &m)) {
		struct peer *p = topology_peer(node, link);
		uint8_t bytes[TAGGED_BYTES_MAX];
		struct writer w = writer_of(bytes, sizeof(bytes));

		assert(p != NULL);
		write_u32(&w, config_tag(&node->setup.config_id));
		message_encode(&w, &m);
		assert(!w.failed);
		node->counters.messages[m.kind]++;
		node_trace(node, now, "%s to %" PRIu32 " in term %" PRIu64,
		    node->setup.algorithm->kinds[m.kind], p->setup.id, m.term);
		peers_touch(node, p);
		if (node_send_message(node, now, p, bytes, w.size))
			session_record(node, now, p, EVENT_SENT, &m);
		group_offer(node, p, bytes, w.size);
	}
	group_gather(node, now);
}

/* Tells the host whom the election has named. */
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

void
node_find_nobody(
    struct node *node, nsec_t now, uint64_t term, struct reason reason)
{
	assert(nominee_held(node) == 0);
	if (!node->lead.is_fresh && !node->lead.found_nobody)
		node_note(node, now,
		    (struct notice){
			.kind = NOTICE_NO_LEADER,
			.term = term,
			.reason = reason,
		    });
	node_unfollow(node, now, reason);
	lead_find_nobody(&node->lead);
}

void
node_heed_handover(struct node *node, nsec_t now, enum handover_next next)
{
	assert(next == HANDOVER_GOES_ON || handover_is_made(node));
	switch (next) {
	case HANDOVER_GOES_ON:
		return;
	case HANDOVER_ENDS:
		node_unfollow(node, now, handover_reason(node));
		return;
	case HANDOVER_ELECTS:
		node_begin_election(node, now, handover_reason(node));
		break;
	case HANDOVER_TELLS:
		break;
	}
	voting_reconsider(node, now);
}

void
node_hand_over(struct node *node, nsec_t now, struct reason reason,
    bool is_planned, node_id to)
{
	node_heed_handover(
	    node, now, handover_make(node, now, reason, is_planned, to));
}

/* Under quorum a decision is only a nomination. */
static void
node_nominate(struct node *node, nsec_t now, const struct rank *winner)
{
	const struct election *e = &node->election;

	if (winner->id == node->setup.self) {
		if (leadership_rank(node, now).is_eligible)
			node_act_on_votes(
			    node, now, nominee_begin(node, now, e->run_term));
		return;
	}
	if (nominee_held(node) == 0)
		nominee_drop(node, now);
	else if (node_leads(node))
		node_hand_over(node, now,
		    (struct reason){ REASON_PREEMPT, node->setup.self }, false,
		    NODE_NONE);
}

/* The algorithm has named a winner. */
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

	/* A later term was seen meanwhile: nobody follows a leader of this
	 * one. Or this node went on standby: the others elect again. */
	if (beacon.term < e->term || leadership_is_barred(node, winner))
		return;
	node_note_elected(node, now, winner);
	if (!winner->is_eligible && nominee_held(node) == 0) {
		election_settle(&node->election);
		node_find_nobody(node, now, e->run_term, e->reason);
		return;
	}
	if (node_is_quorum(node)) {
		node_nominate(node, now, winner);
		return;
	}
	assert(winner->is_eligible);
	if (lead->is_fresh && lead->beacon.term == beacon.term &&
	    !rank_better(winner, &lead->beacon.leader, node->setup.prefer))
		return;
	/* While we hand over, we lead until the successor's own beacon. */
	if (node_leads(node) && handover_is_told(node) &&
	    winner->id != node->setup.self)
		return;
	if (winner->id == node->setup.self) {
		beacon.incarnation = node->setup.durable.incarnation;
		life_take_part(node);
		node_follow(
		    node, now, &beacon, node->lead.by, e->reason, NSEC_NEVER);
	} else {
		beacon.incarnation =
		    p != NULL && p->has_session ? process_incarnation(p) : 0;
		node_follow(node, now, &beacon,
		    p != NULL && p->link.is_up ? p : NULL, e->reason,
		    leadership_stale_at(node, now, p, topology_hops(node, p)));
	}
}

/* A majority of the voters has granted us the term: we lead. */
static void
node_win(struct node *node, nsec_t now)
{
	struct beacon beacon = {
		.term = nominee_held(node),
		.leader = leadership_rank(node, now),
		.incarnation = node->setup.durable.incarnation,
		.reason = node->election.reason,
	};

	assert(beacon.term != 0);
	/* A leader that is not eligible any more leads on in the later term,
	 * until node_conclude() ends that, or it has handed over. */
	beacon.leader.is_eligible |= node_leads(node);
	if (!beacon.leader.is_eligible) {
		nominee_drop(node, now);
		return;
	}
	life_take_part(node);
	election_settle(&node->election);
	node_follow(
	    node, now, &beacon, node->lead.by, beacon.reason, NSEC_NEVER);
}

/* A voter has promised another node our term, or a later one. While we hand
 * over, we want that. */
static void
node_heed_promise(
    struct node *node, nsec_t now, node_id voter, uint64_t promised)
{
	if (node_leads(node) && handover_is_told(node) &&
	    promised > nominee_held(node)) {
		node_heed_handover(node, now, handover_on_promise(node, now));
		return;
	}
	if (!nominee_on_outbid(node, now, promised) ||
	    !leadership_may_begin(node, now))
		return;
	node_begin_election(node, now, (struct reason){ REASON_DENIED, voter });
	nominee_back_off(node, now);
}

/*
 * The rival asks in vain while we hold the lease, and perhaps cannot tell us so
 * itself. If it is better, or we are not part of our ring, we hand over. If it
 * is worse, it was elected without us in a later term and will not follow us:
 * we begin an election above its term (PROTOCOL.md, Rivals).
 */
static void
node_heed_rival(
    struct node *node, nsec_t now, const struct rank *rival, uint64_t term)
{
	struct rank self = leadership_rank(node, now);

	assert(node_leads(node));
	if (rank_better(rival, &self, node->setup.prefer) ||
	    !topology_takes_part(node)) {
		node_hand_over(node, now,
		    (struct reason){ REASON_PREEMPT, node->setup.self }, false,
		    NODE_NONE);
		return;
	}
	if (term == 0 || node->election.is_open ||
	    !leadership_may_begin(node, now) ||
	    !election_saw(&node->election, term))
		return;
	node_begin_election(
	    node, now, (struct reason){ REASON_MERGE, rival->id });
	nominee_back_off(node, now);
}

void
node_act_on_votes(struct node *node, nsec_t now, struct nominee_news news)
{
	bool has_led = node_leads(node);

	switch (news.kind) {
	case NOMINEE_SAME:
		break;
	case NOMINEE_WON:
		node_win(node, now);
		break;
	case NOMINEE_PROMISED:
		node_heed_promise(node, now, news.voter, news.promised);
		break;
	}
	/* A leader that has just won a later term hands over in that one. */
	if (has_led && news.rival.is_eligible)
		node_heed_rival(node, now, &news.rival, news.rival_term);
}

/* Gives up a request of ours that a later term has overtaken. */
static void
node_renounce(struct node *node, nsec_t now)
{
	if (nominee_renounce(node, now) && leadership_may_begin(node, now))
		node_begin_election(node, now, node->election.reason);
}

void
node_flush_election(struct node *node, nsec_t now)
{
	struct rank winner;

	node_note_election(node, now);
	node_renounce(node, now);
	node_send_messages(node, now);
	if (election_decision(&node->election, &winner))
		node_decide(node, now, &winner);
}

/* Leads alone, in no term of its own (PROTOCOL.md, Lone leaders). */
static void
node_lead_alone(struct node *node, nsec_t now, struct reason reason)
{
	struct beacon beacon = {
		.term = node->election.term,
		.leader = leadership_rank(node, now),
		.incarnation = node->setup.durable.incarnation,
		.number = node->lead.said + 1, /* perhaps in this term */
		.reason = reason,
	};

	election_settle(&node->election);
	if (!beacon.leader.is_eligible) {
		node_find_nobody(node, now, beacon.term, reason);
		return;
	}
	life_take_part(node);
	node_follow(node, now, &beacon, node->lead.by, reason, NSEC_NEVER);
	lead_begin_lone(&node->lead);
}

void
node_begin_election(struct node *node, nsec_t now, struct reason reason)
{
	struct rank self = leadership_rank(node, now);
	char text[REASON_TEXT_MAX];

	assert(!life_is_stopped(node));
	if (leadership_is_lone(node, reason)) {
		node_lead_alone(node, now, reason);
		return;
	}
	if (election_is_spent(&node->election) || tree_is_forming(node)) {
		node_trace(node, now, "no term is left, or no tree yet");
		return;
	}
	node_trace(
	    node, now, "start an election: %s", reason_text(reason, text));
	election_start(&node->election, now, &self, reason);
	node_flush_election(node, now);
}

/* The lease, or the lease left of our leader, is over. */
void
node_expire(struct node *node, nsec_t now)
{
	struct reason reason = leadership_end(node, REASON_LEASE);

	assert(node_is_quorum(node));
	assert(node->lead.is_fresh);
	/* We handed over: give the successor the time to take our place. */
	if (nominee_yields(node)) {
		reason = handover_reason(node);
		nominee_pause(node, now, node_detection(node));
	}
	node_lose_leader(node, now, reason);
	node_act_on_votes(node, now, nominee_tick(node, now));
}

/* If we hear every peer that we seek, we listen for another half heartbeat, as
 * the links of the others come up one by one too. */
static void
node_end_startup(struct node *node, nsec_t now)
{
	if (life_listens(node) && topology_hears_all(node))
		life_shorten_listening(
		    node, nsec_after(now, node->setup.timing.heartbeat / 2));
	life_tick(node, now);
}

/* Begins an election if our leader names us as its successor. We need not
 * listen for other leaders first. */
static void
node_succeed(struct node *node, nsec_t now)
{
	if (node->election.is_open || !handover_is_to_us(node, now) ||
	    !leadership_rank(node, now).is_eligible ||
	    !leadership_may_succeed(node, now))
		return;
	life_take_part(node);
	node_begin_election(node, now, handover_succeed(node, now));
}

/* Begins an election if none is open and this node wants one. */
static void
node_consider(struct node *node, nsec_t now)
{
	const struct beacon *beacon = &node->lead.beacon;
	struct rank self, leader;

	leadership_end_resignation(node, now);
	node_succeed(node, now);
	self = leadership_rank(node, now);
	if (leadership_is_wanted(node, now) &&
	    now >= leadership_turn(node, now, now))
		node_begin_election(node, now, leadership_lack(node));
	if (!node->lead.is_fresh || node->election.is_open ||
	    node_leads(node) || !leadership_may_begin(node, now))
		return;
	/* No node preempts a leader for being damped: the leader counts as a
	 * contender. Only when two leaders meet, the damped one gives way. */
	leader = beacon->leader;
	leader.is_contender = true;
	/* A leader that hands over names its successor by itself. */
	if (self.is_eligible && !beacon->hands_over &&
	    rank_better(&self, &leader, node->setup.prefer))
		node_begin_election(node, now,
		    (struct reason){ REASON_PREEMPT, beacon->leader.id });
}

/* If our rank, our ability to vote or our standby has changed, tells every
 * peer, also those that get no heartbeats. */
static void
node_tell_changes(struct node *node)
{
	unsigned said = leadership_word(node, node->input.now);

	assert(node_is_star(node));
	if (said == node->told.self)
		return;
	node->told.self = said;
	peers_schedule_all(node);
}

/* Says goodbye to every peer. */
static void
node_leave(struct node *node)
{
	life_stop(node);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		peers_leave(node, p);
		hello_clear(p);
	}
}

/* A configuration, or an operator, does not let us lead any more. */
static void
node_end_barred(struct node *node, nsec_t now)
{
	const struct reason reason = leadership_bar(node);

	if (!node_leads(node) || reason.kind == REASON_NONE ||
	    handover_is_planned(node) || configs_are_mixed(node, now))
		return;
	/* Under quorum a client may rely on us yet. */
	if (node_is_quorum(node) || handover_has_successor(node))
		node_hand_over(node, now, reason, true, NODE_NONE);
	else
		node_lose_leader(node, now, reason);
}

/* Our beacon tells our rank as of now. While we hand over we are not eligible,
 * but lead on. */
static void
node_tell_rank(struct node *node, nsec_t now)
{
	struct rank self = leadership_rank(node, now);

	if (handover_is_made(node))
		self.is_eligible = self.is_contender = true;
	lead_set_rank(&node->lead, &self);
}

void
node_conclude(struct node *node, nsec_t now)
{
	struct reason flaw;

	assert(node->input.now == now);
	process_tell(node, now);
	outside_tell(node, now);
	drop_forget_keys(node, now);
	node_end_barred(node, now);
	if (quorum_is_over(node, now))
		node_expire(node, now);
	flaw = leadership_flaw(node, now);
	if (flaw.kind != REASON_NONE)
		node_lose_leader(node, now, flaw);
	if (life_leaves(node) && !node_leads(node)) {
		node_act_on_votes(node, now, nominee_tick(node, now));
		node_leave(node);
		return;
	}
	node_renounce(node, now);
	node_end_startup(node, now);
	node_consider(node, now);
	if (node_is_star(node))
		node_tell_changes(node);
	if (node_leads(node))
		node_tell_rank(node, now);
	liveness_update(node);
	pulls_look(node);
	nominee_check_lead(node);
}
