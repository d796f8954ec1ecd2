/* SPDX-License-Identifier: ISC */
/*
 * The bare simulator, with an algorithm made to watch it: each starter sends
 * one message each way, which goes three links far.
 */
#include "tests/model/sim/run/run.h"
#include "tests/unit/group.h"

#include "algorithms/registry.h"

#define SEEN 400

struct probe {
	const struct view *view;
	bool has_waited;
};

static bool probe_arms;

static size_t
probe_size(const struct view *view)
{
	(void)view;
	return sizeof(struct probe);
}

static void
probe_init(void *state, const struct view *view)
{
	struct probe *p = state;

	assert_null(p->view); /* zeroed */
	p->view = view;
}

static void
probe_step(void *state, const struct input *in, struct outbox *out)
{
	struct probe *p = state;
	struct message m = { .rank = p->view->self, .distance = 3 };

	if (in->kind == INPUT_TIMER) {
		p->has_waited = true;
		outbox_decide(out, &p->view->links[RING_RIGHT].rank);
	}
	if (in->kind == INPUT_START) {
		if (probe_arms)
			outbox_arm(out);
		for (unsigned i = 0; i < RING_LINKS; i++)
			outbox_send(out, i, &m);
	}
	if (in->kind != INPUT_MESSAGE)
		return;
	m = *in->message;
	m.distance--;
	if (m.distance > 0)
		outbox_send(out, RING_LINKS - 1 - in->link, &m);
}

static const char *
probe_phase(const void *state)
{
	return ((const struct probe *)state)->has_waited ? "waited" : "new";
}

static void
probe_check(const void *state)
{
	(void)state;
}

static const struct algorithm probe = {
	.name = "probe",
	.topology = TOPOLOGY_RING,
	.kinds = { "MARK" },
	.size = probe_size,
	.init = probe_init,
	.step = probe_step,
	.phase = probe_phase,
	.check = probe_check,
};

/* The record of an observer. */
struct log {
	struct moment moments[SEEN];
	size_t count;
};

static void
log_observe(void *context, const struct moment *moment)
{
	struct log *log = context;

	assert_true(log->count < SEEN);
	log->moments[log->count++] = *moment;
}

static struct rank ranks[16];

static void
ring_run(uint32_t nodes, const struct run_setup *how, struct log *log,
    struct run_result *result)
{
	struct run_setup setup = *how;
	struct graph g;

	for (uint32_t i = 0; i < nodes; i++)
		ranks[i] = (struct rank){ .is_eligible = true, .id = i + 1 };
	assert_true(graph_make_ring(&g, nodes));
	setup.graph = &g;
	setup.ranks = ranks;
	setup.check = true;
	if (setup.algorithm == NULL)
		setup.algorithm = &probe;
	if (log != NULL) {
		log->count = 0;
		setup.observe = log_observe;
		setup.context = log;
	}
	assert_true(run_election(&setup, result));
	graph_free(&g);
}

TEST(unit_time_is_the_length_of_the_chain)
{
	static const bool first[16] = { true };
	struct run_result result;
	struct log log;

	ring_run(8, &(struct run_setup){ .starters = first }, &log, &result);
	assert_int_equal(result.time, 3);
	assert_int_equal(result.total, 6);
	assert_int_equal(result.messages[0], 6);
	assert_int_equal(result.delivered, 6);
	assert_false(result.agreed);
	assert_int_equal(log.moments[0].kind, MOMENT_START);
	for (size_t i = 1; i < log.count; i++)
		assert_true(log.moments[i].time >= log.moments[i - 1].time);
}

/* Numbers join a sending to its delivery. */
TEST(every_message_sent_is_delivered_once)
{
	struct run_result result;
	struct log log;

	for (unsigned how = 0; how < 3; how++) {
		unsigned seen[SEEN] = { 0 };
		struct run_setup setup = {
			.schedule = how == 0 ? SCHEDULE_UNIT : SCHEDULE_RANDOM,
			.unordered = how == 2,
			.seed = how,
		};

		ring_run(5, &setup, &log, &result);
		for (size_t i = 0; i < log.count; i++) {
			const struct moment *m = &log.moments[i];

			if (m->kind == MOMENT_SEND)
				assert_int_equal(seen[m->number]++, 0);
			if (m->kind == MOMENT_DELIVER)
				assert_int_equal(seen[m->number]++, 1);
		}
		assert_int_equal(result.total, 30);
		for (size_t i = 0; i < result.total; i++)
			assert_int_equal(seen[i], 2);
	}
}

TEST(timers_run_out_two_units_later_after_the_messages)
{
	struct run_result result;
	struct log log;
	bool has_waited = false;

	probe_arms = true;
	ring_run(4, &(struct run_setup){ 0 }, &log, &result);
	probe_arms = false;
	for (size_t i = 0; i < log.count; i++) {
		const struct moment *m = &log.moments[i];

		if (m->kind == MOMENT_TIMER) {
			assert_int_equal(m->time, 2);
			assert_string_equal(m->phase, "waited");
			has_waited = true;
		}
		if (m->kind == MOMENT_DELIVER)
			assert_true(has_waited == (m->time > 2));
	}
	assert_true(has_waited);
	/* Each decided for the one to its right. */
	assert_int_equal(result.decided, 4);
	assert_false(result.agreed);
}

TEST(random_timers_run_out_when_no_message_is_under_way)
{
	struct run_result result;
	struct log log;
	bool has_waited = false;

	probe_arms = true;
	ring_run(4, &(struct run_setup){ .schedule = SCHEDULE_RANDOM }, &log,
	    &result);
	probe_arms = false;
	for (size_t i = 0; i < log.count; i++) {
		has_waited |= log.moments[i].kind == MOMENT_TIMER;
		if (log.moments[i].kind == MOMENT_DELIVER)
			assert_false(has_waited);
	}
	assert_true(has_waited);
}

/* True if messages that take the same links in the same direction overtake each
 * other. */
static bool
ring_overtakes(bool unordered)
{
	struct run_result result;
	struct log log;

	for (uint64_t seed = 0; seed < 50; seed++) {
		uint64_t last[16][RING_LINKS] = { 0 };
		struct run_setup setup = {
			.schedule = SCHEDULE_RANDOM,
			.unordered = unordered,
			.seed = seed,
		};

		ring_run(6, &setup, &log, &result);
		for (size_t i = 0; i < log.count; i++) {
			const struct moment *m = &log.moments[i];

			if (m->kind != MOMENT_DELIVER)
				continue;
			if (m->number < last[m->node][m->link])
				return true;
			last[m->node][m->link] = m->number;
		}
	}
	return false;
}

TEST(links_keep_order_unless_told_not_to)
{
	assert_false(ring_overtakes(false));
	assert_true(ring_overtakes(true));
}

TEST(same_seed_same_run)
{
	static struct log logs[3];
	struct run_result result;
	bool same = true;

	for (unsigned i = 0; i < 3; i++) {
		struct run_setup setup = {
			.schedule = SCHEDULE_RANDOM,
			.seed = i == 2 ? 2 : 1,
		};

		ring_run(6, &setup, &logs[i], &result);
	}
	for (size_t i = 0; i < logs[0].count; i++) {
		assert_int_equal(
		    logs[0].moments[i].number, logs[1].moments[i].number);
		assert_int_equal(
		    logs[0].moments[i].node, logs[1].moments[i].node);
		same &= logs[0].moments[i].node == logs[2].moments[i].node;
	}
	assert_false(same);
}

/* Each of n links that hold a message is equally often the first. */
TEST(random_schedule_is_uniform_over_links)
{
	struct run_result result;
	struct log log;
	unsigned times[5] = { 0 };

	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct run_setup setup = {
			.schedule = SCHEDULE_RANDOM,
			.seed = seed,
		};
		size_t i = 0;

		ring_run(5, &setup, &log, &result);
		while (log.moments[i].kind != MOMENT_DELIVER)
			i++;
		times[log.moments[i].node]++;
	}
	/* 1000 each, standard deviation 28: five of them. */
	for (unsigned i = 0; i < 5; i++) {
		assert_true(times[i] > 860);
		assert_true(times[i] < 1140);
	}
}

TEST(all_agree_on_the_best_of_a_ring)
{
	struct run_result result;
	struct run_setup setup = {
		.algorithm = algorithm_find("chang-roberts"),
	};

	ring_run(8, &setup, NULL, &result);
	assert_true(result.agreed);
	assert_true(result.has_leader);
	assert_int_equal(result.winner, 8);
	assert_int_equal(result.messages[0], 15);
	assert_int_equal(result.messages[1], 8);
	assert_int_equal(result.total, 23);
	assert_int_equal(result.time, 16);
	assert_int_equal(result.decided, 8);
}
