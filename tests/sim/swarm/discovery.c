/* SPDX-License-Identifier: ISC */
/*
 * Seeds whose hosts know nobody at first (tests/world/gathering.h): they come
 * and go, forget what they knew, come as other nodes or under the id of another,
 * are cut off, and hear again what anybody said. Checks run after every step.
 * When that ends all that run become one cluster within the bound, and forget
 * those that are gone.
 */
#include "tests/sim/swarm/swarm.h"

#include <inttypes.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/world/gathering/gathering.h"

#define HOSTS_MAX  16
#define HAPPEN_MAX 60
#define QUIET      (10 * SEC) /* a full cluster has formed by then */

/* The last node of a part is forgotten before the parts of a graph meet. */
#define QUIET_GRAPH (3 * GATHERING_FORGET)

/* Each node that is gone, and is forgotten, may be an edition of its own. */
#define FORGETS (GATHERING_FORGET + 2 * SEC)

struct host {
	bool has_left;      /* for good */
	bool is_copy;       /* under the id of another */
	uint64_t term;      /* of its present process */
	struct edition has; /* the last that was looked at */
};

struct run {
	const struct swarm_plan *plan;
	struct swarm_result *result;
	struct gathering *g;
	struct random random;
	struct host hosts[GUESTS_MAX];
	uint64_t term; /* the highest of all */
	node_id next_id;
	FILE *trace;
};

static bool
is_quorum(const struct run *r)
{
	return r->plan->setup.guarantee == GUARANTEE_QUORUM;
}

static bool
one_in(struct run *r, unsigned n)
{
	return random_below(&r->random, n) == 0;
}

static void
tell(const struct run *r, const char *what, unsigned guest)
{
	if (r->trace == NULL)
		return;
	fprintf(r->trace, "[%5" PRIu64 ".%03" PRIu64 "] %s", r->g->now / SEC,
	    r->g->now % SEC / MSEC, what);
	if (guest < r->g->count)
		fprintf(r->trace, " %u (id %u)", guest, r->g->guests[guest].id);
	fputc('\n', r->trace);
}

/* How each host sees the cluster. */
static void
tell_all(const struct run *r)
{
	for (unsigned i = 0; r->trace != NULL && i < r->g->count; i++) {
		const struct guest *h = &r->g->guests[i];
		struct node_status s;

		if (!h->is_running) {
			fprintf(
			    r->trace, "  %u (id %u) does not run\n", i, h->id);
			continue;
		}
		s = node_status(h->node, r->g->now);
		fprintf(r->trace,
		    "  %u (id %u) %s, leader %u in term %" PRIu64
		    ", reaches %u, generation %u of %zu nodes:",
		    i, h->id, node_state_name(s.state), s.leader, s.term,
		    s.reachable, h->list.generation, h->list.nodes_count);
		for (unsigned j = 0; j < h->list.nodes_count; j++)
			fprintf(r->trace, " %u", h->list.nodes[j].id);
		fputs(s.is_outside ? ", outside\n" : "\n", r->trace);
	}
}

static void
fail(struct run *r, const char *why)
{
	if (r->g->is_halted)
		return;
	r->g->is_halted = true;
	r->result->is_broken = true;
	snprintf(r->result->why, sizeof(r->result->why), "%s", why);
	tell(r, why, r->g->count);
	tell_all(r);
}

/* Under quorum one node leads at a time. */
static void
check_leader(struct run *r, unsigned guest)
{
	struct gathering *g = r->g;

	if (gathering_role(g, g->guests[guest].id) != ROLE_CANDIDATE)
		fail(r, "an observer leads");
	for (unsigned i = 0; is_quorum(r) && i < g->count; i++) {
		if (i != guest && g->guests[i].is_running &&
		    node_status(g->guests[i].node, g->now).state ==
			STATE_LEADER)
			fail(r, "two nodes lead at one time");
	}
}

/* What one leader has stamped is the same everywhere. */
static void
check_edition(struct run *r, unsigned guest)
{
	const struct edition *mine = node_edition(r->g->guests[guest].node);

	if (edition_equal(mine, &r->hosts[guest].has))
		return;
	r->hosts[guest].has = *mine;
	for (unsigned i = 0; mine->stamp != 0 && i < r->g->count; i++) {
		const struct edition *other;

		if (!r->g->guests[i].is_running)
			continue;
		other = node_edition(r->g->guests[i].node);
		if (other->stamp == mine->stamp &&
		    other->generation == mine->generation &&
		    !edition_equal(other, mine))
			fail(r, "two editions have one stamp");
	}
}

static void
check_host(struct gathering *g, unsigned guest)
{
	struct run *r = g->context;
	struct host *h = &r->hosts[guest];
	struct node_status s = node_status(g->guests[guest].node, g->now);

	if (s.leader != NODE_NONE && s.term < h->term)
		fail(r, "a term goes back");
	if (s.term > r->term) {
		r->term = s.term;
		r->result->elections++;
	}
	if (s.state == STATE_LEADER)
		check_leader(r, guest);
	if (s.state == STATE_LEADER && s.term != h->term)
		tell(r, "leader", guest);
	if (s.leader != NODE_NONE)
		h->term = s.term;
	check_edition(r, guest);
	r->result->events++;
}

static void
start(struct run *r, unsigned guest, bool remembers)
{
	r->hosts[guest].term = 0;
	tell(r, remembers ? "starts" : "starts and knows nobody:", guest);
	gathering_start(r->g, guest, remembers);
}

static bool
is_voter(const struct run *r, unsigned guest)
{
	return guest < r->g->voters;
}

/* A host that does not run gets an id that no other has. */
static void
draw_id(struct run *r, unsigned guest)
{
	r->hosts[guest].is_copy = false;
	r->g->guests[guest].id = r->next_id++;
}

/* Voters keep their state, as the operator sees to it. */
static void
come(struct run *r, unsigned guest)
{
	bool knows =
	    is_voter(r, guest) || r->hosts[guest].is_copy || one_in(r, 2);
	unsigned other = (unsigned)random_below(&r->random, r->g->count);

	r->hosts[guest].has_left = false;
	if (!knows && one_in(r, 4) && !is_voter(r, other)) {
		r->g->guests[guest].id = r->g->guests[other].id;
		r->hosts[guest].is_copy = guest != other;
	} else if (!knows && one_in(r, 2)) {
		draw_id(r, guest);
	}
	start(r, guest, knows);
}

/* Host 0 is back in the end: some know no other address. */
static void
go(struct run *r, unsigned guest)
{
	r->hosts[guest].has_left =
	    guest > 0 && !is_voter(r, guest) && one_in(r, 4);
	tell(r, r->hosts[guest].has_left ? "leaves" : "crashes", guest);
	gathering_kill(r->g, guest);
}

/* Somebody says again, at any host, what was said once; perhaps damaged; or what
 * has no sense at all. */
static void
disturb(struct run *r)
{
	struct gathering *g = r->g;
	unsigned to = (unsigned)random_below(&r->random, g->count);
	unsigned from = (unsigned)random_below(&r->random, g->count + 1);
	uint64_t have = g->captured < 256 ? g->captured : 256;
	struct captured copy = { .size = random_below(&r->random, PACKET_MAX) };

	for (size_t i = 0; i < copy.size; i++)
		copy.bytes[i] = (uint8_t)random_next(&r->random);
	if (have > 0 && !one_in(r, 4))
		copy = g->capture[random_below(&r->random, have)];
	if (copy.size > 0 && one_in(r, 2))
		copy.bytes[random_below(&r->random, copy.size)] ^=
		    (uint8_t)(1 << random_below(&r->random, 8));
	gathering_feed(g, to, from == g->count ? GATHERING_NOWHERE : from,
	    copy.bytes, copy.size);
}

static void
happen(struct run *r)
{
	struct gathering *g = r->g;
	unsigned guest = (unsigned)random_below(&r->random, g->count);

	if (one_in(r, 8))
		g->loss = (unsigned)random_below(&r->random, 4) * 100;
	if (one_in(r, 4)) {
		for (unsigned i = 0; i < 20 && !g->is_halted; i++)
			disturb(r);
	} else if (one_in(r, 4)) {
		g->guests[guest].side ^= 1;
		tell(r, "is on the other side", guest);
	} else if (g->guests[guest].is_running) {
		go(r, guest);
	} else {
		come(r, guest);
	}
}

/* What was wrong is put right: whoever has not left runs, under an id of its
 * own, and hears all others. */
static void
mend(struct run *r)
{
	struct gathering *g = r->g;

	tell(r, "all is mended", g->count);
	g->loss = one_in(r, 2) ? 10 : 0;
	for (unsigned i = 0; i < g->count; i++) {
		g->guests[i].side = 0;
		if (r->hosts[i].is_copy && g->guests[i].is_running)
			gathering_kill(g, i);
		if (r->hosts[i].is_copy)
			draw_id(r, i);
		if (!g->guests[i].is_running && !r->hosts[i].has_left)
			start(r, i, is_voter(r, i) || one_in(r, 2));
	}
}

/* So many nodes are known to one that runs. */
static size_t
known(const struct gathering *g)
{
	for (unsigned i = 0; i < g->count; i++) {
		if (g->guests[i].is_running)
			return g->guests[i].list.nodes_count;
	}
	return 0;
}

/* Waits until those who left are forgotten. In a full cluster the leader does it,
 * of all at once. In a tree or graph a node does it of its neighbours, who are
 * others each time that one was forgotten. In a ring nobody does. */
static void
forget(struct run *r)
{
	struct gathering *g = r->g;
	enum topology topology = r->plan->setup.topology;
	nsec_t limit = FORGETS;

	if (topology == TOPOLOGY_RING)
		return;
	if (topology != TOPOLOGY_FULL)
		limit *= known(g);
	limit = nsec_after(g->now, limit);
	while (!g->is_halted && !gathering_knows_the_living(g)) {
		gathering_run(g, SEC);
		if (g->now > limit)
			fail(r, "a node that left is not forgotten");
	}
	tell(r, "no other nodes are known", g->count);
}

static void
settle(struct run *r)
{
	struct gathering *g = r->g;
	nsec_t bound = g->degree > 0 ? QUIET_GRAPH : QUIET, took;

	if (is_quorum(r))
		bound += QUIET;
	took = gathering_settle(g, 0, bound);
	if (took == NSEC_NEVER)
		fail(r, "no cluster within the bound");
	r->result->slowest = (unsigned)(took / (bound / 1000));
	if (g->is_halted)
		return;
	tell(r, "one cluster", g->count);
	forget(r);
	if (gathering_settle(g, 0, bound) == NSEC_NEVER)
		fail(r, "the cluster does not last");
	r->result->verdicts[VERDICT_LEADER] += !g->is_halted;
}

/* Draws the hosts. */
static void
begin(struct run *r)
{
	const struct world_setup *setup = &r->plan->setup;
	struct gathering *g = gathering_new(setup->nodes, r->plan->seed);
	enum topology topology = setup->topology;
	unsigned by_address = (unsigned)random_below(&r->random, 3);

	r->g = g;
	r->next_id = setup->nodes + 1;
	g->context = r;
	g->concluded = check_host;
	g->algorithm = setup->algorithm;
	g->tapes = setup->tapes;
	if (topology == TOPOLOGY_TREE || topology == TOPOLOGY_GRAPH)
		g->degree = 2 * (unsigned)random_below(&r->random, 3);
	if (is_quorum(r))
		g->voters = (unsigned)random_between(
		    &r->random, 1, setup->nodes < 5 ? setup->nodes : 5);
	for (unsigned i = 0; i < g->count; i++) {
		g->guests[i].knows_addresses =
		    by_address == 1 || (by_address == 2 && one_in(r, 2));
		if (!is_quorum(r) && i > 0 && one_in(r, 8))
			g->guests[i].id = GUESTS_OBSERVE + i;
	}
}

void
swarm_plan_discovery(struct swarm_plan *p, const struct swarm_setup *wanted)
{
	bool quorum = p->setup.guarantee == GUARANTEE_QUORUM;
	struct random random;
	unsigned count = 0;

	random_init(&random, p->seed ^ UINT64_C(0x646973636f766572));
	if (wanted->budget != 0 || random_below(&random, quorum ? 8 : 4) != 0)
		return;
	while (algorithms[count] != NULL)
		count++;
	p->setup.algorithm = wanted->algorithm != NULL
				 ? wanted->algorithm
				 : algorithms[random_below(&random, count)];
	p->setup.topology = p->setup.algorithm->topology;
	p->setup.nodes = wanted->nodes != 0
			     ? wanted->nodes
			     : (unsigned)random_between(&random, 2, HOSTS_MAX);
	memset(p->has, 0, sizeof(p->has));
	p->has[CLASS_DISCOVERY] = true;
	p->faults_count = p->last_count = 0;
}

/* Ends all hosts; what each did is played. */
static void
play_tapes(struct run *r)
{
	for (unsigned i = 0; i < r->g->count; i++)
		gathering_kill(r->g, i);
	r->result->replayed = r->g->replayed;
	if (r->g->replay.end != PLAYBACK_SAME)
		fail(r, r->g->replay.why);
}

void
swarm_run_discovery(
    const struct swarm_plan *p, struct swarm_result *result, FILE *trace)
{
	struct run r = { .plan = p, .result = result, .trace = trace };
	nsec_t began;
	uint64_t events;

	random_init(&r.random, p->seed ^ UINT64_C(0x686f737473));
	begin(&r);
	began = r.g->now;
	events = random_between(&r.random, 4, HAPPEN_MAX);
	for (unsigned i = 0; i < r.g->count; i++) {
		if (is_voter(&r, i) || !one_in(&r, 4))
			start(&r, i, false);
	}
	for (uint64_t i = 0; i < events && !r.g->is_halted; i++) {
		happen(&r);
		gathering_run(r.g, random_below(&r.random, 2 * SEC));
	}
	result->faults[CLASS_DISCOVERY] = events;
	if (!r.g->is_halted)
		mend(&r);
	if (!r.g->is_halted)
		settle(&r);
	play_tapes(&r);
	result->simulated = r.g->now - began;
	gathering_free(r.g);
}
