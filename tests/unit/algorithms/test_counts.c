/* SPDX-License-Identifier: ISC */
/*
 * Every algorithm is held to every row of the table of properties: exact
 * counts, bounds and means, with links that take one unit of time and with
 * links that take any, for highest and lowest ids.
 * Takes 5 s.
 */

#include "tests/unit/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/registry.h"
#include "tests/model/sim/table/markdown.h"
#include "tests/model/sim/table/property.h"

#define SCHEDULES 30 /* of each kind, for each row, graph and size */

static const uint32_t sizes[] = { 1, 2, 3, 5, 8, 16, 64, 100 };

#define SIZES (sizeof(sizes) / sizeof(*sizes))

/* Prints which claim does not hold, and where. */
static void
print_broken(const struct trial *t, const struct finding *f)
{
	const struct property *p = t->property;

	print_error("%s, %s: %s; %u nodes, %s schedule, seed %llu\n",
	    p->algorithm, shape_names[t->shape], p->when, t->nodes,
	    t->schedule == SCHEDULE_UNIT ? "unit" : "random",
	    (unsigned long long)t->seed);
	if (!f->has_elected)
		print_error("  not all agreed on the best\n");
	for (size_t i = 0; i < CLAIMS_MAX; i++) {
		if (!f->holds[i])
			print_error("  %s: %g, not %g\n", p->claims[i],
			    f->measured[i], f->limit[i]);
	}
}

static void
assert_trial(const struct trial *t)
{
	struct finding f;

	assert_int_equal(property_try(t, &f), TRIAL_DONE);
	if (finding_holds(&f))
		return;
	print_broken(t, &f);
	fail();
}

/* Tries a row on one of its graphs, of one size, under all schedules. A mean
 * covers many rings already: one schedule is enough. */
static void
assert_schedules(const struct property *p, enum shape shape, uint32_t nodes)
{
	unsigned times = property_is_mean(p) ? 1 : SCHEDULES;
	struct trial t = { .property = p, .shape = shape, .nodes = nodes };

	for (unsigned i = 0; i < times; i++) {
		t.prefer = i % 2 == 0 ? PREFER_HIGHEST : PREFER_LOWEST;
		t.seed = (uint64_t)nodes * SCHEDULES + i;
		t.schedule = SCHEDULE_UNIT;
		assert_trial(&t);
		t.schedule = SCHEDULE_RANDOM;
		assert_trial(&t);
	}
}

static unsigned
assert_rows_of(const struct algorithm *algorithm)
{
	unsigned rows = 0;

	for (const struct property *p = properties; p->algorithm; p++) {
		if (strcmp(p->algorithm, algorithm->name) != 0)
			continue;
		rows++;
		for (unsigned shape = 0; shape < SHAPES; shape++) {
			if ((p->shapes & 1U << shape) == 0)
				continue;
			for (size_t i = 0; i < SIZES; i++)
				assert_schedules(
				    p, (enum shape)shape, sizes[i]);
		}
	}
	return rows;
}

/* No algorithm without a row, and no row without an algorithm. */
TEST(each_algorithm_costs_what_the_table_says)
{
	unsigned rows = 0;

	for (size_t i = 0; algorithms[i] != NULL; i++) {
		unsigned count = assert_rows_of(algorithms[i]);

		print_message("%s: %u rows\n", algorithms[i]->name, count);
		assert_in_range(count, 1, UINT32_MAX);
		rows += count;
	}
	for (const struct property *p = properties; p->algorithm; p++)
		rows--;
	assert_int_equal(rows, 0);
}

static const struct property *
find_row(const char *algorithm, const char *when)
{
	const struct property *p = properties;

	while (strcmp(p->algorithm, algorithm) != 0 ||
	       strcmp(p->when, when) != 0) {
		p++;
		assert_non_null(p->algorithm);
	}
	return p;
}

/* The checker can fail: each sign, off by one. */
TEST(a_statement_that_is_off_by_one_does_not_hold)
{
	static const char *const wrong[] = { "total = n^2", "total = n^2 - 2",
		"total <= n^2 - 2", "total >= n^2", "OK = n(n-1)/2 + 1",
		"unit time <= 2", "COORDINATOR = n" };
	struct property p = *find_row("bully", "the worst starts");
	struct trial t = { .property = &p, .shape = SHAPE_FULL, .nodes = 8 };
	struct finding f;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		p.claims[0] = wrong[i];
		assert_int_equal(property_try(&t, &f), TRIAL_DONE);
		assert_true(f.has_elected);
		assert_false(f.holds[0]);
		assert_true(f.holds[1]);
		assert_false(finding_holds(&f));
	}
}

/* Means fail as well, though they have their slack. */
TEST(a_mean_that_is_a_twentieth_off_does_not_hold)
{
	struct property p =
	    *find_row("chang-roberts", "mean of random rings, all start");
	struct trial t = { .property = &p, .shape = SHAPE_RING, .nodes = 100 };
	struct finding f;

	p.claims[0] = "ELECTION ~ n H(n) * 1.05";
	p.claims[1] = "ELECTION ~ n H(n) * 0.95";
	p.claims[2] = "ELECTION <~ n H(n) * 0.95";
	p.claims[3] = "ELECTION <~ n H(n) * 1.05";
	assert_int_equal(property_try(&t, &f), TRIAL_DONE);
	assert_false(f.holds[0]);
	assert_false(f.holds[1]);
	assert_false(f.holds[2]);
	assert_true(f.holds[3]);
}

TEST(a_statement_that_cannot_be_read_is_refused)
{
	static const char *const wrong[] = { "", "total",
		"total =", "total = n +", "total = (n", "total = n)",
		"total = q", "total = n/0", "total == n", "SHOUT = n",
		"total = n 2 )" };
	struct property p = *find_row("bully", "the best starts");
	struct trial t = { .property = &p, .shape = SHAPE_FULL, .nodes = 3 };
	struct finding f;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		p.claims[0] = wrong[i];
		assert_int_equal(property_try(&t, &f), TRIAL_UNKNOWN);
	}
	p = *find_row("bully", "the best starts");
	p.variant = "no such";
	assert_int_equal(property_try(&t, &f), TRIAL_UNKNOWN);
	p.variant = NULL;
	p.algorithm = "no such";
	assert_int_equal(property_try(&t, &f), TRIAL_UNKNOWN);
}

static void
assert_value(const char *text, double expected)
{
	static const struct facts facts = { .nodes = 8,
		.starters = 3,
		.edges = 12,
		.diameter = 4,
		.better = 2,
		.standard = 7 };
	double value = -1;

	assert_true(formula_value(text, &facts, &value));
	assert_true(fabs(value - expected) < 1e-9);
}

TEST(formulas_are_reckoned_as_they_are_read)
{
	assert_value("2ED", 96);
	assert_value("nm - m(m-1)/2", 21);
	assert_value("n^2 - 1", 63);
	assert_value("2n^2", 128);
	assert_value("10 - 3 - 2", 5);
	assert_value("24/2/3", 4);
	assert_value("(1 + b)(n-1)", 21);
	assert_value("5n + 4*2^ceil(log2(n)) - 8 + n", 72);
	assert_value("ceil(log2(n + 1))", 4);
	assert_value("n H(3)", 8 * (1 + 1.0 / 2 + 1.0 / 3));
	assert_value("S", 7);
}

/* Strictly fewer on average, which is why nodes choose a direction. */
TEST(two_directions_take_fewer_messages_on_average)
{
	struct property one =
	    *find_row("chang-roberts", "mean of random rings, all start");
	struct property both = *find_row(
	    "chang-roberts", "bidirectional, mean of random rings, all start");
	struct trial t = { .shape = SHAPE_RING, .nodes = 64 };
	struct finding f, g;

	t.property = &one;
	assert_int_equal(property_try(&t, &f), TRIAL_DONE);
	t.property = &both;
	assert_int_equal(property_try(&t, &g), TRIAL_DONE);
	assert_true(g.measured[0] + g.slack[0] < f.measured[0] - f.slack[0]);
}

/* Runs floodmax for so many rounds on a path whose ranks rise. */
static bool
floodmax_agrees(uint32_t nodes, uint32_t rounds)
{
	struct rank ranks[100] = { 0 };
	struct graph path;
	struct run_result result;
	struct run_setup setup = {
		.algorithm = algorithm_find("floodmax"),
		.graph = &path,
		.ranks = ranks,
		.choices = { .diameter = rounds },
		.check = true,
	};

	assert_true(nodes <= 100);
	assert_true(graph_make_path(&path, nodes));
	for (uint32_t i = 0; i < nodes; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
	assert_true(run_election(&setup, &result));
	graph_free(&path);
	return result.agreed;
}

TEST(floodmax_with_a_round_too_few_does_not_agree)
{
	for (size_t i = 2; i < SIZES; i++) {
		assert_true(floodmax_agrees(sizes[i], sizes[i] - 1));
		assert_false(floodmax_agrees(sizes[i], sizes[i] - 2));
	}
}

/* The rows of algorithms/README.md are those of the table. */
TEST(the_table_is_printed_for_the_readme)
{
	static const char expected[] =
	    "| algorithm | topology | model | messages | time | when a node"
	    " fails |\n"
	    "|---|---|---|---|---|---|\n"
	    "| bully | full | every pair is linked |"
	    " n² − 1 (the worst starts), n − 1 (the best starts) |"
	    " ≤ 3 (the worst starts), 1 (the best starts) |"
	    " new election without it |\n";
	char *text = NULL;
	size_t size = 0, rows = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	table_markdown(out, "bully");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	table_markdown(out, NULL);
	assert_int_equal(fclose(out), 0);
	for (const char *c = text; *c != '\0'; c++)
		rows += *c == '\n';
	free(text);
	for (size_t i = 0; algorithms[i] != NULL; i++)
		rows--;
	assert_int_equal(rows, 2);
}
