/* SPDX-License-Identifier: ISC */
/*
 * The bully algorithm bare: instances joined by reliable FIFO links in one
 * array, its invariants asserted after every step.
 */
#include "tests/unit/group.h"

#include <stdalign.h>
#include <string.h>

#include "algorithms/registry.h"
#include "common/util/random.h"

#define NODES      100 /* the largest network */
#define FLYING_MAX (2 * NODES * NODES)
#define STATE_MAX  128
#define KINDS      3

enum kind {
	ELECTION,
	OK,
	COORDINATOR,
};

/* A message under way, and how long a chain of messages it ends. */
struct flying {
	unsigned from;
	unsigned to;
	unsigned depth;
	struct message message;
};

/* The state that changes while an election runs; views and ranks do not. */
struct net {
	alignas(max_align_t) uint8_t states[NODES][STATE_MAX];
	bool may_start[NODES]; /* has not started, and got no message */
	bool has_decided[NODES];
	struct rank winner[NODES];
	unsigned depth[NODES];
	unsigned sent[KINDS];
	unsigned worst; /* position, by rank, of the worst starter */
	size_t first;   /* those before it have arrived */
	size_t end;
	struct flying flying[FLYING_MAX];
};

static const struct algorithm *const bully = &algorithm_bully;
static unsigned count;
static struct view views[NODES];
static struct view_link links[NODES][NODES];
static struct net net;

/* At each node, its links are the others in order. */
static unsigned
link_to(unsigned at, unsigned other)
{
	return other < at ? other : other - 1;
}

static unsigned
end_of(unsigned at, unsigned link)
{
	return link < at ? link : link + 1;
}

/* Counts the nodes that are better: 0 is the best. */
static unsigned
place_of(unsigned node)
{
	unsigned better = 0;

	for (unsigned i = 0; i < count; i++)
		better += rank_better(
		    &views[i].self, &views[node].self, views[0].prefer);
	return better;
}

/* A network of nodes with these ranks, or with ids 1 to n. */
static void
net_make(unsigned n, const struct rank *ranks, enum prefer prefer)
{
	count = n;
	for (unsigned i = 0; i < n; i++) {
		views[i] = (struct view){
			.self = { .is_eligible = true, .id = i + 1 },
			.prefer = prefer,
			.links = links[i],
			.links_count = n - 1,
		};
		if (ranks != NULL)
			views[i].self = ranks[i];
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j + 1 < n; j++)
			links[i][j].rank = views[end_of(i, j)].self;
}

/* Begins a new election, whatever the state was before. */
static void
net_begin(unsigned starters)
{
	memset(&net.states, 0xa5, count * STATE_MAX);
	memset(net.sent, 0, sizeof(net.sent));
	net.first = net.end = 0;
	net.worst = 0;
	for (unsigned i = 0; i < count; i++) {
		assert_true(bully->size(&views[i]) <= STATE_MAX);
		bully->init(net.states[i], &views[i]);
		bully->check(net.states[i]);
		net.may_start[i] = i < 32 && (starters >> i & 1) != 0;
		net.has_decided[i] = false;
		net.depth[i] = 0;
	}
}

static void
net_step(unsigned node, const struct input *in, unsigned depth)
{
	static struct outgoing room[2 * NODES];
	struct outbox out = { .messages = room,
		.capacity = outbox_capacity(count - 1) };

	net.may_start[node] = false;
	if (depth > net.depth[node])
		net.depth[node] = depth;
	bully->step(net.states[node], in, &out);
	bully->check(net.states[node]);
	for (size_t i = 0; i < out.count; i++) {
		assert_true(net.end < FLYING_MAX);
		net.flying[net.end++] = (struct flying){
			.from = node,
			.to = end_of(node, out.messages[i].link),
			.depth = net.depth[node] + 1,
			.message = out.messages[i].message,
		};
		net.sent[out.messages[i].message.kind]++;
	}
	if (!out.has_decided)
		return;
	assert_false(net.has_decided[node]);
	net.has_decided[node] = true;
	net.winner[node] = out.winner;
	for (unsigned i = 0; i < count; i++)
		if (net.has_decided[i])
			assert_true(rank_equal(&net.winner[i], &out.winner));
}

static void
net_start(unsigned node)
{
	struct input in = { .kind = INPUT_START };

	if (place_of(node) > net.worst)
		net.worst = place_of(node);
	net_step(node, &in, 0);
}

/* The message at `at` arrives; it must be the first of its link. */
static void
net_arrive(size_t at)
{
	struct flying f = net.flying[at];
	struct input in = { .kind = INPUT_MESSAGE,
		.message = &f.message,
		.link = link_to(f.to, f.from) };

	memmove(&net.flying[net.first + 1], &net.flying[net.first],
	    (at - net.first) * sizeof(f));
	net.first++;
	net_step(f.to, &in, f.depth);
}

/* Gives the first message on the same link as this one. */
static size_t
first_of_link(size_t at)
{
	for (size_t i = net.first; i < at; i++)
		if (net.flying[i].from == net.flying[at].from &&
		    net.flying[i].to == net.flying[at].to)
			return i;
	return at;
}

/* Messages arrive in the order in which they were sent. */
static void
net_run_in_order(void)
{
	for (unsigned i = 0; i < count; i++)
		if (net.may_start[i])
			net_start(i);
	while (net.first < net.end)
		net_arrive(net.first);
}

/* Starts and arrivals come in a random order. */
static void
net_run_at_random(struct random *random)
{
	for (;;) {
		unsigned starters = 0;
		uint64_t pick;

		for (unsigned i = 0; i < count; i++)
			starters += net.may_start[i];
		if (starters + net.end - net.first == 0)
			return;
		pick = random_below(random, starters + net.end - net.first);
		if (pick >= starters) {
			net_arrive(first_of_link(net.first + pick - starters));
			continue;
		}
		for (unsigned i = 0; i < count; i++)
			if (net.may_start[i] && pick-- == 0)
				net_start(i);
	}
}

/*
 * All nodes have decided for the best, and the count is exact: each node that
 * is as good as the worst starter asks all better ones, and gets an answer.
 */
static void
assert_best_won(void)
{
	unsigned asked = (net.worst + 1) * net.worst / 2;

	for (unsigned i = 0; i < count; i++) {
		assert_true(net.has_decided[i]);
		assert_string_equal(bully->phase(net.states[i]), "decided");
		if (place_of(i) == 0)
			assert_true(rank_equal(&net.winner[0], &views[i].self));
	}
	assert_int_equal(net.sent[ELECTION], asked);
	assert_int_equal(net.sent[OK], asked);
	assert_int_equal(net.sent[COORDINATOR], count - 1);
}

static unsigned
total(void)
{
	return net.sent[ELECTION] + net.sent[OK] + net.sent[COORDINATOR];
}

static unsigned
longest_chain(void)
{
	unsigned longest = 0;

	for (unsigned i = 0; i < count; i++)
		if (net.depth[i] > longest)
			longest = net.depth[i];
	return longest;
}

TEST(worst_of_n_starting_alone_costs_n_squared_less_one)
{
	for (unsigned n = 1; n <= NODES; n++) {
		net_make(n, NULL, PREFER_HIGHEST);
		net_begin(1);
		net_run_in_order();
		assert_int_equal(total(), n * n - 1);
		assert_int_equal(net.sent[ELECTION], n * (n - 1) / 2);
		assert_int_equal(net.sent[OK], n * (n - 1) / 2);
		assert_best_won();
	}
}

TEST(best_of_n_starting_costs_n_less_one_in_one_step)
{
	for (unsigned n = 1; n <= NODES; n++) {
		net_make(n, NULL, PREFER_LOWEST);
		net_begin(1);
		net_run_in_order();
		assert_int_equal(total(), n - 1);
		assert_int_equal(longest_chain(), n > 1);
		assert_best_won();
	}
}

TEST(count_depends_on_the_worst_starter_alone)
{
	for (unsigned n = 1; n <= 30; n++)
		for (unsigned i = 0; i < n; i++) {
			net_make(n, NULL, PREFER_HIGHEST);
			net_begin(1U << i | 1U << (n - 1));
			net_run_in_order();
			assert_int_equal(net.worst, n - 1 - i);
			assert_best_won();
		}
}

TEST(every_set_of_starters_elects_the_best_in_any_order)
{
	struct random random;

	random_init(&random, 1);
	for (unsigned n = 1; n <= 5; n++)
		for (unsigned starters = 1; starters < 1U << n; starters++)
			for (int run = 0; run < 400; run++) {
				net_make(n, NULL,
				    run % 2 ? PREFER_LOWEST : PREFER_HIGHEST);
				net_begin(starters);
				net_run_at_random(&random);
				assert_best_won();
			}
}

/* The state to which a step from here must go back. */
struct saved {
	uint8_t states[3][STATE_MAX];
	bool may_start[3], has_decided[3];
	unsigned sent[KINDS], worst;
	size_t first, end;
	struct flying flying[16];
};

static void
net_save(struct saved *s)
{
	assert_true(net.end <= 16);
	memcpy(s->states, net.states, sizeof(s->states));
	memcpy(s->may_start, net.may_start, sizeof(s->may_start));
	memcpy(s->has_decided, net.has_decided, sizeof(s->has_decided));
	memcpy(s->sent, net.sent, sizeof(s->sent));
	memcpy(s->flying, net.flying, sizeof(s->flying));
	s->worst = net.worst;
	s->first = net.first;
	s->end = net.end;
}

static void
net_restore(const struct saved *s)
{
	memcpy(net.states, s->states, sizeof(s->states));
	memcpy(net.may_start, s->may_start, sizeof(s->may_start));
	memcpy(net.has_decided, s->has_decided, sizeof(s->has_decided));
	memcpy(net.sent, s->sent, sizeof(s->sent));
	memcpy(net.flying, s->flying, sizeof(s->flying));
	net.worst = s->worst;
	net.first = s->first;
	net.end = s->end;
}

/* Walks every order from here on, and counts them. */
static unsigned
walk(void)
{
	unsigned orders = 0;
	struct saved s;

	net_save(&s);
	for (unsigned i = 0; i < count; i++) {
		if (!net.may_start[i])
			continue;
		net_start(i);
		orders += walk();
		net_restore(&s);
	}
	for (size_t i = net.first; i < net.end; i++) {
		if (first_of_link(i) != i)
			continue;
		net_arrive(i);
		orders += walk();
		net_restore(&s);
	}
	if (orders > 0)
		return orders;
	assert_best_won();
	return 1;
}

TEST(every_order_there_is_of_three_elects_the_best)
{
	unsigned orders = 0;

	for (unsigned n = 1; n <= 3; n++)
		for (unsigned starters = 1; starters < 1U << n; starters++) {
			net_make(n, NULL, PREFER_HIGHEST);
			net_begin(starters);
			orders += walk();
		}
	assert_true(orders > 1000);
}

/* The worst starts alone; the best is at `best`. */
static void
assert_elects(
    unsigned n, const struct rank *ranks, enum prefer prefer, node_id best)
{
	struct random random;

	random_init(&random, n);
	net_make(n, ranks, prefer);
	for (unsigned run = 0; run < 100; run++) {
		net_begin(1U << run % n | 1U << run / n % n);
		net_run_at_random(&random);
		assert_best_won();
		assert_int_equal(net.winner[0].id, best);
	}
}

TEST(priority_and_seat_count_before_the_id)
{
	const struct rank by_priority[] = {
		{ .is_eligible = true, .id = 1 },
		{ .is_eligible = true, .id = 2, .priority = 5 },
		{ .is_eligible = true, .id = 3, .priority = 5 },
		{ .is_eligible = true, .id = 4, .priority = -1 },
	};
	const struct rank by_seat[] = {
		{ .is_eligible = true, .id = 1, .is_contender = true },
		{ .is_eligible = true, .id = 2, .priority = 5 },
		{ .is_eligible = true, .id = 3 },
	};

	assert_elects(4, by_priority, PREFER_HIGHEST, 3);
	assert_elects(4, by_priority, PREFER_LOWEST, 2);
	assert_elects(3, by_seat, PREFER_HIGHEST, 1);
	assert_elects(3, by_seat, PREFER_LOWEST, 1);
}

TEST(node_that_is_not_eligible_takes_part_and_does_not_win)
{
	const struct rank ranks[] = {
		{ .is_eligible = true, .id = 1 },
		{ .id = 2, .priority = 9 },
		{ .is_eligible = true, .id = 3 },
		{ .id = 4, .is_contender = true },
	};

	assert_elects(4, ranks, PREFER_HIGHEST, 3);
	assert_elects(4, ranks, PREFER_LOWEST, 1);
}

TEST(without_eligible_nodes_all_learn_that)
{
	const struct rank ranks[] = { { .id = 1, .priority = 9 }, { .id = 2 },
		{ .id = 3 } };

	assert_elects(3, ranks, PREFER_HIGHEST, 3);
	assert_false(net.winner[0].is_eligible);
	assert_elects(3, ranks, PREFER_LOWEST, 1);
}
