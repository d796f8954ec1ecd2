/* SPDX-License-Identifier: ISC */
/*
 * Whole clusters with a multicast group (PROTOCOL.md, Group datagrams): one
 * datagram for all followers, one for a message to many, and what happens where
 * the group does not get through.
 */
#include "algorithms/registry.h"
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

#define BEAT           (100 * MSEC)
#define UNICAST_ROUNDS 20 /* beats between unicasts of the leader */
#define BLOCKED        (4 * UNICAST_ROUNDS * BEAT) /* is noticed */
#define MEASURED       300                         /* intervals */
#define KNOWN          (30 * SEC) /* after which each knows who hears it */
#define DELAY_MAX      (1 * MSEC) /* of a datagram */
#define PERCENT        3          /* intervals differ, and begin anywhere */

static struct world *
settled(
    unsigned nodes, const struct algorithm *algorithm, enum guarantee guarantee)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = nodes,
	    .algorithm = algorithm,
	    .guarantee = guarantee,
	    .has_group = true,
	});

	world_exchange(w);
	world_begin(w);
	world_run(w, KNOWN);
	return w;
}

static uint64_t
sent_by(struct world *w, process_name name)
{
	return world_counters(w, name)->sent;
}

/* Peers of the leader that it reaches by the group. */
static unsigned
reached(struct world *w)
{
	return world_status(w, w->setup.nodes).group.reached;
}

static unsigned
noticed(const struct world *w, enum notice_kind kind)
{
	unsigned count = 0;

	for (process_name name = 1; name <= w->setup.nodes; name++)
		count += w->processes[name].observed.notices[kind];
	return count;
}

static struct peer_status
leader_at(const struct world *w, process_name name)
{
	return node_peer_status(w->processes[name].node, w->setup.nodes - 2);
}

static void
assert_sends(uint64_t sent, uint64_t expected)
{
	assert_in_range(sent, expected - expected * PERCENT / 100,
	    expected + expected * PERCENT / 100);
}

/* The leader sends one datagram a beat, however many nodes there are, and each
 * follower one of its own in twenty. A follower answers each third; a voter
 * each, as that renews the lease. */
TEST(leader_beats_by_one_datagram)
{
	static const unsigned sizes[] = { 2, 5, 20 };

	for (unsigned i = 0; i < 6; i++) {
		bool is_quorum = i % 2 == 1;
		unsigned nodes = sizes[i / 2];
		struct world *w = settled(nodes, &algorithm_bully,
		    is_quorum ? GUARANTEE_QUORUM : GUARANTEE_COMPONENT);
		uint64_t leader = sent_by(w, nodes), follower = sent_by(w, 1);

		assert_int_equal(reached(w), nodes - 1);
		world_run(w, MEASURED * BEAT);
		assert_sends(sent_by(w, nodes) - leader,
		    MEASURED + (nodes - 1) * MEASURED / UNICAST_ROUNDS);
		assert_sends(sent_by(w, 1) - follower,
		    is_quorum ? MEASURED : MEASURED / 3);
		world_end(w);
	}
}

/* Multicast may fail at any time, for all or for a part. */
TEST(group_that_fails_costs_no_leader_and_no_link)
{
	for (unsigned i = 0; i < 8; i++) {
		struct world *w = settled(5, &algorithm_bully,
		    i % 2 == 0 ? GUARANTEE_COMPONENT : GUARANTEE_QUORUM);
		unsigned downs = noticed(w, NOTICE_PEER_DOWN);
		unsigned lost = noticed(w, NOTICE_NO_LEADER);
		uint64_t sent;

		w->network.group_loss = 1000;
		world_run(w, 10 * SEC);
		assert_int_equal(reached(w), 0);
		sent = sent_by(w, 5);
		world_run(w, MEASURED * BEAT);
		assert_in_range(sent_by(w, 5) - sent, 4 * MEASURED * 97 / 100,
		    5 * MEASURED * 103 / 100);
		w->network.group_loss = 100 * (i / 2);
		world_run(w, 30 * SEC);
		assert_int_equal(noticed(w, NOTICE_PEER_DOWN), downs);
		assert_int_equal(noticed(w, NOTICE_NO_LEADER), lost);
		if (w->network.group_loss == 0)
			assert_int_equal(reached(w), 4);
		world_end(w);
	}
}

/* Both voters have to grant the shortest lease that there is. The leader ceases
 * to use the group after two vote requests in vain, and the voter answers the
 * next at once. */
TEST(group_that_fails_costs_no_lease)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 2,
	    .algorithm = &algorithm_bully,
	    .guarantee = GUARANTEE_QUORUM,
	    .misses = 1,
	    .lease = 6 * BEAT,
	    .has_group = true,
	});
	unsigned lost;

	world_exchange(w);
	world_begin(w);
	world_run(w, KNOWN);
	lost = noticed(w, NOTICE_NO_LEADER);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(reached(w), 1);
		w->network.group_loss = 1000;
		world_run(w, 10 * BEAT);
		assert_int_equal(reached(w), 0);
		w->network.group_loss = 0;
		world_run(w, KNOWN);
	}
	assert_int_equal(noticed(w, NOTICE_NO_LEADER), lost);
	world_end(w);
}

/* As where a firewall has the port of the group, and not that of the nodes. */
TEST(follower_that_unicast_does_not_reach_says_so)
{
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = settled(5, &algorithm_bully,
		    i == 0 ? GUARANTEE_COMPONENT : GUARANTEE_QUORUM);
		unsigned downs = noticed(w, NOTICE_PEER_DOWN);

		for (node_id from = 2; from <= 5; from++)
			w->network.wires[from][1].is_for_groups = true;
		world_run(w, BLOCKED - UNICAST_ROUNDS * BEAT - BEAT);
		assert_false(leader_at(w, 1).no_unicast);
		world_run(w, UNICAST_ROUNDS * BEAT + 2 * BEAT);
		assert_true(leader_at(w, 1).no_unicast);
		assert_false(leader_at(w, 2).no_unicast);
		assert_int_equal(noticed(w, NOTICE_PEER_DOWN), downs);
		for (node_id from = 2; from <= 5; from++)
			w->network.wires[from][1].is_for_groups = false;
		world_run(w, UNICAST_ROUNDS * BEAT + BEAT);
		assert_false(leader_at(w, 1).no_unicast);
		world_end(w);
	}
}

/* As a follower it sent them nothing. */
WORLD(next_leader_is_given_time_to_send_unicast)
{
	struct world *w = settled(5, &algorithm_bully, GUARANTEE_COMPONENT);

	world_crash(w, 5);
	assert_follows_within(w, 4, SEC);
	for (unsigned i = 0; i < 10 * UNICAST_ROUNDS; i++) {
		world_run(w, BEAT);
		for (process_name name = 1; name <= 3; name++) {
			struct peer_status p =
			    node_peer_status(w->processes[name].node, 2);

			assert_int_equal(p.id, 4);
			assert_false(p.no_unicast);
		}
	}
}

WORLD(next_leader_beats_by_the_group_too)
{
	struct world *w = settled(5, &algorithm_bully, GUARANTEE_COMPONENT);
	uint64_t sent;

	world_crash(w, 5);
	assert_follows_within(w, 4, SEC);
	world_run(w, KNOWN);
	assert_int_equal(world_status(w, 4).group.reached, 3);
	sent = sent_by(w, 4);
	world_run(w, MEASURED * BEAT);
	/* Node 4 says HELLO to the dead node, too. */
	assert_sends(
	    sent_by(w, 4) - sent, 2 * MEASURED + 3 * MEASURED / UNICAST_ROUNDS);
}

/* Datagrams with messages, by all nodes; and messages. */
static void
count(struct world *w, uint64_t *datagrams, uint64_t *messages)
{
	*datagrams = *messages = 0;
	for (process_name name = 1; name <= w->setup.nodes; name++) {
		const struct node_counters *c = world_counters(w, name);

		*datagrams += c->sent - c->heartbeats;
		for (unsigned kind = 0; kind < MESSAGE_KINDS_MAX; kind++)
			*messages += c->messages[kind];
	}
}

/* A candidacy is n - 1 messages: by the group one datagram, else n - 1. */
TEST(candidacy_is_one_datagram)
{
	for (unsigned starter = 1; starter <= 5; starter++) {
		for (unsigned loss = 0; loss <= 1000; loss += 1000) {
			struct world *w = settled(
			    5, &algorithm_bully_broadcast, GUARANTEE_COMPONENT);
			uint64_t datagrams, messages, sent, said;
			uint64_t candidacies = 1 + (5 - starter);

			w->network.group_loss = loss;
			world_run(w, 10 * SEC);
			/* Each knows before who hears the group. */
			count(w, &datagrams, &messages);
			world_elect(w, starter);
			world_run(w, 2 * SEC);
			assert_leader(w, 5);
			count(w, &sent, &said);
			assert_int_equal(said - messages, candidacies * 4);
			if (loss == 0)
				assert_int_equal(sent - datagrams, candidacies);
			world_end(w);
		}
	}
}

/* In virtual time, by the group and without it: 2T is the detection time
 * (algorithms/README.md, bully-broadcast). */
TEST(each_node_decides_2t_after_it_began)
{
	const nsec_t wait = 3 * BEAT;

	for (unsigned i = 0; i < 10; i++) {
		struct world *w = world_with((struct world_setup){
		    .nodes = 5,
		    .algorithm = &algorithm_bully_broadcast,
		    .has_group = i % 2 == 0,
		});

		world_exchange(w);
		world_begin(w);
		world_run(w, KNOWN);
		world_elect(w, 1 + i / 2);
		world_run(w, 2 * SEC);
		for (process_name name = 1; name <= 5; name++) {
			const struct past_election *e =
			    node_past_election(w->processes[name].node, 0);

			assert_int_equal(e->winner.id, 5);
			assert_in_range(
			    e->decided - e->began, wait, wait + DELAY_MAX);
		}
		world_end(w);
	}
}

/* What was recorded of a group before a node started is nothing to it. */
WORLD(recorded_group_datagrams_change_nothing)
{
	struct world *w = settled(5, &algorithm_bully, GUARANTEE_COMPONENT);
	uint64_t received;
	unsigned copies = 0;

	world_record(w);
	world_run(w, 5 * SEC);
	world_crash(w, 1);
	world_start(w, 1);
	world_settle(w);
	world_crash(w, 5);
	assert_follows_within(w, 4, SEC);
	world_settle(w);
	received =
	    world_counters(w, 1)->received + world_counters(w, 2)->received;
	for (size_t i = 0; i < w->network.tape_count; i++) {
		const struct recording *r = &w->network.tape[i];

		if (r->bytes[1] != PACKET_GROUP || r->to > 2)
			continue;
		world_inject(w, r->from, r->to, r->bytes, r->size);
		world_inject(w, 0, r->to, r->bytes, r->size);
		copies += 2;
	}
	assert_true(copies > 0);
	while (w->queue.count > 0 && world_queue_first(&w->queue)->at <= w->now)
		world_step(w);
	assert_int_equal(
	    world_counters(w, 1)->received + world_counters(w, 2)->received,
	    received);
	assert_leader(w, 4);
}

/* The clock of the leader is as fast as may be, and that of a follower as slow:
 * what it is given back is ahead of it. */
WORLD(clocks_that_drift_cost_no_leader)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 5,
	    .guarantee = GUARANTEE_QUORUM,
	    .has_group = true,
	});
	unsigned lost;

	world_exchange(w);
	world_set_clock(w, 5, 100);
	world_set_clock(w, 1, -90);
	world_begin(w);
	world_run(w, KNOWN);
	assert_int_equal(reached(w), 4);
	lost = noticed(w, NOTICE_NO_LEADER);
	world_run(w, KNOWN);
	assert_int_equal(noticed(w, NOTICE_NO_LEADER), lost);
}
