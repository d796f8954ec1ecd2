/* SPDX-License-Identifier: ISC */
/*
 * The two tree algorithms on whole trees: the worked example of the lecture
 * that `tree` follows, message by message; and which node leads on random
 * trees, for any starters and any order of messages. test_counts.c has the
 * counts.
 */

#include "tests/unit/group.h"

#include "algorithms/registry.h"
#include "tests/model/sim/run/run.h"

#define NODES_LARGEST 100
#define LOG_MAX       64

enum tree_kind {
	WAKEUP,
	TOKEN,
};

enum echo_kind {
	EXPLORER,
	ECHO,
	LEADER,
};

/* The record of an observer: TOKENs, ECHOs and the decisions, in order. */
struct sent {
	node_id from;
	node_id to;
	node_id best;
	uint64_t time;
};

static struct rank ranks[NODES_LARGEST];
static bool starters[NODES_LARGEST];
static struct graph graph;
static struct run_setup setup;
static struct run_result result;
static struct sent sent[LOG_MAX];
static unsigned sent_count;
static node_id decided[NODES_LARGEST];
static unsigned decided_count;
static uint32_t echo_to[NODES_LARGEST]; /* position, by position */

static void
begin(const struct algorithm *algorithm, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
		starters[i] = false;
	}
	sent_count = 0;
	decided_count = 0;
	setup = (struct run_setup){
		.algorithm = algorithm,
		.graph = &graph,
		.ranks = ranks,
		.starters = starters,
		.check = true,
	};
}

static void
run(void)
{
	assert_true(run_election(&setup, &result));
	assert_true(result.agreed);
	assert_int_equal(result.decided, graph.nodes);
}

static void
log_tokens(void *context, const struct moment *m)
{
	(void)context;
	if (m->kind == MOMENT_SEND) {
		assert_true(sent_count < LOG_MAX);
		assert_int_equal(m->message->kind, TOKEN);
		sent[sent_count++] = (struct sent){
			.from = ranks[m->node].id,
			.to = ranks[m->other].id,
			.best = m->message->rank.id,
			.time = m->time,
		};
	} else if (m->kind == MOMENT_DECIDE) {
		decided[decided_count++] = ranks[m->node].id;
	}
}

/* The lecture's tree: 1-6 1-2 6-7 2-3 7-9 3-5 3-8 2-4 9-11 9-10. Its nodes are
 * in the order in which the lecture lets them send. */
static void
begin_example(void)
{
	static const node_id ids[] = { 5, 8, 4, 11, 10, 3, 9, 2, 7, 1, 6 };
	static const struct graph_edge edges[] = {
		{ 9, 10 }, /* 1-6 */
		{ 9, 7 },  /* 1-2 */
		{ 10, 8 }, /* 6-7 */
		{ 7, 5 },  /* 2-3 */
		{ 8, 6 },  /* 7-9 */
		{ 5, 0 },  /* 3-5 */
		{ 5, 1 },  /* 3-8 */
		{ 7, 2 },  /* 2-4 */
		{ 6, 3 },  /* 9-11 */
		{ 6, 4 },  /* 9-10 */
	};

	assert_true(graph_make(&graph, TOPOLOGY_TREE, 11, edges, 10));
	begin(&algorithm_tree, 11);
	for (int i = 0; i < 11; i++)
		ranks[i].id = ids[i];
	for (int i = 0; i < 5; i++)
		starters[i] = true;
	setup.prefer = PREFER_LOWEST;
	setup.choices.no_wakeup = true;
	setup.observe = log_tokens;
}

/*
 * "5, 8, 4, 11, 10 send <tok, min>; 3, 9 send; 2, 7 send; 1 sends <tok, 1>;
 * 6 sends <tok, 6> to 1 (11 messages); 6 decides lost; 1 decides leader;
 * 6, 7, 9, 1, 2, 3 send <tok, 1> to their descendants (9 messages)": here
 * the two sides take turns, as they do when each message takes one unit.
 */
static const struct sent lectures_messages[] = {
	{ 5, 3, 5, 0 },
	{ 8, 3, 8, 0 },
	{ 4, 2, 4, 0 },
	{ 11, 9, 11, 0 },
	{ 10, 9, 10, 0 },
	{ 3, 2, 3, 1 },
	{ 9, 7, 9, 1 },
	{ 2, 1, 2, 2 },
	{ 7, 6, 7, 2 },
	{ 1, 6, 1, 3 },
	{ 6, 1, 6, 3 },
	{ 6, 7, 1, 4 },
	{ 1, 2, 1, 4 },
	{ 7, 9, 1, 5 },
	{ 2, 3, 1, 5 },
	{ 2, 4, 1, 5 },
	{ 9, 11, 1, 6 },
	{ 9, 10, 1, 6 },
	{ 3, 5, 1, 6 },
	{ 3, 8, 1, 6 },
};

TEST(lectures_example_message_by_message)
{
	begin_example();
	run();
	assert_int_equal(result.winner, 1);
	assert_int_equal(result.total, 20);
	assert_int_equal(result.time, 7);
	assert_int_equal(sent_count, 20);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(sent[i].from, lectures_messages[i].from);
		assert_int_equal(sent[i].to, lectures_messages[i].to);
		assert_int_equal(sent[i].best, lectures_messages[i].best);
		assert_int_equal(sent[i].time, lectures_messages[i].time);
	}
	assert_int_equal(decided[0], 6);
	assert_int_equal(decided[1], 1);
	graph_free(&graph);
}

/* Draws at least one starter; gives how many there are. */
static uint32_t
choose_starters(struct random *random)
{
	uint32_t count = 0;

	starters[random_below(random, graph.nodes)] = true;
	for (uint32_t i = 0; i < graph.nodes; i++) {
		starters[i] = starters[i] || random_below(random, 4) == 0;
		count += starters[i];
	}
	return count;
}

/* Makes a random tree of 1 to NODES_LARGEST nodes with links in random order.
 */
static uint32_t
begin_random(
    const struct algorithm *algorithm, uint32_t i, struct random *random)
{
	uint32_t n = 1 + i % NODES_LARGEST;

	assert_true(graph_make_random_tree(&graph, n, random));
	begin(algorithm, n);
	setup.schedule = i < NODES_LARGEST ? SCHEDULE_UNIT : SCHEDULE_RANDOM;
	setup.seed = i;
	return n;
}

static void
note_echoes(void *context, const struct moment *m)
{
	(void)context;
	if (m->kind == MOMENT_SEND && m->message->kind == ECHO)
		echo_to[m->node] = m->other;
}

/* The better of the two nodes whose ECHOs crossed leads. */
TEST(leader_is_the_better_of_the_two_nodes_that_end_the_waves)
{
	struct random random;
	unsigned others = 0;

	random_init(&random, 3);
	for (uint32_t i = 1; i < 4 * NODES_LARGEST; i++) {
		uint32_t n = begin_random(&algorithm_tree_echo, i, &random);
		uint32_t m = choose_starters(&random);
		uint32_t last = n - 1;

		setup.choices.any_leader = true;
		setup.observe = note_echoes;
		run();
		/* Ids rise with positions. */
		while (n > 1 && echo_to[echo_to[last]] != last)
			last--;
		assert_int_equal(result.winner, ranks[last].id);
		assert_int_equal(result.total, n > 1 ? 3 * n + m - 4 : 0);
		others += last != n - 1;
		graph_free(&graph);
	}
	assert_true(others > NODES_LARGEST);
}

/* The only eligible node is found, wherever it is. */
TEST(only_node_that_is_eligible_leads)
{
	struct random random;

	random_init(&random, 4);
	for (uint32_t i = 0; i < 3 * NODES_LARGEST; i++) {
		uint32_t n = begin_random(
		    i % 3 == 0 ? &algorithm_tree : &algorithm_tree_echo, i,
		    &random);
		uint32_t stands = (uint32_t)random_below(&random, n + 1);

		setup.choices.any_leader = i % 3 == 1;
		choose_starters(&random);
		for (uint32_t j = 0; j < n; j++)
			ranks[j].is_eligible = j == stands;
		run();
		assert_int_equal(result.has_leader, stands < n);
		if (stands < n)
			assert_int_equal(result.winner, stands + 1);
		graph_free(&graph);
	}
}
