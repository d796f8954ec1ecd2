/* SPDX-License-Identifier: ISC */
/*
 * How a node is made from its setup, wiped and checked. The caller gives its
 * memory once (PROTOCOL.md, The core as a machine); this file shares it out to
 * the parts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/node/config/configs.h"
#include "common/node/config/outside.h"
#include "common/node/config/standby.h"
#include "common/node/context.h"
#include "common/node/drive/inputs.h"
#include "common/node/drive/node_inside.h"
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
#include "common/node/tape/checkpoint.h"
#include "common/node/tape/tape.h"
#include "common/node/vote/durable.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/damping.h"
#include "common/node/watch/drop.h"
#include "common/node/watch/group.h"
#include "common/node/watch/handshake.h"
#include "common/node/watch/liveness.h"
#include "common/node/watch/stall.h"
#include "common/node/watch/voters.h"

#define ELECTION_TIME (500 * MSEC) /* retransmissions under heavy loss */
#define ELECTION_HOP  (20 * MSEC)  /* for each node that hands a message on */

/*
 * Blocks for messages, most of which fit one (PROTOCOL.md, Message memory). Any
 * sizes do that leave space: in the swarm the fullest channel took less than
 * half of the pool (PROTOCOL.md, Designs not taken).
 */
#define BLOCKS_BASE     64  /* what one channel has in flight and holds */
#define BLOCKS_PER_PEER 4   /* a burst of an algorithm's messages to each */
#define BLOCKS_MORE     12  /* for each of a few, with more under way */
#define PEERS_FEW       64u /* no more: for 1000 peers this saves 0.7 MiB */

static unsigned
blocks_wanted(unsigned peers)
{
	unsigned few = peers < PEERS_FEW ? peers : PEERS_FEW;

	return BLOCKS_BASE + BLOCKS_PER_PEER * peers + BLOCKS_MORE * few;
}

/* The memory of a node, cut up for its parts. */
struct cut {
	struct peer *peers;
	uint8_t *table;
	uint8_t *links;
	uint8_t *blocks;
	struct grant *grants;
	struct notice *notices;
	struct event *events;
	uint8_t *snapshots;
	uint8_t *election;
};

/* The bytes of a node with this number of blocks, notices and events. */
static size_t
size_for(const struct node_setup *setup, unsigned blocks, size_t notices,
    unsigned events)
{
	unsigned n = setup->peers_count;

	assert(n < NODES_MAX);
	return arena_aligned(sizeof(struct node)) +
	       arena_aligned(n * sizeof(struct peer)) + peers_size(n) +
	       topology_size(setup) +
	       arena_aligned((n + 1) * sizeof(struct grant)) +
	       arena_aligned(blocks_size(blocks)) +
	       arena_aligned(notices * sizeof(struct notice)) +
	       arena_aligned(events * sizeof(struct event)) +
	       arena_aligned(snapshot_size()) +
	       arena_aligned(
		   election_size(setup->algorithm, topology_links(setup)));
}

static struct cut
cut_memory(uint8_t *memory, const struct node_setup *setup, unsigned blocks,
    size_t notices, unsigned events)
{
	unsigned n = setup->peers_count;
	uint8_t *m = memory;
	struct cut cut;

	arena_carve(&m, sizeof(struct node));
	cut.peers = arena_carve(&m, n * sizeof(struct peer));
	cut.table = arena_carve(&m, peers_size(n));
	cut.links = arena_carve(&m, topology_size(setup));
	cut.blocks = arena_carve(&m, blocks_size(blocks));
	cut.grants = arena_carve(&m, (n + 1) * sizeof(struct grant));
	cut.notices = arena_carve(&m, notices * sizeof(struct notice));
	cut.events = arena_carve(&m, events * sizeof(struct event));
	cut.snapshots = arena_carve(&m, snapshot_size());
	cut.election = m;
	return cut;
}

size_t
node_size(const struct node_setup *setup)
{
	unsigned n = setup->peers_count;

	return size_for(setup, blocks_wanted(n),
	    notices_wanted(n, setup->trace), setup->events_max);
}

static void
peer_init(
    struct node *node, unsigned i, const struct peer_setup *setup, nsec_t now)
{
	assert(setup->id != NODE_NONE);
	assert(setup->id <= NODE_ID_MAX);
	assert(setup->id != node->setup.self);
	node->peers[i] = (struct peer){
		.setup = *setup,
		.index = i,
		.link.sought = now,
	};
	node->peers[i].rank = (struct rank){
		.is_eligible = setup->role == ROLE_CANDIDATE,
		.is_contender = node->setup.preempt == PREEMPT_ALWAYS,
		.priority = setup->priority,
		.id = setup->id,
	};
	hello_reset(&node->peers[i], now);
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* All terms are above `term_min`. */
static void
node_init_election(struct node *node, void *memory, uint64_t term_min)
{
	const struct node_setup *s = &node->setup;
	bool is_full = s->topology == TOPOLOGY_FULL;
	struct election_setup setup = {
		.algorithm = s->algorithm,
		.choices = s->choices,
		.prefer = s->prefer,
		.is_ring = node_is_ring(node),
		/* Nodes notice failures that happen at once up to half a
		 * heartbeat apart. In a ring no election begins before the ring
		 * has closed over all of them. */
		.settle = s->timing.heartbeat / (node_is_ring(node) ? 10 : 2),
		.bound = 2 * node_detection(node) + ELECTION_TIME +
			 node->peers_count * (is_full ? MSEC : ELECTION_HOP),
		.exchange = node_detection(node),
		.term_min = term_min,
		.credible = config_id_floor(&s->config_id),
		.seed = random_next(&node->random),
	};

	topology_show(node, &setup);
	if (node_is_quorum(node)) {
		setup.is_nominating = true;
		if (s->config_id.config_term == 0)
			setup.floor = config_id_floor(&s->config_id);
		/* The lease of a dead leader must end first, on a clock that
		 * may be slow. */
		setup.bound += s->timing.lease / 4 * 5;
	}
	election_init(&node->election, memory, &setup);
}

/* Under quorum whoever was met, and is in no file, is an observer. */
static bool
may_name(const struct node_setup *s, const struct peer_setup *peer)
{
	return s->guarantee != GUARANTEE_QUORUM || !s->discovery.is_on ||
	       peer->is_configured || !role_votes(peer->role);
}

static void
setup_check(const struct node_setup *setup)
{
	assert(setup->self != NODE_NONE);
	assert(setup->self <= NODE_ID_MAX);
	assert(setup->durable.incarnation > 0);
	assert(setup->guarantee != GUARANTEE_QUORUM || setup->timing.lease > 0);
	assert(setup->timing.heartbeat >= MSEC);
	assert(setup->timing.misses > 0);
	assert(setup->timing.misses <= MISSES_MAX);
	assert(setup->document_size <= DOCUMENT_MAX);
	assert((setup->document == NULL) == (setup->document_size == 0));
	assert(setup->events_max <= EVENTS_MAX);
	assert(setup->ring.right_count <= setup->peers_count);
	assert(setup->ring.left_count <= setup->peers_count);
	for (unsigned i = 0; i < setup->peers_count; i++)
		assert(may_name(setup, &setup->peers[i]));
}

/* Forgets what the setup of a node borrows, but for the algorithm and the
 * document. */
static void
setup_forget(struct node_setup *setup)
{
	setup->peers = NULL;
	setup->ring = (struct ring_setup){ .right = NULL };
	setup->cluster = NULL;
}

struct node *
node_init(void *memory, const struct node_setup *setup, nsec_t now)
{
	struct node *node = memory;
	unsigned n = setup->peers_count, blocks = blocks_wanted(n);
	size_t notices = notices_wanted(n, setup->trace);
	struct cut cut =
	    cut_memory(memory, setup, blocks, notices, setup->events_max);
	const struct durable_state *durable = &setup->durable;
	uint64_t seed;

	setup_check(setup);
	*node = (struct node){
		.setup = *setup,
		.recording.size =
		    size_for(setup, blocks, notices, setup->events_max),
		.peers_count = n,
		.peers = cut.peers,
		.blocks = blocks_init(cut.blocks, blocks),
		.look.events = { .ring = cut.events,
		    .capacity = setup->events_max },
		.out.notices = { .ring = cut.notices, .capacity = notices },
	};
	snapshot_init(node, cut.snapshots);
	for (unsigned i = 0; i < n; i++)
		peer_init(node, i, &setup->peers[i], now);
	peers_init(node, cut.table);
	topology_init(node, setup, cut.links, now);
	durable_init(node);
	voters_init(node);
	voting_init(node, now);
	nominee_init(node, cut.grants);
	quorum_init(node);
	liveness_init(node);
	configs_init(node);
	keys_init(node);
	seal_wipe(&node->setup.keys, sizeof(node->setup.keys));
	setup_forget(&node->setup);
	keys_fresh(node, (uint8_t *)&seed, sizeof(seed));
	random_init(&node->random, seed);
	group_change(node);
	node_init_election(node, cut.election,
	    later(later(durable->term, durable->promise.term),
		setup->config_id.config_term));
	life_init(node, now);
	standby_init(node, now);
	timers_begin(node, now);
	node->input.now = now;
	stall_init(node, now);
	outside_look(node, now);
	lead_init(&node->lead, now);
	return node;
}

/* A change neither loses a message under way nor a notice: the pool never
 * shrinks, and the queue has room for all peers before and after. */
static unsigned
blocks_for_change(const struct node *node, const struct node_setup *setup)
{
	unsigned have = blocks_count(node->blocks),
		 wanted = blocks_wanted(setup->peers_count);

	return have > wanted ? have : wanted;
}

static size_t
notices_for_change(const struct node *node, const struct node_setup *setup)
{
	unsigned n = node->peers_count;

	return notices_wanted(
	    n > setup->peers_count ? n : setup->peers_count, node->setup.trace);
}

size_t
node_change_size(const struct node *node, const struct node_setup *setup)
{
	return size_for(setup, blocks_for_change(node, setup),
	    notices_for_change(node, setup), node->setup.events_max);
}

/* The setup of `node` with what the configuration of *setup says. */
static struct node_setup
setup_changed(const struct node *node, const struct node_setup *setup)
{
	struct node_setup s = *setup;

	s.self = node->setup.self;
	s.guarantee = node->setup.guarantee;
	s.durable = node->setup.durable;
	/* An observer without promises becomes a voter. */
	if (node->setup.state_health != STATE_HEALTH_SOUND)
		s.state_health = node->setup.state_health;
	s.budget_max = node->setup.budget_max;
	s.trace = node->setup.trace;
	s.events_max = node->setup.events_max;
	s.versions = node->setup.versions;
	s.release = node->setup.release;
	s.standby = node->setup.standby;
	s.epoch = node->setup.epoch;
	memcpy(s.entropy, node->setup.entropy, sizeof(s.entropy));
	seal_wipe(&s.keys, sizeof(s.keys));
	return s;
}

/* Ends the sessions with peers that the setup does not name. */
static void
node_part(struct node *node, const struct node_setup *setup, nsec_t now)
{
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!setup_names(setup, p->setup.id))
			node_session_end(node, now, p, EVIDENCE_REMOVED);
	}
}

/* Makes the peer `i` of the setup: one of `from` that stays, or a new one. */
static void
peer_move(struct node *node, unsigned i, const struct peer_setup *setup,
    struct node *from, nsec_t now)
{
	struct peer *p = &node->peers[i], *was = peers_find(from, setup->id);

	if (was == NULL) {
		peer_init(node, i, setup, now);
		return;
	}
	*p = *was;
	if (was->setup.is_remote)
		p->link.sought = now;
	p->setup = *setup;
	p->index = i;
	p->rank.priority = setup->priority;
}

/* The queue of notices, in more memory. */
static struct notices
notices_move(const struct notices *from, struct notice *ring, size_t capacity)
{
	struct notices to = { .ring = ring, .capacity = capacity };

	for (size_t i = 0; i < from->count; i++)
		notices_add(
		    &to, &from->ring[(from->first + i) % from->capacity]);
	return to;
}

/* The events, in other memory. Those of another algorithm are forgotten, as
 * its messages are named otherwise. */
static struct event_log
events_move(
    const struct node *from, const struct node_setup *to, struct event *ring)
{
	struct event_log log = from->look.events;

	if (log.capacity > 0)
		memcpy(ring, log.ring, log.capacity * sizeof(*ring));
	log.ring = ring;
	if (from->setup.algorithm != to->algorithm)
		event_log_forget(&log);
	return log;
}

/* Another configuration is in effect. A peer that we sought as a neighbour
 * may be none. The leader's next beacon may come as late as the new times
 * say. */
static void
act_on_change(struct node *node, nsec_t now)
{
	struct peer *by = node->lead.by;
	node_id id = lead_id(&node->lead);

	node->told.elected = 0;
	outside_change(node, now);
	quorum_look(node, now);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (!node_is_ring(node) && !topology_keeps(node, p))
			node_session_end(node, now, p, EVIDENCE_DISTANT);
		if (!p->has_session)
			hello_reset(p, now); /* by the new times */
		if (p->link.is_up)
			topology_update(node, now, p);
		peers_schedule(node, p);
	}
	if (node_is_ring(node))
		ring_update(node, now);
	if (node->lead.is_fresh && !node_leads(node))
		lead_extend(&node->lead, leadership_stale_at(node, now, by,
					     topology_hops(node, by)));
	if (id != NODE_NONE && !node_leads(node) &&
	    peers_find(node, id) == NULL)
		node_lose_leader(
		    node, now, (struct reason){ REASON_REMOVED, id });
	/* A later leader has stamped it: our lease is over. */
	if (node_leads(node) &&
	    node->setup.config_id.config_term > nominee_held(node))
		node_lose_leader(node, now,
		    (struct reason){ REASON_LEASE, node->setup.self });
	node_conclude(node, now);
}

struct node *
node_change(
    void *memory, struct node *old, const struct node_setup *setup, nsec_t now)
{
	struct node *node = memory;
	struct node_setup s = setup_changed(old, setup);
	unsigned blocks = blocks_for_change(old, setup);
	size_t notices = notices_for_change(old, setup);
	struct cut cut =
	    cut_memory(memory, setup, blocks, notices, s.events_max);

	setup_check(&s);
	assert(!life_is_ending(old));
	record(old, now, (struct entry){ .kind = TAPE_CHANGE, .setup = setup });
	node_wake(old, now);
	node_part(old, setup, now);
	s = setup_changed(old, setup);
	*node = *old;
	node->setup = s;
	setup_forget(&node->setup);
	node->recording.size = size_for(setup, blocks, notices, s.events_max);
	node->peers = cut.peers;
	node->peers_count = setup->peers_count;
	node->blocks = blocks_move(cut.blocks, blocks, old->blocks);
	node->out.notices =
	    notices_move(&old->out.notices, cut.notices, notices);
	node->look.events = events_move(old, &s, cut.events);
	for (unsigned i = 0; i < node->peers_count; i++)
		peer_move(node, i, &setup->peers[i], old, now);
	peers_change(node, cut.table);
	if (old->lead.by != NULL)
		lead_move(
		    &node->lead, peers_find(node, old->lead.by->setup.id));
	topology_change(node, setup, cut.links, now);
	snapshot_change(node, cut.snapshots);
	pulls_change(node);
	voters_change(node);
	voting_change(node, now);
	nominee_change(node, cut.grants, now);
	durable_change(node, now);
	liveness_change(node);
	configs_init(node);
	group_change(node);
	process_change(node);
	drop_change(node);
	lastwill_change_all(node);
	timers_begin(node, now);
	node_init_election(node, cut.election,
	    later(old->election.term, s.config_id.config_term));
	node->election.history = old->election.history;
	node->election.reason = old->election.reason;
	node_done(old);
	act_on_change(node, now);
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

void
node_check(const struct node *node)
{
	stall_check(node);
	tree_check(node);
	peers_check(node);
	assert(node->out.notices.count <= node->out.notices.capacity);
	assert(node->lead.beacon.term <= node->election.term);
	lead_check(&node->lead);
	life_check(node);
	standby_check(node);
	election_check(&node->election);
	timers_check(node);
	voters_check(node);
	voting_check(node);
	nominee_check(node);
	quorum_check(node);
	durable_check(node);
	handover_check(node);
	damping_check(node);
	liveness_check(node);
	snapshot_check(node);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		bool is_up = p->link.is_up;

		channel_check(&p->channel, node->blocks);
		drop_check(node, p);
		configs_check(node, p);
		standby_check_peer(p);
		process_check(node, p);
		hello_check(node, p);
		handshake_check(p);
		timestamps_check(node, p);
		group_check(node, p);
		lastwill_check(node, p);
		assert(!is_up || p->has_session);
		assert(!is_up || p->detector.is_heard);
		assert(!is_up || p->link.hears_us);
		session_check(node, p);
	}
}
