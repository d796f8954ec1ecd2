/* SPDX-License-Identifier: ISC */
/*
 * The explorer itself: it walks all there is, finds each kind of mistake, and
 * gives the shortest run to it. Its algorithm has a choice of manners.
 */
#include "tests/unit/group.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "algorithms/registry.h"
#include "tests/model/sim/command.h"
#include "tests/model/sim/explore/print.h"

/* The algorithm's reaction to its first input and to each message. */
static enum manner {
	MANNER_RIGHT,   /* sends to all; all decide for the best */
	MANNER_SILENT,  /* does nothing */
	MANNER_HASTY,   /* decides for the first it hears of, and sends */
	MANNER_FICKLE,  /* decides for the best, and later for itself */
	MANNER_ABSURD,  /* decides for a node that does not exist */
	MANNER_ENDLESS, /* sends on its first link, and answers for ever */
	MANNER_GROWING, /* sends two answers to each message */
	MANNER_TALKING, /* sends three messages at once */
	MANNER_FAILING, /* fails an assertion */
	MANNER_PATIENT, /* sends to all, and decides when its timer runs out */
} manner;

/* The senders of its messages, in the order of arrival: 4 bits each. */
struct teller {
	const struct view *view;
	uint32_t order;
	uint32_t inputs;
};

static size_t
teller_size(const struct view *view)
{
	(void)view;
	return sizeof(struct teller);
}

static void
teller_init(void *state, const struct view *view)
{
	*(struct teller *)state = (struct teller){ .view = view };
}

static void
tell(const struct teller *t, struct outbox *out, unsigned times)
{
	struct message m = { .rank = t->view->self };

	while (times-- > 0) {
		for (unsigned i = 0; i < t->view->links_count; i++)
			outbox_send(out, i, &m);
	}
}

static void
decide_best(const struct teller *t, struct outbox *out)
{
	struct rank best = t->view->self;

	for (size_t i = 0; i < t->view->links_count; i++) {
		if (rank_better(
			&t->view->links[i].rank, &best, t->view->prefer))
			best = t->view->links[i].rank;
	}
	outbox_decide(out, &best);
}

/* The manners that are wrong. */
static void
teller_err(struct teller *t, const struct input *in, struct outbox *out)
{
	switch (manner) {
	case MANNER_HASTY:
		tell(t, out, in->kind == INPUT_START);
		outbox_decide(out, in->kind == INPUT_START
				       ? &t->view->self
				       : &in->message->rank);
		break;
	case MANNER_FICKLE:
		if (in->kind == INPUT_TIMER) {
			outbox_decide(out, &t->view->self);
			break;
		}
		decide_best(t, out);
		outbox_arm(out);
		break;
	case MANNER_ABSURD:
		outbox_decide(out, &(struct rank){ .id = 99 });
		break;
	case MANNER_ENDLESS:
		outbox_send(out, 0, &(struct message){ .kind = 0 });
		break;
	case MANNER_GROWING:
		tell(t, out, 2);
		break;
	case MANNER_TALKING:
		outbox_send(out, 0, &(struct message){ .kind = 0 });
		tell(t, out, 2);
		break;
	case MANNER_FAILING:
		assert(in->kind != INPUT_MESSAGE);
		tell(t, out, 1);
		break;
	case MANNER_RIGHT:
	case MANNER_SILENT:
	case MANNER_PATIENT:
		break;
	}
}

static void
teller_step(void *state, const struct input *in, struct outbox *out)
{
	struct teller *t = state;

	if (manner != MANNER_RIGHT && manner != MANNER_PATIENT) {
		teller_err(t, in, out);
		return;
	}
	if (in->kind == INPUT_MESSAGE)
		t->order = t->order << 4 | (in->link + 1);
	if (in->kind == INPUT_START)
		tell(t, out, 1);
	if (manner == MANNER_PATIENT && in->kind != INPUT_TIMER)
		outbox_arm(out);
	else if (t->inputs++ == 0)
		decide_best(t, out);
}

static const char *
teller_phase(const void *state)
{
	return ((const struct teller *)state)->inputs == 0 ? "new" : "moved";
}

static void
teller_check(const void *state)
{
	assert(((const struct teller *)state)->view != NULL);
}

static const struct algorithm teller = {
	.name = "teller",
	.summary = "does as it is told",
	.topology = TOPOLOGY_FULL,
	.kinds = { "TELL" },
	.size = teller_size,
	.init = teller_init,
	.step = teller_step,
	.phase = teller_phase,
	.check = teller_check,
};

static struct explore_result result;

static void
walk(enum manner how, uint32_t nodes)
{
	struct explore_setup setup = { .algorithm = &teller,
		.nodes_min = nodes,
		.nodes_max = nodes,
		.memory_bytes = EXPLORE_MEMORY_BYTES };

	manner = how;
	explore(&setup, &result);
}

static int
leave(void **state)
{
	(void)state;
	explore_done(&result);
	return 0;
}

static void
assert_refuted(const char *why, size_t steps)
{
	assert_int_equal(result.verdict, EXPLORE_REFUTED);
	assert_string_equal(result.why, why);
	assert_int_equal(result.steps_count, steps);
}

#define walking(f) TEST(f, NULL, leave)

/* One starter: 3 ends. Two: the third hears of them in either order, 3 * 2.
 * Three: each hears of the others in either order, 2 * 2 * 2. */
walking(every_order_of_messages_is_walked)
{
	walk(MANNER_RIGHT, 3);
	assert_int_equal(result.verdict, EXPLORE_PROVED);
	assert_int_equal(result.ends, 3 + 6 + 8);
}

/* Nothing has happened; 1 has started; so has 2; both have; and what is under
 * way has come, in each case: 1 + 2 * 2 + 4. */
walking(every_state_is_counted_once)
{
	walk(MANNER_RIGHT, 2);
	assert_int_equal(result.verdict, EXPLORE_PROVED);
	assert_int_equal(result.states, 9);
	assert_int_equal(result.ends, 3);
}

/* The same, and then two timers in either order in each of the three. */
walking(timers_run_out_when_nothing_is_under_way)
{
	walk(MANNER_PATIENT, 2);
	assert_int_equal(result.verdict, EXPLORE_PROVED);
	assert_int_equal(result.states, 9 + 3 * 3);
	assert_int_equal(result.ends, 3);
}

walking(node_that_never_decides_is_found)
{
	walk(MANNER_SILENT, 2);
	assert_refuted("nothing is under way, and 1 has not decided", 1);
}

walking(two_leaders_are_found)
{
	walk(MANNER_HASTY, 2);
	assert_refuted("2 decides for 2, and 1 for 1", 2);
}

walking(a_second_decision_is_found)
{
	walk(MANNER_FICKLE, 2);
	assert_refuted("1 decides for 1, having decided for 2", 2);
}

walking(a_winner_from_nowhere_is_found)
{
	walk(MANNER_ABSURD, 2);
	assert_refuted("1 decides for a rank that nobody has", 1);
}

/* 1 starts, 2 answers, 1 answers; and when 2 has done so again, nothing has
 * changed. */
walking(a_run_without_end_is_found)
{
	walk(MANNER_ENDLESS, 2);
	assert_refuted(
	    "it can go on for ever: all is as it was after step 2", 4);
}

walking(too_many_messages_are_found)
{
	walk(MANNER_TALKING, 2);
	assert_refuted("1 sends three messages on one link at once", 1);
	explore_done(&result);
	walk(MANNER_GROWING, 2);
	assert_int_equal(result.verdict, EXPLORE_GAVE_UP);
	assert_string_equal(result.why, "more than 15 messages on one link");
}

/* The next failed assertion ends the program as ever. */
walking(a_failed_assertion_is_found)
{
	struct sigaction before, after;

	assert_int_equal(sigaction(SIGABRT, NULL, &before), 0);
	walk(MANNER_FAILING, 2);
	assert_refuted("an assertion fails at 2", 2);
	assert_int_equal(sigaction(SIGABRT, NULL, &after), 0);
	assert_true(after.sa_handler == before.sa_handler);
}

walking(full_memory_is_admitted)
{
	struct explore_setup setup = { .algorithm = &algorithm_bully,
		.nodes_min = 4,
		.nodes_max = 4,
		.memory_bytes = 1 << 18 };

	explore(&setup, &result);
	assert_int_equal(result.verdict, EXPLORE_GAVE_UP);
	assert_string_equal(result.why, "the memory is full");
	assert_true(result.states > 1000);
}

/* This is the shortest run: a message overtakes WAKEUP, and its link is dead.
 */
walking(the_shortest_run_is_shown)
{
	struct explore_setup setup = { .algorithm = algorithm_find("tree"),
		.nodes_min = 1,
		.nodes_max = 3,
		.unordered = true,
		.memory_bytes = EXPLORE_MEMORY_BYTES };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	json_t *json, *run;

	assert_non_null(file);
	explore(&setup, &result);
	assert_refuted("nothing is under way, and 1 has not decided", 5);
	explore_print_json(file, &setup, &result, 0);
	fclose(file);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	run = json_object_get(json, "run");
	assert_int_equal(json_array_size(run), 5);
	assert_non_null(strstr(
	    json_string_value(json_array_get(run, 2)), "TOKEN(2) from 2"));
	assert_string_equal(
	    json_string_value(json_object_get(json, "graph")), "tree: 1-2");
	json_decref(json);
	free(text);
}

static int
command(const char *options)
{
	char line[128], *argv[16] = { line }, *rest;
	int argc = 0;

	snprintf(line, sizeof(line), "explore %s", options);
	for (char *word = strtok_r(line, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	return command_explore(argc, argv);
}

TEST(the_command_says_what_it_found)
{
	assert_int_equal(command("--algorithm all --nodes 2"), COMMAND_YES);
	assert_int_equal(
	    command("--algorithm tree --unordered -o json"), COMMAND_NO);
	assert_int_equal(
	    command("--algorithm bully --nodes 5 --memory 1"), COMMAND_FAILED);
	assert_int_equal(
	    command("--algorithm lelann --nodes 2 --each-choice"), COMMAND_YES);
	assert_int_equal(command("--algorithm bully --join no"), COMMAND_USAGE);
	assert_int_equal(command("--algorithm none"), COMMAND_USAGE);
	assert_int_equal(command("--nodes 3"), COMMAND_USAGE);
	assert_int_equal(command("--algorithm bully --nodes 8"), COMMAND_USAGE);
	assert_int_equal(
	    command("--algorithm bully --nodes 2 --from 3"), COMMAND_USAGE);
	assert_int_equal(command("--algorithm bully what"), COMMAND_USAGE);
	assert_int_equal(command("--help"), COMMAND_YES);
}
