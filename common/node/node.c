/* SPDX-License-Identifier: ISC */
/*
 * A node's life: how it is made, and its inputs. What it does with time,
 * datagrams, sessions and leaders is in node_*.c.
 */
#include "common/node/node_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Blocks for messages: a burst of all algorithms' kinds to every peer, and of
 * few peers for what is under way beside it. */
#define BLOCKS_BASE     64
#define BLOCKS_PER_PEER 4
#define BLOCKS_MORE     12
#define PEERS_FEW       64u

/* What one input can add at most: a whole window of messages, each of which
 * begins an election, ends it and changes the leader; every link lost and
 * come; and the rest. */
#define NOTICES_BASE     (3 * CHANNEL_WINDOW + 48)
#define NOTICES_PER_PEER 4

static unsigned
blocks_wanted(unsigned peers)
{
	unsigned few = peers < PEERS_FEW ? peers : PEERS_FEW;

	return BLOCKS_BASE + BLOCKS_PER_PEER * peers + BLOCKS_MORE * few;
}

static size_t
notices_wanted(unsigned peers, bool trace)
{
	size_t count = NOTICES_BASE + (size_t)NOTICES_PER_PEER * peers;

	return trace ? 4 * count : count;
}

static unsigned
links_wanted(const struct node_setup *setup)
{
	return setup->topology == TOPOLOGY_RING ? RING_LINKS
						: setup->peers_count;
}

size_t
node_size(const struct node_setup *setup)
{
	unsigned n = setup->peers_count;

	assert(n < NODES_MAX);
	return arena_aligned(sizeof(struct node)) +
	       arena_aligned(n * sizeof(struct peer)) + peers_size(n) +
	       arena_aligned(links_wanted(setup) * sizeof(struct link)) +
	       arena_aligned(
		   node_costs_capacity(n) * sizeof(struct cost_report)) +
	       arena_aligned((n + 1) * sizeof(struct grant)) +
	       arena_aligned(setup->right_count * sizeof(unsigned)) +
	       arena_aligned(setup->left_count * sizeof(unsigned)) +
	       arena_aligned(blocks_size(blocks_wanted(n))) +
	       arena_aligned(
		   notices_wanted(n, setup->trace) * sizeof(struct notice)) +
	       arena_aligned(
		   election_size(setup->algorithm, links_wanted(setup)));
}

static void
peer_init(
    struct node *node, unsigned i, const struct peer_setup *setup, nsec_t now)
{
	assert(setup->id != NODE_NONE && setup->id != node->setup.self);
	node->peers[i] = (struct peer){
		.setup = *setup,
		.index = i,
		.number = VOTER_NONE,
		.hello_at = now,
		.ask_at = NSEC_NEVER,
	};
	node->peers[i].rank = (struct rank){
		.is_eligible = setup->role == ROLE_CANDIDATE,
		.is_contender = node->setup.preempt == PREEMPT_ALWAYS,
		.priority = setup->priority,
		.id = setup->id,
	};
}

static void
node_init_keys(struct node *node, const struct node_setup *setup)
{
	seal_handshake_key(node->handshake_key, setup->key);
	node->key_id = seal_key_id(setup->key);
	node->cluster_tag = seal_cluster_tag(setup->cluster);
	if (setup->has_old_key) {
		seal_handshake_key(node->old_handshake_key, setup->old_key);
		node->old_key_id = seal_key_id(setup->old_key);
	}
	node_fresh(node, node->instance, SALT_BYTES);
}

static void
node_init_election(struct node *node, void *memory, uint64_t seed)
{
	const struct node_setup *s = &node->setup;
	bool is_full = s->topology == TOPOLOGY_FULL;
	struct election_setup setup = {
		.algorithm = s->algorithm,
		.choices = s->choices,
		.prefer = s->prefer,
		.links = node->links,
		.links_count = node->links_count,
		.is_ring = node_is_ring(node),
		/* Failures at once are noticed half an interval apart; in a
		 * ring, nothing begins anyway until it has closed over all. */
		.settle = s->heartbeat / (node_is_ring(node) ? 10 : 2),
		.bound = 2 * node_detection(node) + ELECTION_TIME +
			 node->peers_count * (is_full ? MSEC : ELECTION_HOP),
		.is_nominating = node_is_quorum(node),
		.exchange = node_detection(node),
		.term_min = s->durable.term,
		.term_max = TERM_MAX,
		.seed = seed,
	};

	if (setup.term_min < s->durable.promise.term)
		setup.term_min = s->durable.promise.term;
	if (node_is_quorum(node)) {
		uint64_t floor = generation_floor(s->electorate.generation);

		if (setup.term_min < floor)
			setup.term_min = floor;
		setup.term_max = generation_ceiling(s->electorate.generation);
		/* A dead leader's lease must run out, on a clock that may be
		 * slow. */
		setup.bound += s->lease / 4 * 5;
	}
	election_init(&node->election, memory, &setup);
}

struct node *
node_init(void *memory, const struct node_setup *setup, nsec_t now)
{
	struct node *node = memory;
	unsigned n = setup->peers_count;
	uint8_t *m = memory, *table;
	uint64_t seed;

	assert(setup->self != NODE_NONE && setup->durable.incarnation > 0);
	assert(setup->guarantee != GUARANTEE_QUORUM || setup->lease > 0);
	assert(setup->heartbeat >= MSEC && setup->misses > 0);
	arena_carve(&m, sizeof(*node));
	*node = (struct node){ .setup = *setup, .peers_count = n };
	node->peers = arena_carve(&m, n * sizeof(*node->peers));
	table = arena_carve(&m, peers_size(n));
	node->links_count = links_wanted(setup);
	node->links = arena_carve(&m, node->links_count * sizeof(*node->links));
	node->ring.sides[RING_RIGHT].order =
	    arena_carve(&m, setup->right_count * sizeof(unsigned));
	node->ring.sides[RING_LEFT].order =
	    arena_carve(&m, setup->left_count * sizeof(unsigned));
	node->blocks = blocks_init(
	    arena_carve(&m, blocks_size(blocks_wanted(n))), blocks_wanted(n));
	node->costs.capacity = (unsigned)node_costs_capacity(n);
	node->costs.reports = arena_carve(
	    &m, node->costs.capacity * sizeof(*node->costs.reports));
	node->quorum.lease.grants =
	    arena_carve(&m, (n + 1) * sizeof(struct grant));
	node->notices.capacity = notices_wanted(n, setup->trace);
	node->notices.ring =
	    arena_carve(&m, node->notices.capacity * sizeof(struct notice));
	for (unsigned i = 0; i < n; i++)
		peer_init(node, i, &setup->peers[i], now);
	peers_init(node, table);
	quorum_init(node, node->quorum.lease.grants, now);
	watch_init(node);
	node_init_keys(node, setup);
	node_fresh(node, (uint8_t *)&seed, sizeof(seed));
	random_init(&node->random, seed);
	node_init_election(node, m, random_next(&node->random));
	node->can_persist = setup->state_health == STATE_HEALTH_SOUND ||
			    setup->state_health == STATE_HEALTH_REVOKED;
	node->is_starting = true;
	node->startup_at = nsec_after(now, setup->startup);
	node->eligible_since = now;
	node->heartbeat_at = now;
	node->healthy_at = NSEC_NEVER;
	node->wanted = now;
	node->woken = now;
	node->spoke_at = now;
	node->lead.stale_at = NSEC_NEVER;
	node->lead.since = now;
	if (node_is_ring(node))
		ring_init(node, setup, now);
	return node;
}

void
node_done(struct node *node)
{
	if (node == NULL)
		return;
	for (unsigned i = 0; i < node->peers_count; i++)
		seal_wipe(&node->peers[i], sizeof(node->peers[i]));
	seal_wipe(node, sizeof(*node));
}

/* `size` is at most KEY_BYTES. */
void
node_fresh(struct node *node, uint8_t *bytes, size_t size)
{
	uint8_t drawn[KEY_BYTES];

	assert(size <= sizeof(drawn));
	seal_fresh(
	    drawn, sizeof(drawn), node->setup.entropy, node->fresh_count++);
	memcpy(bytes, drawn, size);
	seal_wipe(drawn, sizeof(drawn));
}

/* How long a silence proves something: the detection time without its margin
 * (PROTOCOL.md, Detection time). */
nsec_t
node_detection(const struct node *node)
{
	return node->setup.misses * node->setup.heartbeat;
}

bool
node_is_duplicate(const struct node *node, nsec_t now)
{
	return node->duplicate_until > now;
}

/* A better node that has been up for as long as PREEMPT_AFTER wants ranks
 * like the leader that sits: then priority and id decide. */
static bool
node_may_challenge(const struct node *node, nsec_t now, const struct rank *self)
{
	struct rank leader = node->lead.beacon.leader;

	if (node->setup.preempt != PREEMPT_AFTER || !node->lead.is_fresh ||
	    now < nsec_after(node->eligible_since, node->setup.preempt_after))
		return false;
	leader.is_contender = false;
	return rank_better(self, &leader, node->setup.prefer);
}

struct rank
node_rank(const struct node *node, nsec_t now)
{
	bool is_leader = node_leads(node);
	struct rank rank = {
		.is_eligible = node->setup.role == ROLE_CANDIDATE &&
			       !node_is_duplicate(node, now) &&
			       !node->is_leaving && !node->is_abstaining &&
			       !node->handover.is_planned,
		.priority = node->setup.priority,
		.id = node->setup.self,
	};

	if (node_is_quorum(node))
		rank.is_eligible &=
		    node->setup.state_health == STATE_HEALTH_SOUND &&
		    (is_leader || node->quorum.is_there);
	if (!rank.is_eligible)
		return rank;
	/* A leader that a majority has confirmed is the only one: it leads on,
	 * also if it is unsteady. */
	rank.is_contender =
	    node->is_named || (is_leader && node_is_quorum(node)) ||
	    (node_is_steady(node, now) &&
		(is_leader || node->setup.preempt == PREEMPT_ALWAYS ||
		    node_may_challenge(node, now, &rank)));
	return rank;
}

void
node_note(struct node *node, nsec_t now, struct notice n)
{
	n.at = now;
	notices_add(&node->notices, &n);
}

void
node_trace(struct node *node, nsec_t now, const char *format, ...)
{
	struct notice n = { .kind = NOTICE_TRACE };
	va_list arguments;

	if (!node->setup.trace)
		return;
	/* Traces are cut short before a notice finds no room. */
	if (node->notices.capacity - node->notices.count <=
	    notices_wanted(node->peers_count, false))
		return;
	va_start(arguments, format);
	vsnprintf(n.text, sizeof(n.text), format, arguments);
	va_end(arguments);
	node_note(node, now, n);
}

void
node_tick(struct node *node, nsec_t now)
{
	struct rank self;
	uint64_t term;

	node_wake(node, now);
	if (node->is_stopping)
		return;
	node_tick_peers(node, now);
	handover_tick(node, now);
	if (node_is_quorum(node))
		quorum_tick(node, now);
	/* Links before the leader: whoever is gone is in no new view. */
	if (node_is_ring(node) && now >= ring_deadline(node))
		ring_update(node, now);
	if (!node_takes_part(node) || election_is_spent(&node->election) ||
	    (node_is_quorum(node) &&
		(!node->quorum.is_there || quorum_awaits(node, now))))
		election_wait(&node->election, now);
	self = node_rank(node, now);
	term = node->election.run_term;
	if (election_tick(&node->election, now, &self)) {
		if (node->election.run_term != term)
			node_trace(node, now,
			    "links changed, or it took too long "
			    "-> start again");
		node_flush_election(node, now);
	}
	node_conclude(node, now);
}

void
node_receive(struct node *node, nsec_t now, nsec_t age, unsigned peer,
    const uint8_t *bytes, size_t size)
{
	assert(peer == PEER_NONE || peer < node->peers_count);
	node_wake(node, now);
	if (node->is_stopping)
		return;
	node->arrived = nsec_since(now, age);
	node_take_datagram(node, now, peer, bytes, size);
	node_conclude(node, now);
}

uint64_t
node_elect(struct node *node, nsec_t now)
{
	uint64_t term;

	node_wake(node, now);
	if (node->is_stopping || node->is_leaving || !node_takes_part(node) ||
	    election_is_spent(&node->election) ||
	    (node_is_quorum(node) && !node->quorum.is_there))
		return 0;
	node->is_starting = false;
	node_begin_election(
	    node, now, (struct reason){ REASON_FORCED, node->setup.self });
	term = node->election.run_term;
	node_conclude(node, now);
	return term;
}

/* The last word to everybody. */
void
node_leave(struct node *node)
{
	node->is_leaving = false;
	node->is_stopping = true;
	for (unsigned i = 0; i < node->peers_count; i++) {
		if (node->peers[i].has_session)
			node->peers[i].byes_due = BYE_COPIES;
		node->peers[i].hello_due = false;
	}
	node_touch_all(node);
}

void
node_stop(struct node *node, nsec_t now)
{
	const struct reason reason = { REASON_BYE, node->setup.self };

	node_wake(node, now);
	if (node->is_stopping || node->is_leaving)
		return;
	node->is_leaving = true;
	if (node_leads(node))
		handover_make(node, now, reason, true, NODE_NONE);
	else if (node_is_quorum(node))
		quorum_drop(node, now);
	node_conclude(node, now);
}

/* Would a leader that an operator names lead for longer than a moment? Where
 * not all are linked to all, those that were not heard may be there. */
static bool
node_would_last(const struct node *node, const struct peer *named)
{
	bool is_full = node->setup.topology == TOPOLOGY_FULL;

	if (node->setup.preempt == PREEMPT_NEVER)
		return true;
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];

		if ((p->is_up ? p->rank.is_eligible
			      : !is_full && p->setup.role == ROLE_CANDIDATE) &&
		    rank_better(&p->rank, &named->rank, node->setup.prefer))
			return false;
	}
	return true;
}

enum resignation
node_resign(struct node *node, nsec_t now, node_id to)
{
	const struct reason reason = { REASON_RESIGN, node->setup.self };
	struct peer *p = node_find(node, to);

	node_wake(node, now);
	if (node->is_stopping || node->is_leaving || !node_leads(node))
		return RESIGN_NO_LEADER;
	if (to == NODE_NONE && !handover_has_successor(node))
		return RESIGN_NOBODY;
	if (to != NODE_NONE &&
	    (p == NULL || p->setup.role != ROLE_CANDIDATE ||
		(node_keeps(node, p) && !(p->is_up && p->rank.is_eligible))))
		return RESIGN_UNFIT;
	if (to != NODE_NONE && !node_would_last(node, p))
		return RESIGN_UNDONE;
	node->is_abstaining = true;
	handover_make(node, now, reason, true, to);
	node_conclude(node, now);
	return RESIGN_BEGUN;
}

void
node_stand(struct node *node, nsec_t now)
{
	node_wake(node, now);
	node->is_abstaining = false;
	node->eligible_since = now;
	node_conclude(node, now);
}

bool
node_stopped(const struct node *node)
{
	return node->is_stopping;
}

nsec_t
node_hand_out(struct node *node, nsec_t now)
{
	if (node_status(node, now).leader == NODE_NONE)
		return 0;
	if (node_is_quorum(node) && lead_id(&node->lead) == node->setup.self)
		return lease_hand_out(&node->quorum.lease, now);
	return quorum_until(node);
}

void
node_check(const struct node *node)
{
	assert(node->local_health <= HEALTH_MAX);
	assert(node->lead.beacon.term <= node->election.term);
	election_check(&node->election);
	peers_check(node);
	if (node_is_quorum(node)) {
		voter_check(&node->quorum.voter);
		lease_check(&node->quorum.lease);
	}
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];
		bool is_up = p->is_up;

		detector_check(&p->detector);
		channel_check(&p->channel, node->blocks);
		assert(!is_up || p->has_session);
		assert(!is_up || p->detector.is_heard);
		assert(!is_up || p->hears_us);
		assert(p->has_session || !p->detector.is_heard);
		if (p->has_session)
			assert(p->session.incarnation == p->incarnation);
	}
}
