/* SPDX-License-Identifier: ISC */
#include "common/wire/snapshot.h"

#include <string.h>

static const char *const outcome_names[SNAPSHOT_OUTCOMES] = {
	[SNAPSHOT_OPEN] = "open",
	[SNAPSHOT_COMPLETE] = "complete",
	[SNAPSHOT_LOST] = "lost",
	[SNAPSHOT_FULL] = "full",
	[SNAPSHOT_CHANGED] = "changed",
	[SNAPSHOT_UNKNOWN] = "unknown",
	[SNAPSHOT_BUSY] = "busy",
	[SNAPSHOT_SILENT] = "silent",
	[SNAPSHOT_RESTARTED] = "restarted",
	[SNAPSHOT_LARGE] = "large",
	[SNAPSHOT_FAR] = "far",
	[SNAPSHOT_ABSURD] = "absurd",
};

enum flags {
	HEAD_ELECTING = 1 << 0,
	CHANNEL_UP = 1 << 0,
};

bool
snapshot_name_equal(
    const struct snapshot_name *a, const struct snapshot_name *b)
{
	return a->initiator == b->initiator &&
	       a->incarnation == b->incarnation && a->number == b->number;
}

void
snapshot_name_encode(struct writer *w, const struct snapshot_name *name)
{
	write_u32(w, name->initiator);
	write_u64(w, name->incarnation);
	write_u32(w, name->number);
}

static bool
is_node(node_id id)
{
	return id != NODE_NONE && id <= NODE_ID_MAX;
}

bool
snapshot_name_decode(struct reader *r, struct snapshot_name *name)
{
	name->initiator = read_u32(r);
	name->incarnation = read_u64(r);
	name->number = read_u32(r);
	return !r->failed && is_node(name->initiator) &&
	       name->incarnation != 0 && name->number != 0;
}

const char *
snapshot_outcome_name(enum snapshot_outcome outcome)
{
	assert(outcome < SNAPSHOT_OUTCOMES);
	return outcome_names[outcome];
}

void
snapshot_head_encode(struct writer *w, const struct snapshot_head *head)
{
	size_t before = w->size;

	write_u32(w, head->node);
	write_u64(w, head->incarnation);
	write_u64(w, (uint64_t)head->epoch);
	write_u64(w, head->term);
	write_u32(w, head->leader);
	write_u64(w, head->leader_term);
	write_u64(w, head->election_term);
	write_u8(w, head->is_electing ? HEAD_ELECTING : 0);
	write_u64(w, head->events);
	write_u64(w, head->sent);
	write_u64(w, head->received);
	write_u16(w, (uint16_t)head->channels);
	write_u32(w, head->messages);
	assert(w->failed || w->size - before == SNAPSHOT_HEAD_BYTES);
}

bool
snapshot_head_decode(struct reader *r, struct snapshot_head *head)
{
	uint8_t flags;

	head->node = read_u32(r);
	head->incarnation = read_u64(r);
	head->epoch = (int64_t)read_u64(r);
	head->term = read_u64(r);
	head->leader = read_u32(r);
	head->leader_term = read_u64(r);
	head->election_term = read_u64(r);
	flags = read_u8(r);
	head->is_electing = flags & HEAD_ELECTING;
	head->events = read_u64(r);
	head->sent = read_u64(r);
	head->received = read_u64(r);
	head->channels = read_u16(r);
	head->messages = read_u32(r);
	return !r->failed && is_node(head->node) && head->incarnation != 0 &&
	       head->leader <= NODE_ID_MAX && flags <= HEAD_ELECTING &&
	       head->term <= TERM_MAX && head->leader_term <= TERM_MAX &&
	       head->election_term <= TERM_MAX && head->channels < NODES_MAX &&
	       head->messages <= SNAPSHOT_TRANSIT_MAX;
}

void
snapshot_channel_encode(
    struct writer *w, const struct snapshot_channel *channel)
{
	size_t before = w->size;

	write_u32(w, channel->peer);
	write_u64(w, channel->session);
	write_u8(w, (uint8_t)channel->stage);
	write_u8(w, channel->is_up ? CHANNEL_UP : 0);
	write_u32(w, channel->sent);
	write_u32(w, channel->delivered);
	assert(w->failed || w->size - before == SNAPSHOT_CHANNEL_BYTES);
}

bool
snapshot_channel_decode(struct reader *r, struct snapshot_channel *channel)
{
	uint8_t stage, flags;

	channel->peer = read_u32(r);
	channel->session = read_u64(r);
	stage = read_u8(r);
	channel->stage = (enum channel_stage)stage;
	flags = read_u8(r);
	channel->is_up = flags & CHANNEL_UP;
	channel->sent = read_u32(r);
	channel->delivered = read_u32(r);
	return !r->failed && is_node(channel->peer) && stage < CHANNEL_STAGES &&
	       flags <= CHANNEL_UP;
}

void
snapshot_message_encode(
    struct writer *w, const struct snapshot_message *message)
{
	size_t before = w->size;

	write_u32(w, message->from);
	write_u32(w, message->sequence);
	write_u8(w, message->kind);
	write_u64(w, message->term);
	write_u32(w, message->rank);
	write_u32(w, message->origin);
	write_u32(w, message->phase);
	assert(w->failed || w->size - before == SNAPSHOT_MESSAGE_BYTES);
}

bool
snapshot_message_decode(struct reader *r, struct snapshot_message *message)
{
	message->from = read_u32(r);
	message->sequence = read_u32(r);
	message->kind = read_u8(r);
	message->term = read_u64(r);
	message->rank = read_u32(r);
	message->origin = read_u32(r);
	message->phase = read_u32(r);
	return !r->failed && is_node(message->from) &&
	       (message->kind < MESSAGE_KINDS_MAX ||
		   message->kind >= SNAPSHOT_KIND_MARKER) &&
	       message->term <= TERM_MAX && message->rank <= NODE_ID_MAX &&
	       message->origin <= NODE_ID_MAX;
}

bool
pull_equal(const struct pull *a, const struct pull *b)
{
	return a->kind == b->kind && a->from == b->from &&
	       a->count == b->count &&
	       snapshot_name_equal(&a->name, &b->name) &&
	       memcmp(a->path, b->path, a->count * sizeof(a->path[0])) == 0;
}

void
pull_encode(struct writer *w, const struct pull *pull)
{
	size_t before = w->size;

	assert(pull->count > 0);
	assert(pull->count <= PULL_PATH_MAX);
	write_u8(w, (uint8_t)pull->kind);
	snapshot_name_encode(w, &pull->name);
	write_u64(w, pull->from);
	write_u8(w, (uint8_t)pull->at);
	write_u8(w, (uint8_t)pull->count);
	for (unsigned i = 0; i < pull->count; i++)
		write_u32(w, pull->path[i]);
	assert(w->failed || w->size - before == PULL_BYTES + 4 * pull->count);
}

/* Reads the path; false if a node is in it twice. */
static bool
path_decode(struct reader *r, struct pull *pull)
{
	for (unsigned i = 0; i < pull->count; i++) {
		pull->path[i] = read_u32(r);
		if (!is_node(pull->path[i]))
			return false;
		for (unsigned j = 0; j < i; j++) {
			if (pull->path[i] == pull->path[j])
				return false;
		}
	}
	return !r->failed;
}

bool
pull_read(struct reader *r, struct pull *pull)
{
	uint8_t kind = read_u8(r);

	*pull = (struct pull){ .kind = (enum pull_kind)kind };
	if (kind >= PULL_KINDS || !snapshot_name_decode(r, &pull->name))
		return false;
	pull->from = read_u64(r);
	pull->at = read_u8(r);
	pull->count = read_u8(r);
	return !r->failed && pull->count <= PULL_PATH_MAX &&
	       pull->at < pull->count && path_decode(r, pull);
}

bool
pull_decode(struct reader *r, struct pull *pull)
{
	return pull_read(r, pull) && r->left == 0;
}

void
pulled_encode(struct writer *w, const struct pulled *pulled)
{
	size_t before = w->size;

	pull_encode(w, &pulled->pull);
	write_u8(w, (uint8_t)pulled->outcome);
	write_u64(w, pulled->incarnation);
	write_u32(w, pulled->culprit);
	write_u64(w, pulled->first);
	write_u64(w, pulled->next);
	write_bytes(w, pulled->items, pulled->size);
	assert(w->failed || w->size - before == PULLED_BYTES +
						    4 * pulled->pull.count +
						    pulled->size);
}

bool
pulled_decode(struct reader *r, struct pulled *pulled)
{
	uint8_t outcome;

	if (!pull_read(r, &pulled->pull))
		return false;
	outcome = read_u8(r);
	pulled->outcome = (enum snapshot_outcome)outcome;
	pulled->incarnation = read_u64(r);
	pulled->culprit = read_u32(r);
	pulled->first = read_u64(r);
	pulled->next = read_u64(r);
	pulled->size = r->left;
	pulled->items = read_run(r, r->left);
	return !r->failed && outcome < SNAPSHOT_OUTCOMES &&
	       outcome != SNAPSHOT_OPEN && pulled->culprit <= NODE_ID_MAX;
}
