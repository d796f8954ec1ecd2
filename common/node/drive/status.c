/* SPDX-License-Identifier: ISC */
/*
 * What a node says of itself when asked (PROTOCOL.md, Answers): everything here
 * is computed from the present time, and changes nothing but a counter.
 */
#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/lead/handover.h"
#include "common/node/life.h"
#include "common/node/links/topology.h"
#include "common/node/links/tree.h"
#include "common/node/look/snapshot.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/process.h"
#include "common/node/peer/session.h"
#include "common/node/peer/timestamps.h"
#include "common/node/tape/checkpoint.h"
#include "common/node/tape/tape.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/group.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/stall.h"
#include "common/node/watch/voters.h"

/* True if this process was held up for so long that the others have given it
 * up, or its leader may be gone. Then it tells of no leader until it has
 * run. */
static bool
node_is_asleep(const struct node *node, nsec_t now)
{
	if (quorum_is_over(node, now) || life_is_stopped(node))
		return quorum_is_over(node, now);
	return stall_was_given_up(node, now) ||
	       (node->lead.is_fresh && now >= node->lead.stale_at);
}

/* The state, from the leader that this node tells of. */
static enum node_state
node_state(const struct node *node, node_id leader)
{
	assert(leader == NODE_NONE || leader == lead_id(&node->lead));
	if (leader == node->setup.self)
		return STATE_LEADER;
	if (leader != NODE_NONE)
		return STATE_FOLLOWER;
	if (node_is_outside(node))
		return STATE_NO_LEADER;
	if (life_listens(node))
		return STATE_STARTING;
	if (!quorum_is_there(node))
		return STATE_NO_QUORUM;
	if (life_lacks_carrier(node) ||
	    (node->lead.found_nobody && !node->election.is_open))
		return STATE_NO_LEADER;
	return STATE_ELECTING;
}

/* Counts the nodes that are heard, and what they are. */
static void
status_count(const struct node *node, struct node_status *s)
{
	s->eligible = s->eligibility == ELIGIBLE;
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!p->link.is_up)
			continue;
		s->reachable++;
		s->eligible += p->rank.is_eligible;
		s->group.peers +=
		    s->group.is_on && !liveness_is_neighbour(node, p);
		s->group.reached += group_reaches(node, p);
		s->agree += liveness_follows(p, s->leader, s->term);
	}
	if (!node_is_star(node))
		s->eligible = 0;
}

struct node_status
node_status(const struct node *node, nsec_t now)
{
	const struct lead *lead = &node->lead;
	node_id leader = node_is_asleep(node, now) ? NODE_NONE : lead_id(lead);
	struct node_status s = {
		.state = node_state(node, leader),
		.term =
		    lead->is_fresh ? lead->beacon.term : node->election.term,
		.token = leader != NODE_NONE ? lead->beacon.token : 0,
		.leader = leader,
		.reason = lead->reason,
		.since = lead->since,
		.heard = leader == node->setup.self ? now : lead->heard,
		.agree = 1,
		.reachable = 1,
		.incarnation = node->setup.durable.incarnation,
		.duplicate = node_is_duplicate(node, now),
		.eligibility = node_eligibility(node, now),
		.is_outside = node_is_outside(node),
		.removed_by = outside_removed_by(node),
		.hands_over = handover_is_made(node),
		.standby = standby_own(node, now),
		.damped_until = damping_ends_at(node, now),
		.tree = tree_place(node),
		.group.is_on = group_is_on(node),
	};

	status_count(node, &s);
	assert(s.agree <= s.reachable);
	if (s.state == STATE_FOLLOWER && liveness_followers(node) != 0)
		s.agree = liveness_followers(node);
	if (node->setup.topology != TOPOLOGY_FULL && node->peers_count > 0 &&
	    voters_own_number(node) == VOTER_NONE)
		s.agree = 0;
	s.state_health = node->setup.state_health;
	s.until = leader == NODE_NONE ? 0 : quorum_until(node);
	s.voters = voters_count(node);
	s.votes = voters_heard(node, now);
	s.quorum = voters_majority(node);
	assert(s.votes <= s.voters);
	s.has_vote = voters_has_vote(node, now);
	s.is_leaving = life_leaves(node);
	s.is_mixed = configs_are_mixed(node, now);
	s.is_bypassed = node_is_ring(node) && !topology_takes_part(node);
	/* Nobody is told of a leader whose lease is over. */
	assert(s.until == 0 || s.until > now);
	assert(
	    s.until != 0 || s.state != STATE_LEADER || !node_is_quorum(node));
	return s;
}

struct peer_status
node_peer_status(const struct node *node, unsigned peer)
{
	const struct peer *p;

	assert(peer < node->peers_count);
	p = &node->peers[peer];
	return (struct peer_status){
		.id = p->setup.id,
		.up = p->link.is_up,
		.sought = topology_keeps(node, p),
		.session = p->has_session,
		.duplicate = process_is_told_duplicate(p),
		.differs = process_mismatch(p) == MISMATCH_SETTINGS,
		.other_version = process_mismatch(p) == MISMATCH_VERSIONS,
		.by_group = group_reaches(node, p),
		.no_unicast = group_lacks_unicast(node, node->input.now, p),
		.is_behind = p->link.is_up && !configs_agree(node, p),
		.has_older_file = standby_peer_has_older_file(p),
		.other_key = drop_has_other_key(p),
		.first_key = keys_match_first(node, p),
		.second_key = keys_match_second(node, p),
		.is_eligible = p->link.is_up && p->rank.is_eligible,
		.tree_side = tree_side_of(node, p),
		.is_voter = voters_number(p) != VOTER_NONE,
		.votes = voters_counts(node, p),
		.damped = p->link.is_up && p->rank.is_eligible &&
			  !p->rank.is_contender &&
			  node->setup.preempt == PREEMPT_ALWAYS,
		.evidence = p->link.evidence,
		.incarnation = process_incarnation(p),
		.release = p->has_session ? session_release(&p->session) : 0,
		.changed = p->link.changed,
		.heard = timestamps_heard(p),
		.rtt = p->channel.rtt.smoothed,
		.term = liveness_told(p).term,
		.leader = liveness_told(p).leader,
		.sent = p->traffic.sent,
		.received = p->traffic.received,
		.resent = p->channel.resent,
		.standby = standby_of(p, node->input.now),
	};
}

uint64_t
node_received_from(const struct node *node, unsigned peer)
{
	return peer < node->peers_count ? node->peers[peer].traffic.received
					: 0;
}

struct standby
node_standby(const struct node *node, node_id id)
{
	const struct peer *p = peers_find(node, id);

	if (id == node->setup.self)
		return standby_own(node, node->input.now);
	return p != NULL ? standby_of(p, node->input.now)
			 : (struct standby){ .is_on = false };
}

const struct node_counters *
node_counters(struct node *node)
{
	node->counters.resent = 0;
	for (struct peer *p = node->peers; p < peers_end(node); p++)
		node->counters.resent += p->channel.resent;
	return &node->counters;
}

const char *
node_state_name(enum node_state state)
{
	static const char *const names[] = {
		[STATE_STARTING] = "starting",
		[STATE_ELECTING] = "electing",
		[STATE_LEADER] = "leader",
		[STATE_FOLLOWER] = "follower",
		[STATE_NO_LEADER] = "no-leader",
		[STATE_NO_QUORUM] = "no-quorum",
	};

	assert(state <= STATE_NO_QUORUM);
	return names[state];
}

const char *
eligibility_name(enum eligibility eligibility)
{
	static const char *const names[] = {
		[ELIGIBLE] = NULL,
		[INELIGIBLE_ROLE] = "role",
		[INELIGIBLE_ENDING] = "stopping",
		[INELIGIBLE_CARRIER] = "no-carrier",
		[INELIGIBLE_DUPLICATE] = "duplicate",
		[INELIGIBLE_OUTSIDE] = "outside",
		[INELIGIBLE_STATE_FILE] = "state-file",
		[INELIGIBLE_STANDBY] = "standby",
		[INELIGIBLE_HANDS_OVER] = "handing-over",
		[INELIGIBLE_NO_QUORUM] = "no-quorum",
	};

	assert(eligibility <= INELIGIBLE_NO_QUORUM);
	return names[eligibility];
}

const char *
role_name(enum role role)
{
	static const char *const names[] = {
		[ROLE_CANDIDATE] = "candidate",
		[ROLE_VOTER] = "voter",
		[ROLE_OBSERVER] = "observer",
	};

	assert(role <= ROLE_OBSERVER);
	return names[role];
}

const struct past_election *
node_past_election(const struct node *node, uint64_t term)
{
	return election_history_find(&node->election.history, term);
}

const struct event_log *
node_events(const struct node *node)
{
	return &node->look.events;
}

nsec_t
node_hand_out(struct node *node, nsec_t now)
{
	nsec_t until = 0;

	record(node, now, (struct entry){ .kind = TAPE_HAND_OUT });
	if (node_status(node, now).leader != NODE_NONE)
		until = node_leads(node) ? nominee_hand_out(node, now)
					 : quorum_until(node);
	tape_result(node->recording.tape, until);
	return until;
}

node_id
node_snapshot_awaits(const struct node *node)
{
	return snapshot_awaits(node);
}

nsec_t
node_handed_out(const struct node *node)
{
	return nominee_handed_out(node);
}
