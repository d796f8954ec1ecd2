/* SPDX-License-Identifier: ISC */
#include "tests/model/fuzz/feed_pull.h"

#include "common/wire/snapshot.h"

#define ITEMS_MAX 200

/* An id that the node may know: its own, the other node's, the member's; or
 * another one. */
static node_id
any_id(struct reader *r, const struct stage *s, unsigned node)
{
	uint8_t bits = read_u8(r);

	switch (bits & 3) {
	case 0:
		return s->setups[node].self;
	case 1:
		return s->setups[1 - node].self;
	case 2:
		return s->members[node].id;
	default:
		return 1U + (bits >> 2);
	}
}

static struct snapshot_name
any_name(struct reader *r, const struct stage *s, unsigned node)
{
	uint8_t bits = read_u8(r);

	return (struct snapshot_name){
		.initiator = any_id(r, s, node),
		.incarnation = 1U + (bits & 7),
		.number = 1U + (bits >> 3),
	};
}

static struct pull
any_pull(struct reader *r, const struct stage *s, unsigned node)
{
	struct pull pull = { .name = any_name(r, s, node) };
	uint8_t bits = read_u8(r);

	pull.kind = bits & 1 ? PULL_EVENTS : PULL_RECORD;
	pull.from = read_u8(r);
	pull.count = 1U + (bits >> 1 & 7);
	pull.at = (bits >> 4) % pull.count;
	for (unsigned i = 0; i < pull.count; i++)
		pull.path[i] = any_id(r, s, node);
	return pull;
}

/* The node begins a snapshot, or pulls what is of an earlier one. */
static void
begin(struct reader *r, struct stage *s, unsigned node)
{
	struct pull pull = any_pull(r, s, node);

	if (read_u8(r) & 1)
		pull.name = node_snapshot(s->nodes[node], s->now);
	stage_perform(s, node);
	pull.at = 0;
	pull.count = pull.count > 1 ? 2 : 1;
	pull.path[0] = s->setups[node].self;
	if (pull.path[1] == pull.path[0])
		pull.path[1] = s->members[node].id;
	(void)node_pull(s->nodes[node], s->now, &pull);
	stage_perform(s, node);
}

static void
write_answer(
    struct reader *r, const struct stage *s, unsigned node, struct writer *w)
{
	struct pulled pulled = { .pull = any_pull(r, s, node) };

	pulled.outcome = (enum snapshot_outcome)read_u8(r);
	pulled.culprit = any_id(r, s, node);
	pulled.first = read_u8(r);
	pulled.next = read_u8(r);
	pulled.size = read_u8(r) % ITEMS_MAX;
	if (pulled.size > r->left)
		pulled.size = r->left;
	pulled.items = read_run(r, pulled.size);
	pulled_encode(w, &pulled);
}

static void
write_frame(
    struct reader *r, const struct stage *s, unsigned node, struct writer *w)
{
	static const enum frame_type types[] = { FRAME_SNAPSHOT, FRAME_MESSAGE,
		FRAME_PULL, FRAME_PULLED };
	uint8_t bits = read_u8(r), bytes[PULLED_BYTES_MAX + ITEMS_MAX];
	struct writer b = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = {
		.type = (uint8_t)types[bits & 3],
		.sequence = (bits & 3) == 1 ? 1U + (bits >> 2 & 7) : 0,
		.bytes = bytes,
	};

	if (bits & 2) {
		const struct pull pull = any_pull(r, s, node);

		if (bits & 1)
			write_answer(r, s, node, &b);
		else
			pull_encode(&b, &pull);
	} else {
		const struct snapshot_name name = any_name(r, s, node);

		snapshot_name_encode(&b, &name);
	}
	f.size = b.size - (bits >> 7);
	frame_encode(w, &f);
}

void
feed_pull(struct reader *r, struct stage *s, unsigned node)
{
	uint8_t frames[3 * (FRAME_BYTES + PULLED_BYTES_MAX + ITEMS_MAX)];
	struct writer w = writer_of(frames, sizeof(frames));
	unsigned count = read_u8(r) & 3;

	if (count == 0)
		begin(r, s, node);
	for (unsigned i = 0; i < count; i++)
		write_frame(r, s, node, &w);
	if (count > 0 && s->members[node].has_session)
		stage_beat(s, node, frames, w.size, count);
}
