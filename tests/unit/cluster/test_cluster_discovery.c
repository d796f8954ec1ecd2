/* SPDX-License-Identifier: ISC */
/*
 * Clusters that build themselves (PROTOCOL.md, Discovery): whoever starts
 * becomes known, and is forgotten when it was gone for long; also while
 * datagrams are lost, and while an attacker says again what it heard.
 * Takes 3 s.
 */
#include "tests/lib/member.h"
#include "tests/lib/often.h"
#include "tests/lib/strangers.h"
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/wire/seal.h"

#define FORGET  STRANGERS_FORGET
#define JOINS   (500 * MSEC) /* a node that starts beside a leader */
#define GATHERS (5 * SEC)    /* many that start at once; see the figures */

static const struct algorithm *const graph_algorithms[] = {
	&algorithm_extinction,
	&algorithm_floodmax,
	&algorithm_tree,
};

static struct world *
plain(unsigned nodes, uint64_t seed)
{
	return strangers(
	    (struct world_setup){ .nodes = nodes, .seed = seed }, 0, 0);
}

/* Hosts of a ring, a tree or a graph. */
static struct world *
linked(unsigned nodes, uint64_t seed, const struct algorithm *algorithm,
    unsigned degree)
{
	return strangers((struct world_setup){ .nodes = nodes,
			     .seed = seed,
			     .algorithm = algorithm,
			     .topology = algorithm->topology },
	    0, degree);
}

/* Gives what the node of a process knows; of its peer with this id. */
static uint64_t
term_of(struct world *w, process_name name)
{
	return world_status(w, name).term;
}

static struct peer_status
peer_of(const struct world *w, process_name name, node_id id)
{
	const struct process *p = &w->processes[name];

	return node_peer_status(p->node, world_peer_of(p, id));
}

WORLD(each_node_that_starts_joins)
{
	struct world *w = plain(10, 1);

	for (unsigned i = 0; i < 10; i++) {
		strangers_start(w, 1 + (i * 7) % 10);
		assert_gather(w, i == 0 ? 2 * SEC : JOINS);
	}
	assert_knows(w, 1, 10);
}

WORLD(nodes_that_know_one_address_join_by_it)
{
	struct world *w = plain(16, 2);

	w->discovery.joiners = ~0u;
	strangers_start_to(w, 8);
	assert_gather(w, GATHERS);
	strangers_start_to(w, 16);
	assert_gather(w, GATHERS);
	/* Nodes that have joined need the address of node 1 no more. */
	world_crash(w, 1);
	assert_gather(w, 2 * SEC);
	assert_knows(w, 2, 16);
}

/* Some datagrams are lost. */
TEST(nodes_that_start_at_once_become_one_cluster)
{
	for (unsigned seed = 1; seed <= often(40); seed++) {
		unsigned n = 2 + seed % (WORLD_NODES_MAX - 1);
		struct world *w = plain(n, seed);

		strangers_lose(w, seed % 4 == 0 ? 100 : 0);
		strangers_start_to(w, n);
		assert_gather(w, GATHERS);
		world_end(w);
	}
}

WORLD(node_that_is_gone_for_long_is_forgotten_and_may_return)
{
	struct world *w = plain(4, 3);

	strangers_start_to(w, 4);
	assert_gather(w, GATHERS);
	world_crash(w, 4);
	world_run(w, FORGET - SEC);
	assert_knows(w, 1, 4);
	world_run(w, 3 * SEC);
	assert_knows(w, 1, 3);
	world_start(w, 4);
	assert_gather(w, GATHERS);
	assert_knows(w, 1, 4);
}

/* A host that starts long before the others waits for them. */
WORLD(node_that_starts_first_remembers_the_others)
{
	struct world *w = plain(4, 7);

	strangers_start_to(w, 4);
	assert_gather(w, GATHERS);
	for (process_name name = 1; name <= 4; name++)
		world_crash(w, name);
	world_start(w, 1);
	world_run(w, FORGET - 2 * SEC);
	assert_knows(w, 1, 4);
	world_start_all(w);
	assert_gather(w, SEC);
}

/* A host that has another address tells all others. */
WORLD(node_that_has_moved_is_found_where_it_is)
{
	struct world *w = plain(4, 10);

	strangers_start_to(w, 4);
	assert_gather(w, GATHERS);
	world_crash(w, 2);
	world_move(w, 2);
	world_start(w, 2);
	assert_gather(w, GATHERS);
	world_run(w, 3 * SEC);
	assert_int_equal(
	    address_named(w, 3, 2).address, w->network.addresses[2]);
	assert_gather(w, SEC);
}

/* Nobody of the first two may lead. */
WORLD(observers_take_in_the_node_that_will_lead)
{
	struct world *w = plain(4, 8);

	for (process_name name = 1; name <= 2; name++)
		w->processes[name].told->role = ROLE_OBSERVER;
	strangers_start_to(w, 2);
	world_run(w, 5 * SEC);
	assert_knows(w, 1, 2);
	strangers_start_to(w, 4);
	assert_gather(w, GATHERS);
	assert_knows(w, 1, 4);
}

/* Each side takes others in; when they meet again, the later configuration
 * wins, and whom it does not name announces itself. */
TEST(two_halves_that_grew_apart_become_one_again)
{
	for (unsigned seed = 1; seed <= often(20); seed++) {
		struct world *w = plain(12, seed);
		unsigned odd = 0xaaa;

		strangers_start_to(w, 6);
		assert_gather(w, GATHERS);
		world_split(w, odd);
		strangers_start_to(w, 12);
		assert_true(world_gather(w, odd, GATHERS) != NSEC_NEVER);
		assert_true(world_gather(w, ~odd, GATHERS) != NSEC_NEVER);
		world_heal(w);
		assert_gather(w, GATHERS);
		assert_knows(w, 1, 12);
		world_end(w);
	}
}

/* Both processes hear that they have one id; the first stays in the cluster. */
WORLD(two_processes_of_one_id_are_told)
{
	struct world *w = plain(4, 4);

	strangers_start_to(w, 3);
	assert_gather(w, GATHERS);
	world_rename(w, 4, 2);
	world_start(w, 4);
	world_run(w, SEC);
	assert_true(world_status(w, 4).duplicate);
	assert_true(world_status(w, 2).duplicate);
	assert_true(peer_of(w, 3, 2).duplicate);
	assert_knows(w, 1, 3);
	world_crash(w, 4);
	world_run(w, 4 * SEC);
	assert_gather(w, SEC);
}

/* Datagrams that came to all, taken or dropped. */
static uint64_t
came(struct world *w)
{
	uint64_t sum = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct node_counters *c;

		if (!world_runs(w, name))
			continue;
		c = world_counters(w, name);
		sum += c->received;
		for (enum drop d = DROP_NONE + 1; d < DROP_KINDS; d++)
			sum += c->dropped[d];
	}
	return sum;
}

/* Brings hosts 2 to 6 the announcements that were recorded, and each copy
 * damaged. All of it is counted. */
static void
feed_copies(struct world *w)
{
	uint64_t before = came(w), fed = 0;

	for (unsigned c = 0; c < w->network.tape_count; c++) {
		struct recording copy = w->network.tape[c];
		process_name to = 2 + (process_name)fed / 2 % 5;

		if (copy.bytes[1] != PACKET_ANNOUNCE)
			continue;
		world_inject(w, c % 2 == 0 ? NODE_NONE : 1 + c % 6, to,
		    copy.bytes, copy.size);
		copy.bytes[copy.size - 1 - c % copy.size] ^= 1;
		world_inject(w, NODE_NONE, to, copy.bytes, copy.size);
		fed += 2;
	}
	world_run(w, 0);
	assert_true(fed > 50);
	assert_int_equal(came(w) - before, fed);
}

static unsigned
met(const struct world *w)
{
	unsigned sum = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		sum += w->processes[name].told->met;
	return sum;
}

/* Whatever was said before, from anywhere, makes nobody known and disturbs
 * nobody; nor do bytes that no key has sealed. */
WORLD(copies_of_announcements_change_nothing)
{
	struct world *w = plain(6, 5);
	struct config_id before;
	unsigned known;

	world_record(w);
	strangers_start_to(w, 6);
	assert_gather(w, GATHERS);
	world_crash(w, 1);
	world_run(w, FORGET + 3 * SEC);
	assert_knows(w, 2, 5);
	before = *node_config_id(w->processes[2].node);
	known = met(w);
	for (unsigned round = 0; round < 20; round++) {
		feed_copies(w);
		world_run(w, 500 * MSEC);
	}
	assert_gather(w, SEC);
	assert_int_equal(met(w), known);
	assert_true(
	    config_id_equal(&before, node_config_id(w->processes[2].node)));
}

/* Somebody with the key makes up a node, which has an address of its own. */
static void
make_up(struct world *w, process_name target, node_id id)
{
	struct announce i = { .asks = true, .name = "made-up" };
	uint8_t datagram[PACKET_MAX], key[KEY_BYTES];
	struct member m;
	const struct recording *r;

	memset(key, WORLD_KEY, sizeof(key));
	member_init(&m, id, w->processes[target].id, key);
	m.cluster_tag = seal_cluster_tag("world");
	m.incarnation = 1;
	w->network.addresses[4] = ++w->network.addresses_used;
	world_record(w);
	world_inject(w, 4, target, datagram, member_announce(&m, &i, datagram));
	world_run(w, 0);
	assert_true(w->network.tape_count > 0);
	r = &w->network.tape[w->network.tape_count - 1];
	member_hear(&m, r->bytes, r->size);
	memcpy(i.echo, m.their_challenge, SALT_BYTES);
	i.asks = false;
	world_inject(w, 4, target, datagram, member_announce(&m, &i, datagram));
	world_run(w, 0);
}

/* The settings have room for so many nodes, the leader leads on, and those who
 * were made up are forgotten. */
WORLD(made_up_ids_are_bounded)
{
	struct world *w = plain(4, 6);
	unsigned most = 0;
	uint64_t term;

	strangers_start_to(w, 3);
	assert_gather(w, GATHERS);
	term = term_of(w, 3);
	for (unsigned i = 0; i < often(5000); i++) {
		make_up(w, 3, 1000 + i);
		if (i % 20 == 0)
			world_run(w, 40 * MSEC);
		if (world_peers_count(&w->processes[3]) > most)
			most = world_peers_count(&w->processes[3]);
	}
	print_message("%u nodes at most\n", most);
	assert_true(most > 500 && most < NODES_MAX);
	for (process_name name = 1; name <= 3; name++) {
		assert_int_equal(world_status(w, name).leader, 3);
		assert_int_equal(term_of(w, name), term);
	}
	world_run(w, 2 * FORGET);
	assert_knows(w, 1, 3);
	assert_gather(w, SEC);
}

/* Nodes come and go at random, lose datagrams, forget what they knew, are
 * cut off; when that ends they are one cluster within `limit`. SEEDS: so
 * many tries, instead. */
static void
come_and_go(unsigned tries, unsigned degree, nsec_t limit)
{
	const char *text = getenv("SEEDS");
	unsigned seeds = text != NULL ? (unsigned)atoi(text) : often(tries);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct world *w = degree == 0
				      ? plain(4 + seed % 13, seed)
				      : linked(4 + seed % 13, seed,
					    graph_algorithms[seed % 3], degree);
		struct random r;

		random_init(&r, seed);
		for (unsigned i = 0; i < 60; i++) {
			strangers_lose(w, (unsigned)random_below(&r, 3) * 100);
			strangers_come_or_go(w, &r, 0);
			world_run(w, random_below(&r, 2 * SEC));
		}
		strangers_mend(w, 0x555555);
		assert_gather(w, limit);
		world_end(w);
	}
}

TEST(cluster_survives_comings_and_goings)
{
	come_and_go(40, 0, 2 * GATHERS);
}

/* Nodes that are gone may part the others, until they are forgotten. */
TEST(graph_survives_comings_and_goings)
{
	come_and_go(40, 4, 3 * FORGET);
}

/* Nodes with fewer links than nodes are one cluster, too, and go on when the
 * one dies whose address they know. */
TEST(nodes_of_a_graph_join_and_outlive_the_first)
{
	for (unsigned seed = 1; seed <= often(9); seed++) {
		struct world *w =
		    linked(18, seed, graph_algorithms[seed % 3], 4);

		w->discovery.joiners = ~(1u << 18);
		strangers_start_to(w, 17);
		assert_gather(w, GATHERS);
		world_crash(w, 1);
		strangers_start(w, 18);
		assert_gather(w, GATHERS);
		assert_knows(w, 6, 18);
		world_run(w, FORGET + SEC);
		assert_gather(w, SEC);
		assert_knows(w, 6, 17);
		world_end(w);
	}
}

/* The leader announces itself to the others once a second, which disturbs
 * nobody. */
TEST(ring_keeps_its_leader)
{
	for (unsigned seed = 1; seed <= often(10); seed++) {
		struct world *w = linked(17, seed, &algorithm_chang_roberts, 0);
		uint64_t term;

		w->processes[1].id = 8; /* far from the best */
		w->processes[8].id = 1;
		w->discovery.joiners = seed % 2 == 0 ? ~(1u << 17) : 0;
		strangers_start_to(w, 16);
		assert_gather(w, GATHERS);
		world_run(w, 2 * SEC);
		term = term_of(w, 1);
		world_run(w, 10 * SEC);
		assert_gather(w, 10 * MSEC);
		assert_int_equal(term_of(w, 1), term);
		world_crash(w, 1);
		strangers_start(w, 17);
		assert_gather(w, GATHERS);
		world_end(w);
	}
}

/* Two links a node, and five of sixteen gone: what is left is in parts. Their
 * leaders announce themselves, and one of them leads on. */
TEST(parts_of_a_graph_follow_one_leader)
{
	for (unsigned seed = 1; seed <= often(12); seed++) {
		struct world *w =
		    linked(16, seed, graph_algorithms[seed % 3], 2);
		uint64_t term;

		w->discovery.joiners = seed % 2 == 0 ? ~0u : 0;
		strangers_start_to(w, 16);
		assert_gather(w, GATHERS);
		for (unsigned i = 0; i < 5; i++)
			world_crash(w, 2 + (seed * 3 + i * 4) % 15);
		world_run(w, 2 * SEC);
		assert_gather(w, 2 * SEC);
		term = term_of(w, 1);
		world_run(w, 10 * SEC);
		assert_gather(w, 10 * MSEC);
		assert_int_equal(term_of(w, 1), term);
		world_end(w);
	}
}

/* The only peer that the leader hears takes part in no election of its part. */
WORLD(leader_of_a_part_hands_over_to_nobody)
{
	struct world *w = linked(4, 9, &algorithm_floodmax, 2);

	strangers_start_to(w, 4);
	assert_gather(w, GATHERS);
	for (process_name name = 1; name < 4; name++) {
		if (config_has_link(
			&w->processes[4].configs.file.document->config, 4,
			name))
			world_crash(w, name);
	}
	world_run(w, 2 * SEC);
	assert_gather(w, SEC);
	assert_int_equal(world_status(w, 4).reachable, 2);
	assert_int_equal(world_resign(w, 4, NODE_NONE), RESIGN_NOBODY);
}
