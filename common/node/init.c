/* SPDX-License-Identifier: ISC */
/*
 * How a node is made from its setup, wiped and checked. The caller gives its
 * memory once (PROTOCOL.md, The core as a machine); this file shares it out to
 * the parts.
 */
#include "common/node/node_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

size_t
node_size(const struct node_setup *setup)
{
	unsigned n = setup->peers_count;

	assert(n < NODES_MAX);
	return arena_aligned(sizeof(struct node)) +
	       arena_aligned(n * sizeof(struct peer)) + peers_size(n) +
	       topology_size(setup) + arena_aligned(message_reports_size(n)) +
	       arena_aligned((n + 1) * sizeof(struct grant)) +
	       arena_aligned(blocks_size(blocks_wanted(n))) +
	       arena_aligned(
		   notices_wanted(n, setup->trace) * sizeof(struct notice)) +
	       arena_aligned(
		   election_size(setup->algorithm, topology_links(setup)));
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
	};
	node->peers[i].rank = (struct rank){
		.is_eligible = setup->role == ROLE_CANDIDATE,
		.is_contender = node->setup.preempt == PREEMPT_ALWAYS,
		.priority = setup->priority,
		.id = setup->id,
	};
	hello_reset(&node->peers[i], now);
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
		.is_ring = node_is_ring(node),
		/* Nodes notice failures that happen at once up to half a
		 * heartbeat apart. In a ring no election begins before the ring
		 * has closed over all of them. */
		.settle = s->timing.heartbeat / (node_is_ring(node) ? 10 : 2),
		.bound = 2 * node_detection(node) + ELECTION_TIME +
			 node->peers_count * (is_full ? MSEC : ELECTION_HOP),
		.exchange = node_detection(node),
		.term_min = s->durable.term,
		.term_max = TERM_MAX,
		.seed = seed,
	};

	topology_show(node, &setup);
	if (setup.term_min < s->durable.promise.term)
		setup.term_min = s->durable.promise.term;
	if (node_is_quorum(node)) {
		uint64_t floor = generation_floor(s->electorate.generation);

		setup.is_nominating = true;
		if (setup.term_min < floor)
			setup.term_min = floor;
		setup.term_max = generation_ceiling(s->electorate.generation);
		/* The lease of a dead leader must end first, on a clock that
		 * may be slow. */
		setup.bound += s->timing.lease / 4 * 5;
	}
	election_init(&node->election, memory, &setup);
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
	assert(setup->ring.right_count <= setup->peers_count);
	assert(setup->ring.left_count <= setup->peers_count);
}

struct node *
node_init(void *memory, const struct node_setup *setup, nsec_t now)
{
	struct node *node = memory;
	unsigned n = setup->peers_count;
	uint8_t *m = memory, *table, *links;
	struct grant *grants;
	uint64_t seed;

	setup_check(setup);
	arena_carve(&m, sizeof(*node));
	*node = (struct node){ .setup = *setup, .peers_count = n };
	node->peers = arena_carve(&m, n * sizeof(*node->peers));
	table = arena_carve(&m, peers_size(n));
	links = arena_carve(&m, topology_size(setup));
	node->blocks = blocks_init(
	    arena_carve(&m, blocks_size(blocks_wanted(n))), blocks_wanted(n));
	message_reports_init(node, arena_carve(&m, message_reports_size(n)));
	grants = arena_carve(&m, (n + 1) * sizeof(*grants));
	node->out.notices.capacity = notices_wanted(n, setup->trace);
	node->out.notices.ring =
	    arena_carve(&m, node->out.notices.capacity * sizeof(struct notice));
	for (unsigned i = 0; i < n; i++)
		peer_init(node, i, &setup->peers[i], now);
	peers_init(node, table);
	topology_init(node, setup, links, now);
	durable_init(node);
	voters_init(node);
	voting_init(node, now);
	candidate_init(node, grants);
	quorum_init(node);
	liveness_init(node);
	keys_init(node);
	seal_wipe(node->setup.key, sizeof(node->setup.key));
	seal_wipe(node->setup.old_key, sizeof(node->setup.old_key));
	keys_fresh(node, (uint8_t *)&seed, sizeof(seed));
	random_init(&node->random, seed);
	node_init_election(node, m, random_next(&node->random));
	life_init(node, now);
	timers_begin(node, now);
	node->input.now = now;
	stall_init(node, now);
	lead_init(&node->lead, now);
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
	peers_check(node);
	assert(node->out.notices.count <= node->out.notices.capacity);
	assert(node->lead.beacon.term <= node->election.term);
	lead_check(&node->lead);
	life_check(node);
	election_check(&node->election);
	timers_check(node);
	voters_check(node);
	voting_check(node);
	candidate_check(node);
	quorum_check(node);
	durable_check(node);
	message_reports_check(node);
	handover_check(node);
	steady_check(node);
	liveness_check(node);
	for (unsigned i = 0; i < node->peers_count; i++) {
		const struct peer *p = &node->peers[i];
		bool is_up = p->link.is_up;

		channel_check(&p->channel, node->blocks);
		drop_check(node, p);
		process_check(node, p);
		hello_check(node, p);
		handshake_check(p);
		stamps_check(node, p);
		lastwill_check(node, p);
		assert(!is_up || p->has_session);
		assert(!is_up || p->detector.is_heard);
		assert(!is_up || p->link.hears_us);
		session_check(p);
	}
}
