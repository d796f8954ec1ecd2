/* SPDX-License-Identifier: ISC */
/*
 * The inputs of a node (node.h; PROTOCOL.md, The core as a machine). Each calls
 * begin(), which also writes it to the tape if there is one, does its own work,
 * and calls node_conclude().
 */
#include "common/node/drive/inputs.h"

#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/drive/node_inside.h"
#include "common/node/drive/receive.h"
#include "common/node/drive/timers.h"
#include "common/node/lead/handover.h"
#include "common/node/lead/leadership.h"
#include "common/node/life.h"
#include "common/node/links/ring.h"
#include "common/node/links/topology.h"
#include "common/node/look/pulls.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/hello.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/tape/checkpoint.h"
#include "common/node/tape/tape.h"
#include "common/node/vote/durable.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/refusal.h"
#include "common/node/watch/stall.h"

/* How long a node listens after a stall, beyond a detection time. */
#define STARTUP_MIN (10 * MSEC)

/* The peers have given us up and gone on without us: begins as at a start. */
static void
node_rejoin(struct node *node, nsec_t now)
{
	node_id leader = lead_id(&node->lead);
	struct reason reason = { REASON_STALLED, node->setup.self };
	nsec_t listen = node->setup.timing.startup;

	assert(node->input.now == now);
	if (listen < STARTUP_MIN + node_detection(node))
		listen = STARTUP_MIN + node_detection(node);
	life_listen(node, now, listen);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		/* Peers that did not watch us cannot have given us up. */
		if (liveness_beats(p) || !node_is_limited(node))
			node_session_end(node, now, p, EVIDENCE_MISSED);
	}
	election_settle(&node->election);
	if (leader != NODE_NONE)
		node_lose_leader(node, now, reason);
	assert(!node->lead.is_fresh);
	assert(!node->election.is_open);
	timers_beat_now(node, now);
}

/* The stall meter (PROTOCOL.md, Local health): if we run late, we may ourselves
 * be why we heard nothing, so all deadlines move. */
void
node_wake(struct node *node, nsec_t now)
{
	nsec_t lag = stall_lag(node, now);
	bool was_given_up = stall_was_given_up(node, now);

	node->input.now = now;
	liveness_on_input(node);
	if (!was_given_up && quorum_is_over(node, now))
		node_expire(node, now);
	if (!stall_counts(node, lag))
		return;
	node->counters.stalls++;
	node_note(node, now,
	    (struct notice){ .kind = NOTICE_STALLED, .duration = lag });
	if (was_given_up) {
		node_rejoin(node, now);
		return;
	}
	stall_worsen(node, now);
	if (lag > node->setup.timing.heartbeat)
		lag += node->setup.timing.heartbeat;
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		detector_excuse(&p->detector, lag);
	peers_touch_all(node);
	lead_excuse(&node->lead, lag);
}

/* Begins an input. False if the node has stopped. */
static bool
begin(struct node *node, nsec_t now, struct entry in)
{
	record(node, now, in);
	node_wake(node, now);
	return !life_is_stopped(node);
}

void
node_tick(struct node *node, nsec_t now)
{
	struct rank self;
	uint64_t term;
	bool is_mixed_for_long;

	if (!begin(node, now, (struct entry){ .kind = TAPE_TICK }))
		return;
	standby_tick(node, now);
	timers_tick(node, now);
	node_heed_handover(node, now, handover_tick(node, now));
	node_act_on_votes(node, now, nominee_tick(node, now));
	/* The ring's links come before the election, whose next view has no
	 * node that is gone. */
	outside_tick(node, now);
	pulls_tick(node, now);
	is_mixed_for_long = configs_tick(node, now);
	if (is_mixed_for_long)
		quorum_look(node, now);
	if (node_is_ring(node) &&
	    (is_mixed_for_long || now >= ring_deadline(node)))
		ring_update(node, now);
	if (!topology_is_ready(node) || configs_are_mixed(node, now) ||
	    election_is_spent(&node->election) || !quorum_is_there(node) ||
	    quorum_awaits(node, now) || life_lacks_carrier(node))
		election_wait(&node->election, now);
	if (election_is_overdue(&node->election, now) &&
	    leadership_is_lone(node, node->election.reason))
		node_begin_election(node, now, node->election.reason);
	self = leadership_rank(node, now);
	term = node->election.run_term;
	if (election_tick(&node->election, now, &self)) {
		if (node->election.run_term != term)
			node_trace(node, now,
			    "links changed, or it took too long -> start again");
		else
			node_record(node, now,
			    (struct event){
				.kind = EVENT_TIMER, .term = term });
		node_flush_election(node, now);
	}
	node_conclude(node, now);
}

void
node_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size)
{
	assert(peer >= PEER_GROUP || peer < node->peers_count);
	assert(bytes != NULL || size == 0);
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_RECEIVE,
		    .age = age,
		    .peer = peer,
		    .bytes = bytes,
		    .size = size }))
		return;
	node->input.arrived = nsec_since(now, age);
	node->input.is_by_group = peer == PEER_GROUP;
	receive_datagram(node, now, peer, bytes, size);
	node_conclude(node, now);
}

uint64_t
node_elect(struct node *node, nsec_t now)
{
	uint64_t term, before = node->election.run_term;

	(void)begin(node, now, (struct entry){ .kind = TAPE_ELECT });
	if (life_is_ending(node) || !topology_is_ready(node) ||
	    configs_are_mixed(node, now) ||
	    election_is_spent(&node->election) || !quorum_is_there(node) ||
	    life_lacks_carrier(node))
		return 0;
	life_take_part(node);
	node_begin_election(
	    node, now, (struct reason){ REASON_FORCED, node->setup.self });
	term = node->election.run_term;
	assert(term > before);
	node_conclude(node, now);
	tape_result(node->recording.tape, term);
	return term;
}

void
node_change_keys(struct node *node, nsec_t now, const struct setup_keys *keys)
{
	if (!begin(node, now,
		(struct entry){
		    .kind = TAPE_KEYS, .is_set = keys->has_second }))
		return;
	keys_change(node, keys);
	group_change(node);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		handshake_start_anew(p);
		peers_schedule(node, p);
	}
	node_conclude(node, now);
}

void
node_refuse(struct node *node, nsec_t now, const struct config_id *config_id)
{
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_REFUSE, .config_id = config_id }))
		return;
	configs_refuse(node, now, config_id);
	node_conclude(node, now);
}

/* The others learn of the configuration from us once it is in effect. */
void
node_tell_removed(struct node *node, nsec_t now, const struct node_setup *setup)
{
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_ANNOUNCE, .setup = setup }))
		return;
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!setup_names(setup, p->setup.id))
			configs_tell_removed(node, p, &setup->config_id);
	}
	node_conclude(node, now);
}

void
node_stop(struct node *node, nsec_t now)
{
	const struct reason reason = { REASON_BYE, node->setup.self };

	(void)begin(node, now, (struct entry){ .kind = TAPE_STOP });
	if (life_is_ending(node))
		return;
	life_leave(node);
	if (node_leads(node))
		node_hand_over(node, now, reason, true, NODE_NONE);
	else
		nominee_drop(node, now);
	node_conclude(node, now);
	assert(life_is_stopped(node) || node_leads(node));
}

/* True if no better node would take over from a leader that an operator names.
 * Without links between all nodes, one that we do not hear may be up. */
static bool
node_would_last(const struct node *node, const struct peer *named)
{
	bool is_full = node->setup.topology == TOPOLOGY_FULL;

	assert(named != NULL);
	if (node->setup.preempt == PREEMPT_NEVER)
		return true;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if ((p->link.is_up
			    ? p->rank.is_eligible
			    : !is_full && p->setup.role == ROLE_CANDIDATE) &&
		    rank_better(&p->rank, &named->rank, node->setup.prefer))
			return false;
	}
	return true;
}

enum resignation
node_resign(struct node *node, nsec_t now, node_id to, const char *reason)
{
	const struct reason cause = { REASON_RESIGN, node->setup.self };
	struct peer *p = peers_find(node, to);

	assert(standby_reason_is_valid(reason, strlen(reason)));
	(void)begin(node, now,
	    (struct entry){ .kind = TAPE_RESIGN, .to = to, .reason = reason });
	if (life_is_ending(node) || !node_leads(node))
		return RESIGN_NO_LEADER;
	if (to != NODE_NONE &&
	    (p == NULL || p->setup.role != ROLE_CANDIDATE ||
		(topology_keeps(node, p) &&
		    !(p->link.is_up && p->rank.is_eligible))))
		return RESIGN_UNFIT;
	if (!handover_has_successor(node))
		return RESIGN_NOBODY;
	if (to != NODE_NONE && !node_would_last(node, p))
		return RESIGN_UNDONE;
	assert(node_leads(node));
	standby_resign(node, now, reason);
	node_hand_over(node, now, cause, true, to);
	node_conclude(node, now);
	assert(!node_leads(node) || handover_is_made(node));
	tape_result(node->recording.tape, RESIGN_BEGUN);
	return RESIGN_BEGUN;
}

void
node_take_back(struct node *node, nsec_t now, nsec_t until)
{
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_TAKE_BACK, .until = until }))
		return;
	nominee_take_back(node, now, until);
	handover_hurry(node);
	node_heed_handover(node, now, handover_tick(node, now));
	node_conclude(node, now);
}

/* Begins an election in a later term, in which we are not eligible: other nodes
 * may be about to elect us, or to grant our request. A leader hands over as
 * node_conclude() says. */
static void
node_withdraw(struct node *node, nsec_t now)
{
	nominee_drop(node, now);
	if (node->election.is_open && leadership_may_begin(node, now))
		node_begin_election(node, now, node->election.reason);
}

struct snapshot_name
node_snapshot(struct node *node, nsec_t now)
{
	struct snapshot_name name;

	(void)begin(node, now, (struct entry){ .kind = TAPE_SNAPSHOT });
	name = snapshot_begin(node, now);
	if (!life_is_stopped(node))
		node_conclude(node, now);
	tape_result(node->recording.tape, name.number);
	return name;
}

bool
node_pull(struct node *node, nsec_t now, const struct pull *pull)
{
	bool has_begun;

	if (!begin(
		node, now, (struct entry){ .kind = TAPE_PULL, .pull = pull }))
		return false;
	has_begun = pulls_begin(node, now, pull);
	node_conclude(node, now);
	tape_result(node->recording.tape, has_begun);
	return has_begun;
}

void
node_set_standby(struct node *node, nsec_t now, const struct standby *standby)
{
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_STANDBY, .standby = standby }))
		return;
	if (standby_set(node, now, standby) && standby->is_on &&
	    !node_leads(node))
		node_withdraw(node, now);
	node_conclude(node, now);
}

void
node_set_file(struct node *node, nsec_t now, bool is_older)
{
	(void)begin(
	    node, now, (struct entry){ .kind = TAPE_FILE, .is_set = is_older });
	if (life_is_stopped(node) || is_older == standby_has_older_file(node))
		return;
	standby_set_file(node, is_older);
	node_conclude(node, now);
}

/* Without a carrier nobody hears our vote request, nor can our election end. */
void
node_set_carrier(struct node *node, nsec_t now, bool has_carrier)
{
	(void)begin(node, now,
	    (struct entry){ .kind = TAPE_CARRIER, .is_set = has_carrier });
	if (life_is_stopped(node) || has_carrier != life_lacks_carrier(node))
		return;
	life_set_carrier(node, now, has_carrier);
	if (!has_carrier && !node_leads(node)) {
		nominee_drop(node, now);
		election_settle(&node->election);
	}
	node_conclude(node, now);
}

void
node_refused(struct node *node, nsec_t now, unsigned peer)
{
	struct peer *p = &node->peers[peer];

	assert(peer < node->peers_count);
	if (!begin(node, now,
		(struct entry){ .kind = TAPE_REFUSED, .peer = peer }))
		return;
	peers_touch(node, p);
	if (p->has_session)
		refusal_take(node, now, p);
	else
		hello_on_refused(p, now);
	node_conclude(node, now);
}

/* Our voter answers the requests that waited for its promise, ours first. */
void
node_persisted(struct node *node, nsec_t now, bool ok)
{
	bool is_promise_kept;

	(void)begin(
	    node, now, (struct entry){ .kind = TAPE_PERSISTED, .is_set = ok });
	is_promise_kept = durable_written(node, now, ok);
	if (life_is_stopped(node))
		return;
	if (is_promise_kept) {
		node_act_on_votes(node, now, nominee_on_kept(node, now));
		voting_on_kept(node, now);
	}
	node_conclude(node, now);
}

void
node_declare_dead(struct node *node, nsec_t now)
{
	if (!begin(node, now, (struct entry){ .kind = TAPE_DECLARE_DEAD }))
		return;
	assert(node->setup.durable.incarnation < UINT64_MAX);
	node_trace(node, now, "declared dead -> go on as a new process");
	node_reincarnate(
	    node, now, node->setup.durable.incarnation + 1, REASON_STALLED);
	node_conclude(node, now);
}

/* This input has no time of its own: it does nothing that depends on one. */
void
node_propose(struct node *node, const struct config_id *config_id,
    const uint8_t *document, size_t size)
{
	record(node, node->input.now,
	    (struct entry){ .kind = TAPE_PROPOSE,
		.config_id = config_id,
		.document = document,
		.document_size = size });
	configs_propose(node, config_id, document, size);
}
