/* SPDX-License-Identifier: ISC */
/* The parts of snapshots, as nodes may give them: whole, late, or absurd. */
#include "tests/unit/group.h"

#include <string.h>

#include "daemon/history/assembly.h"

static const struct snapshot_name name = { 1, 1, 1 };
static uint8_t bytes[65536];

/* A part: its node has channels with these peers. */
struct part {
	node_id id;
	unsigned count;
	const node_id *peers;
	uint64_t session; /* of each channel */
	uint32_t sent;
	uint32_t delivered;
	struct snapshot_message message; /* from 0: none */
	uint64_t incarnation;
};

static size_t
write(const struct part *p)
{
	struct writer w = writer_of(bytes, sizeof(bytes));

	snapshot_head_encode(&w, &(struct snapshot_head){
				     .node = p->id,
				     .incarnation = 1,
				     .term = 3,
				     .channels = p->count,
				     .messages = p->message.from != NODE_NONE,
				 });
	for (unsigned i = 0; i < p->count; i++)
		snapshot_channel_encode(&w, &(struct snapshot_channel){
						.peer = p->peers[i],
						.session = p->session,
						.stage = CHANNEL_CLOSED,
						.sent = p->sent,
						.delivered = p->delivered,
					    });
	if (p->message.from != NODE_NONE)
		snapshot_message_encode(&w, &p->message);
	assert_false(w.failed);
	return w.size;
}

/* Gives it in one answer. */
static void
give(struct assembly *c, const struct part *p)
{
	struct pulled pulled = { .outcome = SNAPSHOT_COMPLETE };

	assert_true(assembly_path(c, p->id, &pulled.pull));
	pulled.incarnation = 1;
	pulled.size = write(p);
	assembly_take(c, &pulled, bytes);
}

/* Two nodes: what the first has of the second, and the other way round. */
static struct assembly *
two(struct part *one, struct part *other)
{
	static const node_id ids[] = { 1, 2 };
	struct assembly *c = assembly_new(&name);

	assert_non_null(c);
	one->id = 1;
	one->peers = &ids[1];
	other->id = 2;
	other->peers = &ids[0];
	one->count = 1;
	give(c, one);
	give(c, other);
	return c;
}

TEST(messages_in_transit_make_a_consistent_cut)
{
	struct part one = { .session = 9, .delivered = 4 };
	struct part other = { .count = 1, .session = 9, .sent = 5 };
	char fault[ASSEMBLY_FAULT_MAX];
	struct assembly *c;

	one.message =
	    (struct snapshot_message){ .from = 2, .sequence = 5, .term = 3 };
	c = two(&one, &other);
	assert_int_equal(c->outcome, SNAPSHOT_COMPLETE);
	assert_true(assembly_is_consistent(c, fault));
	assert_true(assembly_keeps_promises(c, fault));
	assembly_free(c);
}

TEST(message_that_is_missing_or_was_not_sent_is_told)
{
	struct part one = { .session = 9, .delivered = 4 };
	struct part other = { .count = 1, .session = 9, .sent = 5 };
	char fault[ASSEMBLY_FAULT_MAX];
	struct assembly *c = two(&one, &other);

	assert_false(assembly_is_consistent(c, fault));
	assert_string_equal(fault,
	    "from 2 to 1 messages 5 to 5 were in transit, but others were recorded");
	assembly_free(c);
	other.sent = 3;
	c = two(&one, &other);
	assert_false(assembly_is_consistent(c, fault));
	assert_string_equal(
	    fault, "1 has taken message 4, which 2 has not sent");
	assembly_free(c);
}

TEST(message_of_a_later_term_breaks_a_promise)
{
	struct part one = { .session = 9, .delivered = 4 };
	struct part other = { .count = 1, .session = 9, .sent = 5 };
	char fault[ASSEMBLY_FAULT_MAX];
	struct assembly *c;

	one.message =
	    (struct snapshot_message){ .from = 2, .sequence = 5, .term = 4 };
	c = two(&one, &other);
	assert_true(assembly_is_consistent(c, fault));
	assert_false(assembly_keeps_promises(c, fault));
	assembly_free(c);
}

TEST(session_of_one_end_alone_ends_the_snapshot)
{
	struct part one = { .session = 9 };
	struct part other = { .count = 1, .session = 8 };
	struct assembly *c = two(&one, &other);

	assert_int_equal(c->outcome, SNAPSHOT_LOST);
	assembly_free(c);
	other = (struct part){ .count = 0 };
	c = two(&one, &other);
	assert_int_equal(c->outcome, SNAPSHOT_LOST);
	assert_int_equal(c->culprit, 2);
	assembly_free(c);
}

/* The pieces of a part come one by one; between two the node began anew. */
TEST(pieces_of_two_processes_are_no_part)
{
	static const node_id peers[] = { 2 };
	const struct part part = { .id = 1, .count = 1, .peers = peers };
	struct assembly *c = assembly_new(&name);
	struct pulled pulled = { .outcome = SNAPSHOT_COMPLETE };

	assert_true(assembly_next(c, &pulled.pull));
	write(&part);
	pulled.incarnation = 1;
	pulled.next = 1;
	pulled.size = SNAPSHOT_HEAD_BYTES;
	assembly_take(c, &pulled, bytes);
	assert_true(assembly_next(c, &pulled.pull));
	assert_int_equal(pulled.pull.from, 1);
	pulled.first = 1;
	pulled.next = 0;
	pulled.incarnation = 2;
	pulled.size = SNAPSHOT_CHANNEL_BYTES;
	assembly_take(c, &pulled, bytes + SNAPSHOT_HEAD_BYTES);
	assert_int_equal(c->outcome, SNAPSHOT_RESTARTED);
	assert_int_equal(c->culprit, 1);
	assembly_free(c);
}

TEST(absurd_answers_end_the_snapshot)
{
	static const node_id peers[] = { 2 };
	const struct part part = { .id = 1, .count = 1, .peers = peers };

	for (unsigned i = 0; i < 4; i++) {
		struct assembly *c = assembly_new(&name);
		struct pulled pulled = {
			.outcome = SNAPSHOT_COMPLETE,
			.incarnation = 1,
			.first = i == 0, /* there is a gap */
			.next = i == 1,  /* no more items than there are */
		};

		assert_true(assembly_next(c, &pulled.pull));
		pulled.size = write(&part);
		pulled.size -= i == 2; /* half an item */
		if (i == 3)
			bytes[3] = 5; /* the head of another node */
		assembly_take(c, &pulled, bytes);
		assert_int_equal(c->outcome, SNAPSHOT_ABSURD);
		assembly_free(c);
	}
}

/* A member can make up as many as it likes. */
TEST(nodes_beyond_all_bounds_end_the_snapshot)
{
	node_id peers[NODES_MAX], more = 5000;
	struct assembly *c = assembly_new(&name);

	peers[0] = 2;
	give(c, &(struct part){ .id = 1, .count = 1, .peers = peers });
	for (unsigned i = 0; i < NODES_MAX - 2; i++)
		peers[i] = 1000 + i;
	give(c,
	    &(struct part){ .id = 2, .count = NODES_MAX - 2, .peers = peers });
	for (unsigned i = 0; i < NODES_MAX - 3; i++)
		give(c, &(struct part){ .id = 1000 + i });
	give(c, &(struct part){
		    .id = 1000 + NODES_MAX - 3, .count = 1, .peers = &more });
	assert_int_equal(c->outcome, SNAPSHOT_ABSURD);
	assembly_free(c);
}

TEST(channels_beyond_all_bounds_end_the_snapshot)
{
	node_id peers[NODES_MAX];
	struct assembly *c = assembly_new(&name);

	for (node_id id = 1; c->outcome == SNAPSHOT_OPEN && id < 300; id++) {
		unsigned count = 0;

		for (node_id peer = 1; peer <= 300; peer++) {
			if (peer != id)
				peers[count++] = peer;
		}
		give(c,
		    &(struct part){ .id = id, .count = count, .peers = peers });
	}
	assert_int_equal(c->outcome, SNAPSHOT_LARGE);
	assembly_free(c);
}
