/* SPDX-License-Identifier: ISC */
/*
 * The virtual tree on random graphs, in which nodes start, crash and come back,
 * parents and roots among them, and links are cut and heal, while datagrams are
 * delayed, lost, doubled and overtaken. There is no loop after any step. Once
 * all know what has failed there is one tree in each component, within the
 * stated bound, and an election on it costs 4n - 4 messages.
 */
#include "tests/unit/group.h"

#include <string.h>

#include "algorithms/registry.h"
#include "common/link/vtree.h"
#include "tests/lib/often.h"
#include "tests/model/sim/run/run.h"

#define GRAPHS      1000
#define NODES       64
#define EDGES       (4 * NODES)
#define UNDERWAY    4096 /* datagrams */
#define PHASES      4    /* of faults, each followed by calm */
#define STEPS_LEAST 50   /* in a phase of faults */
#define STEPS_MORE  150

/* One end of an edge. */
struct end {
	uint32_t session; /* 0: none */
	uint32_t process; /* of the peer, with which that session is */
	uint64_t sent;    /* datagrams of the session */
};

struct edge {
	unsigned nodes[2];
	unsigned links[2]; /* the index of each end at its node */
	bool is_cut;
	struct end ends[2];
	uint32_t last[2]; /* the latest session of each end */
};

struct member {
	bool is_alive;
	uint32_t process; /* rises with each start */
	struct vtree tree;
	struct vtree_end ends[NODES];
	unsigned edges[NODES]; /* by index of the end */
	unsigned count;        /* of its edges */
};

struct datagram {
	unsigned edge;
	unsigned to; /* which of its two ends */
	uint32_t session;
	uint64_t number;
	struct tree_word word;
};

static struct random r;
static struct member members[NODES];
static unsigned nodes;
static struct edge edges[EDGES];
static unsigned edges_count;
static struct datagram underway[UNDERWAY];
static unsigned underway_count;
static uint32_t sessions;

static bool
chance(unsigned percent)
{
	return random_below(&r, 100) < percent;
}

static struct member *
member_at(const struct edge *e, unsigned side)
{
	return &members[e->nodes[side]];
}

static unsigned
side_of(unsigned node, unsigned edge)
{
	return edges[edge].nodes[0] == node ? 0 : 1;
}

/* Whether datagrams pass over an edge. */
static bool
is_open(const struct edge *e)
{
	return !e->is_cut && member_at(e, 0)->is_alive &&
	       member_at(e, 1)->is_alive;
}

static void
say(unsigned edge, unsigned side)
{
	struct edge *e = &edges[edge];
	struct end *end = &e->ends[side];
	unsigned link = e->links[side];

	if (end->session == 0 || e->is_cut || underway_count == UNDERWAY)
		return;
	underway[underway_count++] = (struct datagram){
		.edge = edge,
		.to = !side,
		.session = end->session,
		.number = end->sent++,
		.word = vtree_word(&member_at(e, side)->tree, link),
	};
}

/* A node sends at once what has changed. */
static void
say_news(unsigned node)
{
	struct member *m = &members[node];

	vtree_check(&m->tree);
	for (unsigned i = 0; i < m->count; i++) {
		unsigned edge = m->edges[i], side = side_of(node, edge);

		if (edges[edge].ends[side].session != 0 &&
		    vtree_has_news(&m->tree, i))
			say(edge, side);
	}
}

static void
heartbeat(unsigned node)
{
	struct member *m = &members[node];

	for (unsigned i = 0; m->is_alive && i < m->count; i++)
		say(m->edges[i], side_of(node, m->edges[i]));
}

/* An end gives its session up. */
static void
end_session(unsigned edge, unsigned side)
{
	struct edge *e = &edges[edge];
	struct member *m = member_at(e, side);

	if (e->ends[side].session == 0)
		return;
	e->ends[side] = (struct end){ .session = 0 };
	if (!m->is_alive)
		return;
	vtree_set_link(&m->tree, e->links[side], false);
	vtree_forget(&m->tree, e->links[side]);
	say_news(e->nodes[side]);
}

static void
begin_session(unsigned edge, unsigned side, uint32_t session)
{
	struct edge *e = &edges[edge];

	end_session(edge, side);
	e->last[side] = session;
	e->ends[side] = (struct end){
		.session = session,
		.process = member_at(e, !side)->process,
	};
	say(edge, side);
}

/* A datagram of a new session begins that session here, too; the first that is
 * heard in a session shows that the link is up. */
static void
deliver(const struct datagram *d)
{
	struct edge *e = &edges[d->edge];
	struct end *end = &e->ends[d->to];
	struct member *m = member_at(e, d->to);
	const struct end *from = &e->ends[!d->to];

	if (!m->is_alive || e->is_cut)
		return;
	if (d->session > e->last[d->to] && from->session == d->session &&
	    from->process == m->process)
		begin_session(d->edge, d->to, d->session);
	if (d->session != end->session)
		return;
	vtree_hear(&m->tree, e->links[d->to], d->number, &d->word);
	vtree_set_link(&m->tree, e->links[d->to], true);
	say_news(e->nodes[d->to]);
}

/* Takes datagram `i` off the way. */
static struct datagram
take(unsigned i)
{
	struct datagram d = underway[i];

	underway[i] = underway[--underway_count];
	return d;
}

/* The network delivers, doubles or loses any of what is under way. */
static void
network_step(void)
{
	unsigned i;
	struct datagram d;

	if (underway_count == 0)
		return;
	i = (unsigned)random_below(&r, underway_count);
	d = chance(10) ? underway[i] : take(i);
	if (chance(90))
		deliver(&d);
}

static void
start(unsigned node)
{
	struct member *m = &members[node];

	m->is_alive = true;
	m->process++;
	memset(m->ends, 0, sizeof(m->ends));
	vtree_init(&m->tree, node + 1, 0, m->ends, m->count);
}

static void
crash(unsigned node)
{
	struct member *m = &members[node];

	m->is_alive = false;
	for (unsigned i = 0; i < m->count; i++)
		edges[m->edges[i]].ends[side_of(node, m->edges[i])] =
		    (struct end){ .session = 0 };
}

/* A node that others have as their parent, or any. */
static unsigned
victim(void)
{
	unsigned node = (unsigned)random_below(&r, nodes);
	const struct member *m = &members[node];

	if (!m->is_alive || m->tree.parent == VTREE_NONE || chance(50))
		return node;
	node = m->edges[m->tree.parent];
	return edges[node].nodes[!side_of((unsigned)(m - members), node)];
}

static void
partition(void)
{
	bool is_there[NODES];

	for (unsigned i = 0; i < nodes; i++)
		is_there[i] = chance(50);
	for (unsigned i = 0; i < edges_count; i++)
		edges[i].is_cut =
		    is_there[edges[i].nodes[0]] != is_there[edges[i].nodes[1]];
}

static void
heal(void)
{
	for (unsigned i = 0; i < edges_count; i++)
		edges[i].is_cut = false;
}

/* One end says HELLO, or notices that the other one is silent. */
static void
attend(unsigned edge, unsigned side)
{
	struct edge *e = &edges[edge];
	const struct end *end = &e->ends[side];

	if (!member_at(e, side)->is_alive)
		return;
	if (is_open(e) &&
	    (end->session == 0 || end->session != e->ends[!side].session))
		begin_session(edge, side, ++sessions);
	else if (!is_open(e))
		end_session(edge, side);
}

static void
fault(void)
{
	unsigned node = victim();

	if (chance(4))
		partition();
	else if (chance(10))
		heal();
	else if (chance(20))
		edges[random_below(&r, edges_count)].is_cut = chance(50);
	else if (members[node].is_alive && chance(40))
		crash(node);
	else if (!members[node].is_alive)
		start(node);
}

/* The process that a node has as its parent; NODES: none, or it is over. */
static unsigned
parent_of(unsigned node)
{
	const struct member *m = &members[node];
	const struct end *end;
	unsigned edge, to;

	if (!m->is_alive || m->tree.parent == VTREE_NONE)
		return NODES;
	edge = m->edges[m->tree.parent];
	end = &edges[edge].ends[side_of(node, edge)];
	to = edges[edge].nodes[!side_of(node, edge)];
	assert_int_not_equal(end->session, 0);
	return members[to].is_alive && members[to].process == end->process
		   ? to
		   : NODES;
}

static void
assert_no_loop(void)
{
	for (unsigned i = 0; i < nodes; i++) {
		unsigned at = parent_of(i);

		for (unsigned steps = 0; at != NODES; steps++) {
			assert_int_not_equal(at, i);
			assert_true(steps < nodes);
			at = parent_of(at);
		}
	}
}

static void
faults(void)
{
	unsigned steps =
	    STEPS_LEAST + (unsigned)random_below(&r, STEPS_MORE) * nodes / 8;

	for (unsigned i = 0; i < steps; i++) {
		if (chance(5))
			fault();
		else if (chance(10))
			heartbeat((unsigned)random_below(&r, nodes));
		else if (chance(20))
			attend((unsigned)random_below(&r, edges_count),
			    (unsigned)random_below(&r, 2));
		else
			network_step();
		assert_no_loop();
	}
}

/* Every node sends to all its neighbours, and all of it arrives. */
static void
play_round(void)
{
	struct datagram d;
	unsigned count;

	for (unsigned i = 0; i < nodes; i++)
		heartbeat(i);
	count = underway_count;
	for (unsigned i = 0; i < count; i++) {
		d = underway[i];
		deliver(&d);
		assert_no_loop();
	}
	/* What was said in answer is heard in the next round. */
	underway_count = 0;
}

/* All ends know which links are up, and nothing old is under way. */
static void
calm(void)
{
	underway_count = 0;
	for (unsigned i = 0; i < edges_count; i++) {
		attend(i, 0);
		if (!is_open(&edges[i]))
			attend(i, 1);
	}
	play_round();
	play_round();
}

/* The distances from a node, over open edges; NODES: not reached. Returns the
 * greatest. */
static unsigned
reach(unsigned from, unsigned distance[NODES])
{
	unsigned queue[NODES], first = 0, count = 1;

	for (unsigned i = 0; i < nodes; i++)
		distance[i] = NODES;
	distance[from] = 0;
	queue[0] = from;
	while (first < count) {
		unsigned node = queue[first++];
		const struct member *m = &members[node];

		for (unsigned i = 0; i < m->count; i++) {
			const struct edge *e = &edges[m->edges[i]];
			unsigned to = e->nodes[!side_of(node, m->edges[i])];

			if (!is_open(e) || distance[to] != NODES)
				continue;
			distance[to] = distance[node] + 1;
			queue[count++] = to;
		}
	}
	return distance[queue[count - 1]];
}

/* The most links between any two nodes of a component. */
static unsigned
diameter(void)
{
	unsigned most = 0, distance[NODES];

	for (unsigned i = 0; i < nodes; i++) {
		unsigned far = members[i].is_alive ? reach(i, distance) : 0;

		most = far > most ? far : most;
	}
	return most;
}

/* All nodes of a component are in one tree, and each knows its level. */
static void
assert_tree(const unsigned distance[NODES], bool levels_too)
{
	unsigned roots = 0;

	for (unsigned i = 0; i < nodes; i++) {
		unsigned parent = parent_of(i);
		const struct vtree *v = &members[i].tree;

		if (distance[i] == NODES)
			continue;
		assert_true(vtree_is_settled(v));
		roots += parent == NODES;
		if (!levels_too)
			continue;
		assert_int_equal(v->label.level,
		    parent == NODES ? 0 : members[parent].tree.label.level + 1);
	}
	assert_int_equal(roots, 1);
}

/* Lists the edges of the tree, on which both ends agree. */
static uint32_t
tree_edges(const unsigned distance[NODES], const uint32_t place[NODES],
    struct graph_edge *list)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < edges_count; i++) {
		const struct edge *e = &edges[i];
		bool has = false;

		if (!is_open(e) || distance[e->nodes[0]] == NODES)
			continue;
		has = vtree_has_edge(&member_at(e, 0)->tree, e->links[0]);
		assert_int_equal(
		    has, vtree_has_edge(&member_at(e, 1)->tree, e->links[1]));
		if (has)
			list[count++] = (struct graph_edge){
				place[e->nodes[0]],
				place[e->nodes[1]],
			};
	}
	return count;
}

/* Elects on the tree of a component. */
static void
assert_elects(const unsigned distance[NODES])
{
	struct graph_edge list[EDGES];
	struct rank ranks[NODES];
	uint32_t place[NODES] = { 0 }, n = 0;
	struct graph graph = { .nodes = 0 };
	struct run_result result;
	struct run_setup setup = {
		.algorithm = &algorithm_tree,
		.graph = &graph,
		.ranks = ranks,
		.schedule = SCHEDULE_RANDOM,
		.seed = random_next(&r),
		.check = true,
	};

	for (unsigned i = 0; i < nodes; i++) {
		if (distance[i] == NODES)
			continue;
		ranks[n] = (struct rank){ .is_eligible = true, .id = i + 1 };
		place[i] = n++;
	}
	assert_int_equal(tree_edges(distance, place, list), n - 1);
	assert_true(graph_make(&graph, TOPOLOGY_TREE, n, list, n - 1));
	assert_true(graph_suits(&graph, TOPOLOGY_TREE));
	assert_true(run_election(&setup, &result));
	assert_true(result.agreed);
	assert_int_equal(result.winner, ranks[n - 1].id);
	assert_int_equal(result.total, n > 1 ? 4 * n - 4 : 0);
	graph_free(&graph);
}

/* Looks at each component once. */
static void
each_component(void look(const unsigned distance[NODES]))
{
	bool is_seen[NODES] = { false };
	unsigned distance[NODES];

	for (unsigned i = 0; i < nodes; i++) {
		if (!members[i].is_alive || is_seen[i])
			continue;
		reach(i, distance);
		for (unsigned k = 0; k < nodes; k++)
			is_seen[k] |= distance[k] != NODES;
		look(distance);
	}
}

static void
look_at_tree(const unsigned distance[NODES])
{
	assert_tree(distance, false);
}

static void
look_at_levels(const unsigned distance[NODES])
{
	assert_tree(distance, true);
	assert_elects(distance);
}

static void
add_edge(unsigned a, unsigned b)
{
	struct member *m = &members[a], *n = &members[b];

	for (unsigned i = 0; i < m->count; i++) {
		const struct edge *e = &edges[m->edges[i]];

		if (e->nodes[0] == b || e->nodes[1] == b)
			return;
	}
	if (a == b || edges_count == EDGES)
		return;
	edges[edges_count] = (struct edge){
		.nodes = { a, b },
		.links = { m->count, n->count },
	};
	m->edges[m->count++] = edges_count;
	n->edges[n->count++] = edges_count++;
}

/* Draws a connected graph, in which half of the nodes are up. */
static void
draw(uint64_t seed)
{
	random_init(&r, seed);
	memset(members, 0, sizeof(members));
	edges_count = underway_count = 0;
	nodes = 2 + (unsigned)random_below(&r, NODES - 1);
	for (unsigned i = 1; i < nodes; i++)
		add_edge(i, (unsigned)random_below(&r, i));
	for (unsigned i = (unsigned)random_below(&r, 2 * nodes); i > 0; i--)
		add_edge((unsigned)random_below(&r, nodes),
		    (unsigned)random_below(&r, nodes));
	for (unsigned i = 0; i < nodes; i++) {
		if (chance(50))
			start(i);
	}
}

/* PROTOCOL.md, Virtual tree: the bound is that many rounds of heartbeats. */
TEST(tree_has_no_loop_and_spans_each_component)
{
	for (unsigned seed = 1; seed <= often(GRAPHS); seed++) {
		draw(seed);
		for (unsigned phase = 0; phase < PHASES; phase++) {
			unsigned far;

			faults();
			if (chance(30))
				heal();
			calm();
			far = diameter();
			for (unsigned i = 0; i < far + 2; i++)
				play_round();
			each_component(look_at_tree);
			for (unsigned i = far + 2; i < nodes; i++)
				play_round();
			each_component(look_at_levels);
		}
	}
}
