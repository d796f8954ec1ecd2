/* SPDX-License-Identifier: ISC */
/*
 * Clusters that build themselves (PROTOCOL.md, Discovery): whoever starts
 * becomes known, and is forgotten when it was gone for long; also while
 * datagrams are lost, and while an attacker says again what it heard.
 */
#include "tests/lib/member.h"
#include "tests/lib/often.h"
#include "tests/unit/group.h"
#include "tests/world/gathering/gathering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/util/random.h"

#define JOINS   (500 * MSEC) /* a node that starts beside a leader */
#define GATHERS (5 * SEC)    /* many that start at once; see the figures */

static const struct algorithm *const graph_algorithms[] = {
	&algorithm_extinction,
	&algorithm_floodmax,
	&algorithm_tree,
};

static void
assert_settles(struct gathering *g, nsec_t limit)
{
	nsec_t took = gathering_settle(g, 0, limit);

	if (took == NSEC_NEVER)
		print_error("seed %u: no cluster\n", (unsigned)g->seed);
	assert_true(took != NSEC_NEVER);
}

TEST(each_node_that_starts_joins)
{
	struct gathering *g = gathering_new(10, 1);

	for (unsigned i = 0; i < 10; i++) {
		gathering_start(g, (i * 7) % 10, false);
		assert_settles(g, i == 0 ? 2 * SEC : JOINS);
	}
	assert_int_equal(g->guests[0].list.nodes_count, 10);
	gathering_free(g);
}

TEST(nodes_that_know_one_address_join_by_it)
{
	struct gathering *g = gathering_new(16, 2);

	for (unsigned i = 0; i < 16; i++) {
		g->guests[i].knows_addresses = true;
		gathering_start(g, i, false);
		if (i == 7)
			assert_settles(g, GATHERS);
	}
	assert_settles(g, GATHERS);
	/* Those who have joined need it no more. */
	gathering_kill(g, 0);
	assert_settles(g, 2 * SEC);
	assert_int_equal(g->guests[1].list.nodes_count, 16);
	gathering_free(g);
}

/* All at once, a part of whom remembers others; some datagrams are lost. */
TEST(nodes_that_start_at_once_become_one_cluster)
{
	nsec_t longest = 0;

	for (unsigned seed = 1; seed <= often(40); seed++) {
		unsigned n = 2 + seed % 31;
		struct gathering *g = gathering_new(n, seed);
		nsec_t took;

		g->loss = seed % 4 == 0 ? 100 : 0;
		for (unsigned i = 0; i < n; i++)
			gathering_start(g, i, false);
		took = gathering_settle(g, 0, GATHERS);
		if (took == NSEC_NEVER)
			print_error("seed %u: no cluster of %u\n", seed, n);
		assert_true(took != NSEC_NEVER);
		longest = took > longest ? took : longest;
		gathering_free(g);
	}
	print_message("the longest took %u ms\n", (unsigned)(longest / MSEC));
}

TEST(node_that_is_gone_for_long_is_forgotten_and_may_return)
{
	struct gathering *g = gathering_new(4, 3);

	for (unsigned i = 0; i < 4; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	gathering_kill(g, 3);
	gathering_run(g, GATHERING_FORGET - SEC);
	assert_int_equal(g->guests[0].list.nodes_count, 4);
	gathering_run(g, 3 * SEC);
	assert_int_equal(g->guests[0].list.nodes_count, 3);
	gathering_start(g, 3, true);
	assert_settles(g, GATHERS);
	assert_int_equal(g->guests[0].list.nodes_count, 4);
	gathering_free(g);
}

/* A host that starts long before the others waits for them. */
TEST(node_that_starts_first_remembers_the_others)
{
	struct gathering *g = gathering_new(4, 7);

	for (unsigned i = 0; i < 4; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	for (unsigned i = 0; i < 4; i++)
		gathering_kill(g, i);
	gathering_start(g, 0, true);
	gathering_run(g, GATHERING_FORGET - 2 * SEC);
	assert_int_equal(g->guests[0].list.nodes_count, 4);
	for (unsigned i = 1; i < 4; i++)
		gathering_start(g, i, true);
	assert_settles(g, SEC);
	gathering_free(g);
}

/* Nobody of the first two may lead. */
TEST(observers_take_in_the_node_that_will_lead)
{
	struct gathering *g = gathering_new(4, 8);

	g->guests[0].id = GUESTS_OBSERVE;
	g->guests[1].id = GUESTS_OBSERVE + 1;
	gathering_start(g, 0, false);
	gathering_start(g, 1, false);
	gathering_run(g, 5 * SEC);
	assert_int_equal(g->guests[0].list.nodes_count, 2);
	gathering_start(g, 2, false);
	gathering_start(g, 3, false);
	assert_settles(g, GATHERS);
	assert_int_equal(g->guests[0].list.nodes_count, 4);
	gathering_free(g);
}

/* Each side takes others in; when they meet again, the later edition wins, and
 * whom it does not name introduces itself. */
TEST(two_halves_that_grew_apart_become_one_again)
{
	for (unsigned seed = 1; seed <= often(20); seed++) {
		struct gathering *g = gathering_new(12, seed);

		for (unsigned i = 0; i < 6; i++)
			gathering_start(g, i, false);
		assert_settles(g, GATHERS);
		for (unsigned i = 0; i < 12; i++)
			g->guests[i].side = i % 2;
		for (unsigned i = 6; i < 12; i++)
			gathering_start(g, i, false);
		assert_true(gathering_settle(g, 0, GATHERS) != NSEC_NEVER);
		assert_true(gathering_settle(g, 1, GATHERS) != NSEC_NEVER);
		for (unsigned i = 0; i < 12; i++)
			g->guests[i].side = 0;
		assert_settles(g, GATHERS);
		assert_int_equal(g->guests[0].list.nodes_count, 12);
		gathering_free(g);
	}
}

/* Of two with one id both hear of it, and the first stays in the cluster. */
TEST(two_processes_of_one_id_are_told)
{
	struct gathering *g = gathering_new(4, 4);

	for (unsigned i = 0; i < 3; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	g->guests[3].id = 2;
	gathering_start(g, 3, false);
	gathering_run(g, SEC);
	assert_true(g->guests[3].duplicates > 0);
	assert_true(g->guests[1].duplicates > 0);
	assert_true(node_peer_status(g->guests[2].node, 1).duplicate);
	assert_int_equal(g->guests[0].list.nodes_count, 3);
	gathering_kill(g, 3);
	gathering_run(g, 4 * SEC);
	assert_settles(g, SEC);
	gathering_free(g);
}

/* Datagrams that came to all, taken or dropped. */
static uint64_t
came(const struct gathering *g)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < g->count; i++) {
		const struct node_counters *c;

		if (!g->guests[i].is_running)
			continue;
		c = node_counters(g->guests[i].node);
		sum += c->received;
		for (enum drop d = DROP_NONE + 1; d < DROP_KINDS; d++)
			sum += c->dropped[d];
	}
	return sum;
}

/* Brings guests 1 to 5 what was said before, and each copy damaged. All of it is
 * counted. */
static void
feed_copies(struct gathering *g)
{
	uint64_t before = came(g), fed = 0;

	for (unsigned c = 0; c < 256 && c < g->captured; c++) {
		struct captured copy = g->capture[c];

		gathering_feed(g, 1 + c % 5,
		    c % 2 == 0 ? GATHERING_NOWHERE : c % 6, copy.bytes,
		    copy.size);
		copy.bytes[copy.size - 1 - c % copy.size] ^= 1;
		gathering_feed(
		    g, 1 + c % 5, GATHERING_NOWHERE, copy.bytes, copy.size);
		fed += 2;
	}
	assert_int_equal(came(g) - before, fed);
}

/* Whatever was said before, from anywhere, makes nobody known and disturbs
 * nobody; nor do bytes that no key has sealed. */
TEST(copies_of_introductions_change_nothing)
{
	struct gathering *g = gathering_new(6, 5);
	struct edition before;
	unsigned met = 0;

	for (unsigned i = 0; i < 6; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	gathering_kill(g, 0);
	gathering_run(g, GATHERING_FORGET + 3 * SEC);
	assert_int_equal(g->guests[1].list.nodes_count, 5);
	before = *node_edition(g->guests[1].node);
	for (unsigned i = 1; i < 6; i++)
		met += g->guests[i].met;
	for (unsigned round = 0; round < 20; round++) {
		feed_copies(g);
		gathering_run(g, 500 * MSEC);
	}
	assert_settles(g, SEC);
	for (unsigned i = 1; i < 6; i++)
		met -= g->guests[i].met;
	assert_int_equal(met, 0);
	assert_true(edition_equal(&before, node_edition(g->guests[1].node)));
	gathering_free(g);
}

/* Somebody with the key makes up a node, and where it is: a host names one node
 * at an address. */
static void
make_up(struct gathering *g, unsigned target, node_id id)
{
	static const uint8_t key[KEY_BYTES] = { 'k', 'e', 'y' };
	struct introduction i = { .asks = true, .name = "made-up" };
	uint8_t datagram[PACKET_MAX];
	struct member m;
	const struct captured *c;
	unsigned from = GATHERING_NOWHERE + id;

	member_init(&m, id, g->guests[target].id, key);
	m.incarnation = 1;
	gathering_feed(
	    g, target, from, datagram, member_introduce(&m, &i, datagram));
	c = &g->capture[(g->captured - 1) % 256];
	member_hear(&m, c->bytes, c->size);
	memcpy(i.echo, m.their_challenge, SALT_BYTES);
	i.asks = false;
	gathering_feed(
	    g, target, from, datagram, member_introduce(&m, &i, datagram));
}

/* The settings have room for so many nodes, the leader leads on, and those who
 * were made up are forgotten. */
TEST(ten_thousand_made_up_ids_are_bounded)
{
	struct gathering *g = gathering_new(4, 6);
	uint64_t term;
	size_t most = 0;

	for (unsigned i = 0; i < 3; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	term = node_status(g->guests[2].node, g->now).term;
	for (unsigned i = 0; i < often(10000); i++) {
		make_up(g, 2, 1000 + i);
		if (i % 20 == 0)
			gathering_run(g, 40 * MSEC);
		if (g->guests[2].list.nodes_count > most)
			most = g->guests[2].list.nodes_count;
	}
	print_message("%zu nodes at most\n", most);
	assert_true(most > 500 && most <= NODES_MAX);
	for (unsigned i = 0; i < 3; i++) {
		struct node_status status =
		    node_status(g->guests[i].node, g->now);

		assert_int_equal(status.leader, 3);
		assert_int_equal(status.term, term);
	}
	gathering_run(g, 2 * GATHERING_FORGET);
	assert_int_equal(g->guests[0].list.nodes_count, 3);
	assert_settles(g, SEC);
	gathering_free(g);
}

/* A host comes or goes, or is cut off. It may come as another node, or with what
 * it knew. */
static void
come_or_go(struct gathering *g, struct random *r)
{
	unsigned who = (unsigned)random_below(r, g->count);
	struct guest *h = &g->guests[who];

	if (random_below(r, 4) == 0) {
		h->side = 1 - h->side;
	} else if (h->is_running) {
		gathering_kill(g, who);
	} else {
		bool remembers = random_below(r, 2) == 0;

		if (!remembers && random_below(r, 2) == 0)
			h->id += GUESTS_MAX;
		gathering_start(g, who, remembers);
	}
}

/* Nodes come and go at random, lose datagrams, forget what they knew, are cut
 * off; when that ends they are one cluster within `limit`. SEEDS: so many tries,
 * instead. */
static void
come_and_go(unsigned tries, unsigned degree, nsec_t limit)
{
	const char *text = getenv("SEEDS");
	unsigned seeds = text != NULL ? (unsigned)atoi(text) : often(tries);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct gathering *g = gathering_new(4 + seed % 13, seed);
		struct random r;

		if (degree > 0) {
			g->degree = degree;
			g->algorithm = graph_algorithms[seed % 3];
		}
		random_init(&r, seed);
		for (unsigned i = 0; i < 60; i++) {
			g->loss = (unsigned)random_below(&r, 3) * 100;
			come_or_go(g, &r);
			gathering_run(g, random_below(&r, 2 * SEC));
		}
		g->loss = 0;
		for (unsigned i = 0; i < g->count; i++) {
			g->guests[i].side = 0;
			if (!g->guests[i].is_running)
				gathering_start(g, i, i % 2 == 0);
		}
		assert_settles(g, limit);
		gathering_free(g);
	}
}

TEST(cluster_survives_comings_and_goings)
{
	come_and_go(40, 0, 2 * GATHERS);
}

/* Nodes that are gone may part the others, until they are forgotten. */
TEST(graph_survives_comings_and_goings)
{
	come_and_go(40, 4, 3 * GATHERING_FORGET);
}

/* Nodes with fewer links than nodes are one cluster, too, and go on when the one
 * dies whose address they know. */
TEST(nodes_of_a_graph_join_and_outlive_the_first)
{
	for (unsigned seed = 1; seed <= often(9); seed++) {
		struct gathering *g = gathering_new(18, seed);

		g->degree = 4;
		g->algorithm = graph_algorithms[seed % 3];
		for (unsigned i = 0; i < 17; i++) {
			g->guests[i].knows_addresses = true;
			gathering_start(g, i, false);
		}
		assert_settles(g, GATHERS);
		gathering_kill(g, 0);
		gathering_start(g, 17, false);
		assert_settles(g, GATHERS);
		assert_int_equal(g->guests[5].list.nodes_count, 18);
		gathering_run(g, GATHERING_FORGET + SEC);
		assert_settles(g, SEC);
		assert_int_equal(g->guests[5].list.nodes_count, 17);
		gathering_free(g);
	}
}

/* The leader introduces itself to the others once a second, which disturbs
 * nobody. */
TEST(ring_keeps_its_leader)
{
	for (unsigned seed = 1; seed <= often(10); seed++) {
		struct gathering *g = gathering_new(17, seed);
		uint64_t term;

		g->algorithm = &algorithm_chang_roberts;
		g->guests[0].id = 8; /* far from the best */
		g->guests[7].id = 1;
		for (unsigned i = 0; i < 16; i++) {
			g->guests[i].knows_addresses = seed % 2 == 0;
			gathering_start(g, i, false);
		}
		assert_settles(g, GATHERS);
		gathering_run(g, 2 * SEC);
		term = node_status(g->guests[0].node, g->now).term;
		gathering_run(g, 10 * SEC);
		assert_settles(g, 10 * MSEC);
		assert_int_equal(
		    node_status(g->guests[0].node, g->now).term, term);
		gathering_kill(g, 0);
		gathering_start(g, 16, false);
		assert_settles(g, GATHERS);
		gathering_free(g);
	}
}

/* Two links a node, and five of sixteen gone: what is left is in parts. Their
 * leaders introduce themselves, and one of them leads on. */
TEST(parts_of_a_graph_follow_one_leader)
{
	for (unsigned seed = 1; seed <= often(12); seed++) {
		struct gathering *g = gathering_new(16, seed);
		uint64_t term;

		g->degree = 2;
		g->algorithm = graph_algorithms[seed % 3];
		for (unsigned i = 0; i < 16; i++) {
			g->guests[i].knows_addresses = seed % 2 == 0;
			gathering_start(g, i, false);
		}
		assert_settles(g, GATHERS);
		for (unsigned i = 0; i < 5; i++)
			gathering_kill(g, 1 + (seed * 3 + i * 4) % 15);
		gathering_run(g, 2 * SEC);
		assert_settles(g, 2 * SEC);
		term = node_status(g->guests[0].node, g->now).term;
		gathering_run(g, 10 * SEC);
		assert_settles(g, 10 * MSEC);
		assert_int_equal(
		    node_status(g->guests[0].node, g->now).term, term);
		gathering_free(g);
	}
}

/* The only peer that the leader hears takes part in no election of its part. */
TEST(leader_of_a_part_hands_over_to_nobody)
{
	struct gathering *g = gathering_new(4, 9);
	const struct guest *leader = &g->guests[3];

	g->degree = 2;
	g->algorithm = &algorithm_floodmax;
	for (unsigned i = 0; i < 4; i++)
		gathering_start(g, i, false);
	assert_settles(g, GATHERS);
	for (unsigned i = 0; i < 3; i++) {
		if (!leader->peers[i].is_remote)
			gathering_kill(g, i);
	}
	gathering_run(g, 2 * SEC);
	assert_settles(g, SEC);
	assert_int_equal(node_status(leader->node, g->now).reachable, 2);
	assert_int_equal(
	    node_resign(leader->node, g->now, NODE_NONE), RESIGN_NOBODY);
	gathering_free(g);
}
