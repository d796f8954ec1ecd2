/* SPDX-License-Identifier: ISC */
/*
 * Snapshots and pulls, as a member of the cluster causes them that says what it
 * likes; tests/lib/stage.h has more about the nodes. What snapshots show of whole
 * worlds: test_cluster_snapshot.c.
 */
#include "tests/lib/stage.h"
#include "tests/unit/group.h"

#include <string.h>

#define MEMBER 1 /* the ids */
#define TWO    2

#define INITIATORS 8 /* whose snapshots a node takes part in at once */

static struct stage s;
static struct member *member = &s.members[0];

static int
enter(void **state)
{
	stage_set(&s, 2);
	stage_begin(&s, 5 * SEC);
	*state = &s;
	return 0;
}

/* Writes a frame with a name, or, with a sequence, a marker. */
static void
write_name(
    struct writer *w, uint32_t sequence, const struct snapshot_name *name)
{
	uint8_t bytes[SNAPSHOT_NAME_BYTES];
	struct writer b = writer_of(bytes, sizeof(bytes));

	snapshot_name_encode(&b, name);
	frame_encode(
	    w, &(struct packet_frame){
		   .type = sequence == 0 ? FRAME_SNAPSHOT : FRAME_MESSAGE,
		   .sequence = sequence,
		   .bytes = bytes,
		   .size = b.size,
	       });
	assert_false(w->failed);
}

/* The member says this name to node 2, so many times, each of another
 * snapshot. */
static void
say_names(struct snapshot_name name, unsigned count)
{
	uint8_t frames[1000];
	struct writer w = writer_of(frames, sizeof(frames));

	for (unsigned i = 0; i < count; i++) {
		write_name(&w, 0, &name);
		name.number++;
	}
	stage_beat(&s, 0, frames, w.size, count);
}

static void
say_marker(const struct snapshot_name *name)
{
	uint8_t frames[100];
	struct writer w = writer_of(frames, sizeof(frames));

	write_name(&w, ++member->sequence, name);
	stage_beat(&s, 0, frames, w.size, 1);
}

/* How far the part of node 2 is; OPEN: there is no answer yet. */
static enum snapshot_outcome
outcome_of(const struct snapshot_name *name)
{
	struct pull pull = { .name = *name, .count = 1, .path = { TWO } };
	unsigned answers = s.answers[0];

	assert_true(node_pull(s.nodes[0], s.now, &pull));
	stage_perform(&s, 0);
	return s.answers[0] == answers ? SNAPSHOT_OPEN : s.pulled[0].outcome;
}

STAGE_CASE(name_makes_a_part_and_markers_complete_it, enter, &s)
{
	const struct snapshot_name name = { MEMBER, 1, 7 };

	assert_int_equal(outcome_of(&name), SNAPSHOT_UNKNOWN);
	say_names(name, 1);
	assert_int_equal(outcome_of(&name), SNAPSHOT_OPEN);
	stage_run(&s, 10 * MSEC); /* the marker of node 3 has come */
	say_marker(&name);
	assert_int_equal(s.pulled[0].outcome, SNAPSHOT_COMPLETE);
	assert_true(s.pulled[0].size > SNAPSHOT_HEAD_BYTES);
}

STAGE_CASE(marker_of_no_node_is_dropped, enter, &s)
{
	const struct snapshot_name name = { NODE_NONE, 1, 7 };
	uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

	say_marker(&name);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
}

STAGE_CASE(node_awaits_the_marker_of_each_peer, enter, &s)
{
	const struct snapshot_name name = node_snapshot(s.nodes[0], s.now);

	assert_int_equal(node_snapshot_awaits(s.nodes[0]), MEMBER);
	stage_perform(&s, 0);
	say_marker(&name);
	stage_run(&s, 10 * MSEC); /* the marker of node 3 has come */
	assert_int_equal(node_snapshot_awaits(s.nodes[0]), NODE_NONE);
}

/* One of each initiator, and no more initiators. */
STAGE_CASE(node_is_busy_with_the_snapshots_of_many, enter, &s)
{
	struct snapshot_name name = { 10, 1, 7 };

	for (unsigned i = 0; i < INITIATORS; i++) {
		say_names(name, 1);
		name.initiator++;
	}
	name.initiator--;
	assert_int_equal(outcome_of(&name), SNAPSHOT_OPEN);
	name.initiator++;
	say_names(name, 1);
	assert_int_equal(outcome_of(&name), SNAPSHOT_BUSY);
}

STAGE_CASE(nine_names_are_no_datagram, enter, &s)
{
	uint64_t before = stage_dropped(&s, 0, DROP_FORMAT);

	say_names((struct snapshot_name){ MEMBER, 1, 7 }, 9);
	assert_int_equal(stage_dropped(&s, 0, DROP_FORMAT), before + 1);
}

/* An incarnation may go back, and anybody may say any name. */
STAGE_CASE(later_name_blocks_an_initiator_for_a_moment_only, enter, &s)
{
	const struct snapshot_name forged = { MEMBER, UINT32_MAX, UINT64_MAX };
	const struct snapshot_name name = { MEMBER, 1, 7 };

	say_names(forged, 1);
	say_names(name, 1);
	assert_int_equal(outcome_of(&name), SNAPSHOT_UNKNOWN);
	stage_run(&s, 10 * SEC);
	say_names(name, 1);
	assert_int_equal(outcome_of(&name), SNAPSHOT_OPEN);
}

/* Each costs a block for every peer, and elections need blocks. */
STAGE_CASE(many_names_leave_blocks_for_elections, enter, &s)
{
	unsigned sessions = stage_status(&s, 0).reachable;
	struct snapshot_name name = { MEMBER, 1, 7 };
	uint64_t term = stage_status(&s, 0).term;

	s.is_cut = true; /* nobody acknowledges */
	for (unsigned i = 0; i < 100; i++) {
		say_names(name, 8);
		name.number += 8;
	}
	s.is_cut = false;
	assert_true(stage_elect(&s, 0) > term);
	assert_int_equal(stage_status(&s, 0).reachable, sessions);
}

STAGE_CASE(answers_that_nobody_asked_for_change_nothing, enter, &s)
{
	uint8_t frames[PULLED_BYTES_MAX], bytes[PULLED_BYTES_MAX];
	struct writer w = writer_of(frames, sizeof(frames));
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct pulled pulled = {
		.pull = { .kind = PULL_EVENTS,
		    .name = { TWO, 1, 1 },
		    .from = 1,
		    .count = 2,
		    .path = { TWO, MEMBER } },
		.outcome = SNAPSHOT_COMPLETE,
	};

	pulled_encode(&b, &pulled);
	frame_encode(
	    &w, &(struct packet_frame){
		    .type = FRAME_PULLED, .bytes = bytes, .size = b.size });
	stage_beat(&s, 0, frames, w.size, 1);
	assert_int_equal(s.answers[0], 0);
	/* The datagram answers this pull. */
	assert_true(node_pull(s.nodes[0], s.now, &pulled.pull));
	stage_perform(&s, 0);
	stage_beat(&s, 0, frames, w.size, 1);
	assert_int_equal(s.answers[0], 1);
	assert_int_equal(s.pulled[0].outcome, SNAPSHOT_COMPLETE);
}

STAGE_CASE(silent_node_ends_a_pull, enter, &s)
{
	const struct pull pull = { .kind = PULL_EVENTS,
		.name = { TWO, 1, 1 },
		.from = 1,
		.count = 2,
		.path = { TWO, MEMBER } };

	assert_true(node_pull(s.nodes[0], s.now, &pull));
	stage_perform(&s, 0);
	stage_run(&s, 5 * SEC); /* the member beats, and answers nothing */
	assert_int_equal(s.answers[0], 1);
	assert_int_equal(s.pulled[0].outcome, SNAPSHOT_SILENT);
	assert_int_equal(s.pulled[0].culprit, MEMBER);
}
