/* SPDX-License-Identifier: ISC */
/*
 * Executions that wrong steps of the proof once allowed (PROTOCOL.md, Proof): a
 * voter that is admitted by a configuration of an earlier term, and a lead that
 * is won again before a deadline of the one before.
 */
#include "tests/model/world/assert/world_assert.h"

#include "algorithms/registry.h"
#include "common/node/peer/peers.h"
#include "tests/unit/group.h"

#define ID(id)     (1u << (id))
#define LONG_LEASE (20 * SEC)
#define LEASE      (2 * SEC)

/* The operator changes what this node has, and it proposes that. */
static void
reload(struct world *w, process_name name, unsigned members, nsec_t lease)
{
	struct world_file file = w->processes[name].configs.file;

	file.members = members;
	file.lease = lease;
	world_edit(w, &file);
	world_reload(w, name);
}

static void
expect_soon(struct world *w, bool (*done)(struct world *w), const char *what)
{
	if (!world_run_until(w, done, 30 * SEC))
		world_fails_case(w, what);
}

/* ## A voter that is admitted Seven voters on a graph, of which 4 makes a
 * majority with three others. Configuration B has a long lease, C a short
 * one, and N, which only 7 and 1 get, a long one again. */

#define ALL 0xfeu

static const struct lease *
lease_of(struct world *w, process_name name)
{
	return &w->processes[name].node->vote.nominee.lease;
}

/* Node 4 has the request for a pre-vote of node 7. */
static bool
asks_4(struct world *w)
{
	const struct peer *p = peers_find(w->processes[4].node, 7);

	return p->has_session && lease_of(w, 7)->term > 0 &&
	       p->nominee.request.term == lease_of(w, 7)->term;
}

static bool
asks_for_votes(struct world *w)
{
	const struct lease *l = lease_of(w, 7);

	return l->term > 0 && !l->is_prevote && l->held == 0;
}

/* Nodes 7, 6 and 1 have granted node 7 its term. */
static bool
three_grant_7(struct world *w)
{
	const struct voter *v = &w->processes[1].node->vote.voting.voter;
	const struct lease *l = lease_of(w, 7);
	unsigned count = 0;

	for (unsigned i = 0; i < l->grants_count; i++)
		count += l->grants[i].sent != 0;
	return v->holder.id == 7 && v->holder_term == l->term && count >= 3;
}

static bool
has_short_lease_4(struct world *w)
{
	return w->processes[4].configs.file.lease == LEASE;
}

static bool
leads_5(struct world *w)
{
	return world_status(w, 5).state == STATE_LEADER;
}

static void
mend(struct world *w, node_id a, node_id b)
{
	world_mend(w, a, b);
	world_mend(w, b, a);
}

/* Configuration C is settled without nodes 4 and 6; only 7 and 1 get N. */
static void
make_configs(struct world *w)
{
	world_start_all(w);
	world_run(w, 100 * SEC);
	world_split(w, ID(4) | ID(6));
	world_run(w, 25 * SEC);
	reload(w, 7, ALL, LEASE);
	world_run(w, 25 * SEC);
	reload(w, 7, ALL, LEASE);
	world_run(w, 5 * SEC);
	w->processes[2].disk.is_full = w->processes[3].disk.is_full = true;
	w->processes[4].configs.refuses_later =
	    w->processes[6].configs.refuses_later = true;
	reload(w, 7, ALL, LONG_LEASE);
	world_cut(w, 5, 7);
	world_cut(w, 5, 1);
	world_run(w, 300 * MSEC);
	assert_true(w->processes[1].configs.file.lease == LONG_LEASE);
	assert_true(w->processes[5].configs.file.lease == LEASE);
}

/* Node 7 asks for a term far ahead, and is granted it by 6 and 1, and not
 * yet by 4. Then node 1 loses its disk, and starts by the first
 * configuration. */
static void
forget_a_grant(struct world *w, const struct world_file *first)
{
	world_elect(w, 7);
	world_run(w, 3 * SEC);
	for (unsigned i = 0; i < 20; i++) {
		world_elect(w, 7);
		world_run(w, 20 * MSEC);
	}
	mend(w, 7, 4);
	mend(w, 7, 6);
	mend(w, 1, 6);
	mend(w, 1, 4);
	mend(w, 4, 6);
	expect_soon(w, asks_4, "4 is not asked for a pre-vote");
	world_cut_way(w, 7, 4);
	expect_soon(w, asks_for_votes, "7 has no pre-votes");
	world_cut(w, 7, 4);
	world_cut(w, 1, 4);
	expect_soon(w, three_grant_7, "7 has no three grants");
	world_crash(w, 1);
	world_forget(w, 1);
	w->processes[1].configs.kept = w->processes[1].configs.host_file =
	    *first;
}

/* Node 5 leads with configuration C by nodes 5, 2, 3 and 4, and hears node
 * 1. Then node 4 hears only 7 and 6. */
static void
lead_without_them(struct world *w)
{
	world_cut(w, 1, 7);
	world_cut(w, 1, 6);
	world_cut(w, 4, 6);
	mend(w, 1, 5);
	w->processes[4].configs.refuses_later = false;
	mend(w, 4, 2);
	mend(w, 4, 3);
	mend(w, 4, 5);
	world_start(w, 1);
	expect_soon(w, has_short_lease_4, "4 does not get C");
	expect_soon(w, leads_5, "5 does not lead");
	world_run(w, LEASE);
	for (node_id id = 1; id <= 5; id++) {
		if (id != 4)
			world_cut(w, 4, id);
	}
	mend(w, 4, 7);
	mend(w, 4, 6);
	world_run(w, 8 * SEC);
}

/* The grant that node 1 has forgotten must not make a leader of 7 beside 5,
 * which leads by the next one of node 1. */
WORLD(voter_is_admitted_by_a_configuration_of_the_leaders_term_alone)
{
	static const struct world_link links[] = { { 7, 6 }, { 7, 2 }, { 7, 3 },
		{ 2, 3 }, { 2, 5 }, { 3, 5 }, { 2, 4 }, { 3, 4 }, { 1, 2 },
		{ 1, 3 }, { 5, 4 } };
	struct world *w =
	    world_with((struct world_setup){ .topology = TOPOLOGY_GRAPH,
		.algorithm = &algorithm_extinction,
		.links = links,
		.links_count = sizeof(links) / sizeof(links[0]),
		.nodes = 7,
		.seed = 1,
		.guarantee = GUARANTEE_QUORUM,
		.lease = LONG_LEASE });
	struct world_file first;

	world_exchange(w);
	first = w->processes[1].configs.kept;
	make_configs(w);
	forget_a_grant(w, &first);
	lead_without_them(w);
	w->processes[2].disk.is_full = w->processes[3].disk.is_full = false;
	w->processes[6].configs.refuses_later = false;
	world_heal(w);
	world_settle(w);
	assert_true(world_status(w, 1).has_vote);
}

/* ## A lead that is won again */

static bool
leads_4(struct world *w)
{
	return world_status(w, 4).state == STATE_LEADER;
}

static bool
is_in_effect(struct world *w)
{
	for (process_name name = 2; name <= 4; name++) {
		const struct process *p = &w->processes[name];

		if (world_runs(w, name) &&
		    w->files.newest.members >> name & 1 &&
		    p->configs.file.config_version !=
			w->files.newest.config_version)
			return false;
	}
	return true;
}

/* Node 2 was away. A client of node 4 has a deadline by the grants of 4 and 1,
 * the lease is made shorter, and node 4 loses the lead. */
static nsec_t
lose_lead(struct world *w)
{
	nsec_t local, until;

	world_start(w, 1);
	world_start(w, 2);
	world_start(w, 4);
	world_run(w, 100 * SEC);
	world_split(w, ID(2));
	world_run(w, 25 * SEC);
	local = clock_local(&w->processes[4].clock, w->now);
	until = nsec_after(w->now, deadlines_hand_out(w, 4, local) - local);
	reload(w, 4, ID(1) | ID(2) | ID(4), LEASE);
	world_run(w, 300 * MSEC);
	world_pull(w, 4);
	world_crash(w, 1);
	world_run(w, 200 * MSEC);
	world_heal(w);
	world_plug_in(w, 4);
	return until;
}

/* Two steps later a majority needs neither 4 nor 1, whose grants the client's
 * deadline rests on. */
WORLD(lead_that_is_won_again_takes_no_step_before_an_old_deadline)
{
	struct world *w = world_with((struct world_setup){ .nodes = 4,
	    .seed = 1,
	    .guarantee = GUARANTEE_QUORUM,
	    .lease = LONG_LEASE });
	nsec_t until;

	w->files.newest.members = ID(1) | ID(2) | ID(4);
	world_exchange(w);
	until = lose_lead(w);
	expect_soon(w, leads_4, "4 does not lead again");
	assert_true(w->now < until);
	reload(w, 4, ID(2) | ID(4), LEASE);
	expect_soon(w, is_in_effect, "1 is not removed");
	reload(w, 4, ID(2) | ID(3) | ID(4), LEASE);
	world_adopt(w, 3);
	world_start(w, 3);
	expect_soon(w, is_in_effect, "3 is not added");
	world_split(w, ID(4));
	world_run(w, 3 * LEASE);
	assert_int_equal(world_status(w, 3).state, STATE_LEADER);
	assert_true(w->now > until);
}
