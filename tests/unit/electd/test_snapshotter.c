/* SPDX-License-Identifier: ISC */
/* Snapshots and pieces of events for clients, as other nodes give them. */
#include "tests/unit/group.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/control/answers/answers.h"
#include "daemon/electd/look/snapshotter.h"
#include "tests/lib/control_world.h"

#define OTHER 9 /* a node beside that of the world, which is 2 */

static struct action action;

/* Hands the snapshotter the part of a node, which has a channel with `peer`;
 * NODE_NONE: with nobody. */
static void
give_part(struct snapshotter *s, uint32_t number, unsigned count, node_id peer)
{
	struct writer w = writer_of(action.datagram, sizeof(action.datagram));

	action.pulled = (struct pulled){
		.incarnation = 1,
		.pull = { .kind = PULL_RECORD,
		    .name = { 2, number, 7 },
		    .count = count,
		    .path = { 2, OTHER } },
		.outcome = SNAPSHOT_COMPLETE,
	};
	snapshot_head_encode(
	    &w, &(struct snapshot_head){ .node = count == 1 ? 2 : OTHER,
		    .incarnation = 1,
		    .channels = peer != NODE_NONE });
	if (peer != NODE_NONE)
		snapshot_channel_encode(&w,
		    &(struct snapshot_channel){
			.peer = peer, .session = 5, .stage = CHANNEL_CLOSED });
	action.size = action.pulled.size = w.size;
	snapshotter_take(s, control_world_now(), &action);
}

/* Takes a snapshot of both nodes. */
static struct snapshotter *
assembled(struct control_world *world)
{
	struct snapshotter *s = snapshotter_new();

	assert_int_equal(
	    snapshotter_begin(s, world->node, control_world_now()), 1);
	give_part(s, 1, 1, OTHER);
	assert_int_equal(snapshotter_last(s).number, 0);
	give_part(s, 1, 2, 2);
	assert_int_equal(snapshotter_last(s).number, 1);
	assert_int_equal(
	    snapshotter_last(s).assembly->outcome, SNAPSHOT_COMPLETE);
	return s;
}

/* The other node's events arrive: nothing is new. */
static void
give_events(struct snapshotter *s, uint64_t incarnation)
{
	action.pulled = (struct pulled){
		.incarnation = incarnation,
		.pull = { .kind = PULL_EVENTS,
		    .name = { 2, 1, 7 },
		    .from = 1,
		    .count = 2,
		    .path = { 2, OTHER } },
		.outcome = SNAPSHOT_COMPLETE,
		.first = 1,
	};
	action.size = 0;
	snapshotter_take(s, control_world_now(), &action);
}

static json_t *
answer_of(struct control_world *world, struct snapshotter *s, uint64_t number)
{
	const struct fetched *fetched;

	assert_true(snapshotter_has_fetched(s, number, &fetched));
	return answer_fetched(&world->view, fetched);
}

/* Answers the fetch of the other node's events. */
static json_t *
answered(
    struct control_world *world, struct snapshotter *s, uint64_t incarnation)
{
	uint64_t number = snapshotter_pull(s, OTHER, 1);

	assert_int_not_equal(number, 0);
	snapshotter_go_on(s, world->node, control_world_now());
	give_events(s, incarnation);
	return answer_of(world, s, number);
}

#define CASE(name) TEST(name, control_world_enter, control_world_leave)

CASE(events_of_another_node_are_fetched)
{
	struct snapshotter *s = assembled(*state);
	json_t *answer = answered(*state, s, 1);

	assert_int_equal(
	    json_integer_value(json_object_get(answer, "id")), OTHER);
	json_decref(answer);
	snapshotter_free(s);
}

CASE(events_of_another_process_are_an_error)
{
	struct snapshotter *s = assembled(*state);
	json_t *answer = answered(*state, s, 2);

	assert_string_equal(json_string_value(json_object_get(answer, "error")),
	    "no history: node 9 began anew meanwhile");
	json_decref(answer);
	snapshotter_free(s);
}

/* The next snapshot may not have the node any more. */
CASE(fetch_outlives_the_snapshot_that_led_there)
{
	struct control_world *world = *state;
	struct snapshotter *s = assembled(world);
	uint64_t number = snapshotter_pull(s, OTHER, 1);
	json_t *answer;

	snapshotter_go_on(s, world->node, control_world_now());
	snapshotter_begin(s, world->node, control_world_now());
	give_part(s, 2, 1, NODE_NONE);
	assert_int_equal(snapshotter_last(s).number, 2);
	assert_int_equal(snapshotter_pull(s, OTHER, 1), 0);
	give_events(s, 1);
	answer = answer_of(world, s, number);
	assert_int_equal(
	    json_integer_value(json_object_get(answer, "id")), OTHER);
	json_decref(answer);
	snapshotter_free(s);
}

/* A client that has not read its answer by then must not wait for ever. */
CASE(fetch_that_gave_way_to_later_ones_is_over)
{
	struct control_world *world = *state;
	struct snapshotter *s = assembled(world);
	uint64_t number = snapshotter_pull(s, OTHER, 1), later = number;
	const struct fetched *fetched;

	snapshotter_go_on(s, world->node, control_world_now());
	assert_false(snapshotter_has_fetched(s, number, &fetched));
	give_events(s, 1);
	assert_true(snapshotter_has_fetched(s, number, &fetched));
	assert_non_null(fetched);
	while (fetched != NULL) {
		later = snapshotter_pull(s, OTHER, 1);
		assert_true(later > number && later < number + 100);
		assert_true(snapshotter_has_fetched(s, number, &fetched));
	}
	assert_false(snapshotter_has_fetched(s, later, &fetched));
	snapshotter_free(s);
}

CASE(snapshot_ends_after_its_time)
{
	struct control_world *world = *state;
	struct snapshotter *s = snapshotter_new();
	nsec_t now = control_world_now();

	assert_int_equal(snapshotter_deadline(s), NSEC_NEVER);
	snapshotter_begin(s, world->node, now);
	give_part(s, 1, 1, OTHER);
	assert_int_equal(snapshotter_deadline(s), now + SNAPSHOT_TIME);
	assert_false(snapshotter_tick(s, world->node, now + SEC));
	assert_true(snapshotter_tick(s, world->node, now + SNAPSHOT_TIME));
	assert_int_equal(snapshotter_last(s).number, 1);
	assert_int_equal(snapshotter_last(s).assembly->culprit, OTHER);
	snapshotter_free(s);
}
