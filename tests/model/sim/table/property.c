/* SPDX-License-Identifier: ISC */
/*
 * The rows. "Better to the right" says how a sorted ring is sorted: each node's
 * rank is above its left neighbour's, but for the first node's.
 */
#include "tests/model/sim/table/property.h"

#define RING  (1U << SHAPE_RING)
#define FULL  (1U << SHAPE_FULL)
#define TREE  (1U << SHAPE_PATH | 1U << SHAPE_STAR | 1U << SHAPE_TREE)
#define GRAPH (TREE | FULL | RING | 1U << SHAPE_GRID | 1U << SHAPE_MESH)

const char *const shape_names[SHAPES] = {
	[SHAPE_FULL] = "complete graph",
	[SHAPE_RING] = "ring",
	[SHAPE_PATH] = "path",
	[SHAPE_STAR] = "star",
	[SHAPE_TREE] = "random tree",
	[SHAPE_GRID] = "grid",
	[SHAPE_MESH] = "random graph",
};

/* clang-format off */
const struct property properties[] = {
	{ "bully", "the worst starts", .brief = "the worst starts",
	    .shapes = FULL, .starters = STARTERS_WORST, .claims = {
		"ELECTION = n(n-1)/2",
		"OK = n(n-1)/2",
		"COORDINATOR = n - 1",
		"total = n^2 - 1",
		"unit time <= 3" } },
	{ "bully", "the best starts", .brief = "the best starts",
	    .shapes = FULL, .starters = STARTERS_BEST, .claims = {
		"COORDINATOR = n - 1",
		"total = n - 1",
		"time = 1" } },
	{ "bully", "any nodes start",
	    .shapes = FULL, .starters = STARTERS_SOME, .claims = {
		"COORDINATOR = n - 1",
		"total >= n - 1",
		"total <= n^2 - 1" } },

	{ "bully-broadcast", "one starts, b are better",
	    .brief = "one starts, b are better",
	    .shapes = FULL, .starters = STARTERS_ONE, .claims = {
		"CANDIDATE = (1 + b)(n-1)",
		"total = (1 + b)(n-1)",
		"unit time <= 3" } },
	{ "bully-broadcast", "the worst starts",
	    .shapes = FULL, .starters = STARTERS_WORST, .claims = {
		"total = n(n-1)",
		"unit time <= 3" } },
	{ "bully-broadcast", "the best starts",
	    .shapes = FULL, .starters = STARTERS_BEST, .claims = {
		"total = n - 1",
		"unit time <= 3" } },
	{ "bully-broadcast", "all start",
	    .shapes = FULL, .starters = STARTERS_ALL, .claims = {
		"total <= n(n-1)",
		"unit time = 2" } },

	{ "lelann", "any nodes start, all join", .brief = "all are candidates",
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"CANDIDATE = n^2",
		"LEADER = n",
		"total = n^2 + n",
		"time <= 3n - 1" } },
	{ "lelann", "m start, none joins", .brief = "only the m starters are candidates",
	    .choices = { .starters_only = true },
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"CANDIDATE = mn",
		"LEADER = n",
		"total = mn + n",
		"time = 2n" } },

	{ "chang-roberts", "better to the right, all start", .brief = "sorted",
	    .shapes = RING, .order = ORDER_BETTER, .claims = {
		"ELECTION = 2n - 1",
		"LEADER = n",
		"total = 3n - 1",
		"won = n",
		"time = 2n" } },
	{ "chang-roberts", "worse to the right, all start",
	    .brief = "sorted the other way",
	    .shapes = RING, .order = ORDER_WORSE, .claims = {
		"ELECTION = n(n+1)/2",
		"LEADER = n",
		"total = n(n+1)/2 + n",
		"won = n",
		"time = 2n" } },
	{ "chang-roberts", "any ring, all start",
	    .shapes = RING, .claims = {
		"ELECTION >= 2n - 1",
		"ELECTION <= n(n+1)/2",
		"LEADER = n",
		"won = n",
		"time = 2n" } },
	{ "chang-roberts", "mean of random rings, all start",
	    .brief = "mean",
	    .shapes = RING, .claims = {
		"ELECTION ~ n H(n)",
		"total ~ n H(n) + n" } },
	{ "chang-roberts", "one starts, none joins",
	    .choices = { .starters_only = true },
	    .shapes = RING, .starters = STARTERS_ONE, .claims = {
		"ELECTION = n",
		"total = 2n",
		"won = n",
		"time = 2n" } },
	{ "chang-roberts", "better to the right, m neighbours start, none joins",
	    .choices = { .starters_only = true }, .shapes = RING,
	    .order = ORDER_BETTER, .starters = STARTERS_BLOCK, .claims = {
		"ELECTION = n + m - 1",
		"total = n + m - 1 + n" } },
	{ "chang-roberts", "worse to the right, m neighbours start, none joins",
	    .choices = { .starters_only = true }, .shapes = RING,
	    .order = ORDER_WORSE, .starters = STARTERS_BLOCK, .claims = {
		"ELECTION = nm - m(m-1)/2",
		"total = nm - m(m-1)/2 + n" } },
	{ "chang-roberts", "any m start, none joins",
	    .choices = { .starters_only = true },
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"ELECTION >= n + m - 1",
		"ELECTION <= nm - m(m-1)/2",
		"LEADER = n" } },
	{ "chang-roberts", "the best starts, all join",
	    .shapes = RING, .starters = STARTERS_BEST, .claims = {
		"ELECTION = n",
		"total = 2n",
		"won = n",
		"time = 2n" } },
	{ "chang-roberts", "better to the right, the worst starts, all join",
	    .shapes = RING, .order = ORDER_BETTER,
	    .starters = STARTERS_WORST, .claims = {
		"ELECTION = 2n - 1",
		"total = 3n - 1",
		"won = 2n - 1",
		"time = 3n - 1" } },
	{ "chang-roberts", "any one starts, all join",
	    .shapes = RING, .starters = STARTERS_ONE, .claims = {
		"ELECTION <= n(n+1)/2",
		"won >= n",
		"won <= 2n - 1",
		"time >= 2n",
		"time <= 3n - 1" } },
	{ "chang-roberts", "bidirectional, any ring, all start",
	    .variant = "bidirectional", .shapes = RING, .claims = {
		"ELECTION >= 2n - 1",
		"ELECTION <= n(n+1)/2",
		"LEADER = n" } },
	{ "chang-roberts", "bidirectional, mean of random rings, all start",
	    .variant = "bidirectional", .shapes = RING, .claims = {
		"ELECTION <~ n H(n)" } },
	{ "chang-roberts", "replace, any nodes start, all join",
	    .variant = "replace",
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"ELECTION = S",
		"LEADER = S",
		"total = S",
		"time = S" } },

	{ "hirschberg-sinclair", "sorted ring, all start", .brief = "sorted",
	    .shapes = RING, .order = ORDER_BETTER, .claims = {
		"LEADER = n",
		"total = 5n + 4*2^ceil(log2(n)) - 8 + n" } },
	{ "hirschberg-sinclair", "sorted the other way, all start",
	    .shapes = RING, .order = ORDER_WORSE, .claims = {
		"total = 5n + 4*2^ceil(log2(n)) - 8 + n" } },
	{ "hirschberg-sinclair", "any ring, all start", .brief = "any",
	    .shapes = RING, .claims = {
		"total <= 8n(1 + ceil(log2(n))) + n",
		"total <= 5n + 8n log2(n)",
		"LEADER = n",
		"unit won = 2(2^ceil(log2(n)) - 1) + n",
		"unit time = 2(2^ceil(log2(n)) - 1) + 2n" } },
	{ "hirschberg-sinclair", "any nodes start",
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"total <= 8n(1 + ceil(log2(n))) + n",
		"total <= 5n + 8n log2(n)",
		"LEADER = n" } },
	{ "hirschberg-sinclair", "any m start, none joins",
	    .choices = { .starters_only = true },
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"total <= 8n(1 + ceil(log2(n))) + n",
		"total <= 5n + 8n log2(n)",
		"LEADER = n" } },

	{ "ring-list", "any m start", .brief = "m start",
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"ELECTION = mn",
		"COORDINATOR = mn",
		"total = 2mn",
		"time = 2n" } },
	{ "ring-list", "any m start, none joins",
	    .choices = { .starters_only = true },
	    .shapes = RING, .starters = STARTERS_SOME, .claims = {
		"total = 2mn",
		"time = 2n" } },

	{ "tree", "any nodes start", .brief = "any start",
	    .shapes = TREE, .starters = STARTERS_SOME, .claims = {
		"WAKEUP = 2(n-1)",
		"TOKEN = 2(n-1)",
		"total = 4n - 4",
		"unit time <= 2D + 1" } },
	{ "tree", "all leaves start, no wake-up", .brief = "no wake-up",
	    .choices = { .no_wakeup = true },
	    .shapes = TREE, .starters = STARTERS_LEAVES, .claims = {
		"TOKEN = 2n - 2",
		"total = 2n - 2",
		"unit time = D" } },

	{ "tree-echo", "any m start", .brief = "m start",
	    .shapes = TREE, .starters = STARTERS_SOME, .claims = {
		"EXPLORER = n - 2 + m",
		"ECHO = n",
		"LEADER = n - 2",
		"total = 3n + m - 4",
		"unit time <= 2D" } },
	{ "tree-echo", "any leader will do, any m start",
	    .choices = { .any_leader = true },
	    .shapes = TREE, .starters = STARTERS_SOME, .claims = {
		"total = 3n + m - 4" } },

	{ "floodmax", "all start", .brief = "all start",
	    .shapes = GRAPH, .claims = {
		"MAX = 2ED",
		"total = 2ED",
		"unit time = D" } },
	{ "floodmax", "any nodes start",
	    .shapes = GRAPH, .starters = STARTERS_SOME, .claims = {
		"total = 2ED",
		"unit time <= 2D" } },

	{ "traversal", "one starts", .brief = "one starts",
	    .shapes = GRAPH, .starters = STARTERS_ONE, .claims = {
		"TOKEN = 2E",
		"LEADER = n - 1",
		"total = 2E + n - 1",
		"won >= 2E",
		"time <= 2E + n - 1" } },
	{ "traversal", "any m start", .brief = "m start",
	    .shapes = GRAPH, .starters = STARTERS_SOME, .claims = {
		"LEADER = n - 1",
		"total <= 2mE + n - 1" } },

	{ "extinction", "one starts", .brief = "one starts",
	    .shapes = GRAPH, .starters = STARTERS_ONE, .claims = {
		"LEADER = n - 1",
		"total = 2E + n - 1",
		"unit time <= 3D + 1" } },
	{ "extinction", "any m start", .brief = "m start",
	    .shapes = GRAPH, .starters = STARTERS_SOME, .claims = {
		"LEADER = n - 1",
		"total <= 2mE + n - 1" } },

	{ .algorithm = NULL },
};
/* clang-format on */
