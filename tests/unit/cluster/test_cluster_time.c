/* SPDX-License-Identifier: ISC */
/*
 * Whole nodes that do not run for a while, a little shorter or longer than it
 * takes to be given up; and times that count from the start of a process.
 */
#include "tests/model/world/assert/world_assert.h"
#include "tests/unit/group.h"

/* True if another node leads by now, as it says itself. */
static bool
another_leads(struct world *w)
{
	for (process_name name = 1; name <= 4; name++) {
		if (world_status(w, name).leader == name)
			return true;
	}
	return false;
}

static bool
five_claims_to_lead(struct world *w)
{
	return world_status(w, 5).state == STATE_LEADER;
}

/* Pauses the leader for so long, at any moment of its heartbeat; true if
 * another replaced it meanwhile. */
static bool
leader_is_replaced(uint64_t seed, nsec_t pause)
{
	struct world *w =
	    world_with((struct world_setup){ .nodes = 5, .seed = seed });
	bool is_replaced;

	world_begin(w);
	world_run(w, seed * 13 * MSEC);
	world_pause(w, 5);
	world_run(w, pause);
	is_replaced = another_leads(w);
	world_resume(w, 5);
	/* The checks run from the first moment on, while waiting datagrams come
	 * in. */
	while (w->now < w->processes[5].resumed_at + 20 * MSEC) {
		assert_false(five_claims_to_lead(w) && another_leads(w));
		world_step(w);
	}
	assert_settles_on(w, 5);
	world_end(w);
	return is_replaced;
}

/* The leader counts its silence from its last heartbeat, as the others do. */
TEST(leader_that_wakes_never_says_it_leads_while_another_does)
{
	unsigned replaced = 0, kept = 0;

	for (nsec_t pause = 200; pause <= 450; pause += 10) {
		for (uint64_t seed = 1; seed <= 8; seed++) {
			if (leader_is_replaced(seed, pause * MSEC))
				replaced++;
			else
				kept++;
		}
	}
	assert_true(replaced > 20);
	assert_true(kept > 20);
}

/* A node that was given up counts as down, so its time to wait begins anew. */
WORLD(time_before_taking_over_counts_from_the_end_of_a_pause)
{
	struct world *w = world_with((struct world_setup){
	    .nodes = 3, .preempt = PREEMPT_AFTER, .preempt_after = 60 * SEC });

	world_begin(w);
	world_crash(w, 3);
	world_settle(w);
	world_start(w, 3);
	world_run(w, 40 * SEC);
	world_pause(w, 3);
	world_run(w, 5 * SEC);
	world_resume(w, 3);
	world_run(w, 59 * SEC);
	assert_leader(w, 2);
	world_run(w, 4 * SEC);
	assert_leader(w, 3);
	assert_reason(w, "preempt:2");
}

/* The new process says in its first hello that the old leader is dead, so
 * nobody waits for a silence. */
WORLD(restarted_leader_is_lost_at_its_first_word)
{
	struct world *w = world_settled_plain(5);

	world_crash(w, 5);
	world_run(w, 20 * MSEC);
	world_trace_clear(w);
	world_start(w, 5);
	world_run(w, 10 * MSEC);
	assert_trace(w, "no leader",
	    "1 no leader in term 1 (died:5)\n"
	    "2 no leader in term 1 (died:5)\n"
	    "3 no leader in term 1 (died:5)\n"
	    "4 no leader in term 1 (died:5)\n");
	assert_settles_on(w, 5);
}

static bool
is_goodbye_to_one(const struct recording *r)
{
	struct reader reader = reader_of(r->bytes, r->size);
	struct packet_head head;

	return packet_head_decode(&reader, &head) && head.type == PACKET_BYE &&
	       head.source == 3 && head.destination == 1;
}

/* A process repeats its goodbye, as nobody else would. */
WORLD(goodbye_is_heard_though_its_first_copy_is_lost)
{
	struct world *w = world_settled_plain(3);
	unsigned copies = 0;

	world_record(w);
	world_cut_way(w, 3, 1);
	world_stop(w, 3);
	world_run(w, 10 * MSEC);
	assert_false(world_runs(w, 3));
	for (size_t i = 0; i < w->network.tape_count; i++) {
		const struct recording *r = &w->network.tape[i];

		if (is_goodbye_to_one(r) && ++copies == 2)
			world_inject(w, 3, 1, r->bytes, r->size);
	}
	assert_true(copies >= 2);
	world_run(w, 10 * MSEC);
	assert_int_equal(
	    node_peer_status(w->processes[1].node, 1).evidence, EVIDENCE_BYE);
	assert_leader(w, 2);
}
