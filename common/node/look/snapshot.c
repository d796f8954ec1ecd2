/* SPDX-License-Identifier: ISC */
/*
 * Our parts of snapshots. A node records its state before it takes anything
 * that a peer said after that one had recorded: its datagrams bear the name of
 * the snapshot until we have taken its marker. Messages that come between our
 * record and the marker were in transit (PROTOCOL.md, Snapshots).
 */

#include "common/node/look/snapshot.h"

#include <inttypes.h>
#include <string.h>

#include "common/node/context.h"
#include "common/node/peer/peers.h"
#include "common/node/peer/session.h"

/* Longer than SNAPSHOT_TIME (node.h): then nobody waits for one any more. */
#define KEPT (6 * SEC)

/* Snapshots of one initiator: five hundred a second, and a hundred at once.
 * Each costs a marker to every peer. */
#define RECORD_COST  (2 * MSEC)
#define RECORD_BURST (200 * MSEC)

/* The number of a marker that found no room: our datagrams go on with the
 * name. */
#define MARKER_UNSENT UINT32_MAX

size_t
snapshot_size(void)
{
	return SNAPSHOT_TRANSIT_MAX * sizeof(struct transit);
}

void
snapshot_init(struct node *node, void *memory)
{
	node->look.snapshots.messages = memory;
	node->look.snapshots.messages_count = 0;
}

static bool
is_used(const struct snapshot_part *part)
{
	return part->name.incarnation != 0;
}

static void
part_fail(
    struct snapshot_part *part, enum snapshot_outcome outcome, node_id culprit)
{
	if (part->outcome != SNAPSHOT_OPEN)
		return;
	part->outcome = outcome;
	part->culprit = culprit;
}

void
snapshot_change(struct node *node, void *memory)
{
	snapshot_init(node, memory);
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		struct snapshot_part *part = &node->look.snapshots.parts[i];

		if (!is_used(part))
			continue;
		part->outcome = SNAPSHOT_CHANGED;
		part->culprit = node->setup.self;
	}
}

/* Forgets a part, and frees its messages. */
static void
part_free(struct node *node, unsigned number)
{
	struct node_snapshots *s = &node->look.snapshots;
	unsigned kept = 0;

	for (unsigned i = 0; i < s->messages_count; i++) {
		if (s->messages[i].part != number)
			s->messages[kept++] = s->messages[i];
	}
	s->messages_count = kept;
	s->parts[number] = (struct snapshot_part){ .open = 0 };
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		struct peer_snapshots *ps = &p->snapshots;

		ps->parts[number] = (struct peer_snapshot){ .marker = 0 };
		ps->marker = 0;
		for (unsigned j = 0; j < SNAPSHOTS_MAX; j++) {
			if (ps->parts[j].marker > ps->marker)
				ps->marker = ps->parts[j].marker;
		}
	}
}

/* The part for a snapshot of this initiator: the one that it has, as it ends a
 * snapshot before it begins the next, or a free one, or one that is over;
 * SNAPSHOTS_MAX: none. */
static unsigned
part_of(const struct node *node, nsec_t now, node_id initiator)
{
	const struct snapshot_part *parts = node->look.snapshots.parts;
	unsigned found = SNAPSHOTS_MAX;

	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		if (is_used(&parts[i]) && parts[i].name.initiator == initiator)
			return i;
		if (!is_used(&parts[i]) || nsec_since(now, parts[i].at) > KEPT)
			found = i;
	}
	return found;
}

/* The part of the snapshot with this name; SNAPSHOTS_MAX: none. */
static unsigned
part_find(const struct node *node, const struct snapshot_name *name)
{
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		if (snapshot_name_equal(
			&node->look.snapshots.parts[i].name, name))
			return i;
	}
	return SNAPSHOTS_MAX;
}

static bool
is_later(const struct snapshot_name *a, const struct snapshot_name *b)
{
	assert(a->initiator == b->initiator);
	if (a->incarnation != b->incarnation)
		return a->incarnation > b->incarnation;
	return a->number > b->number;
}

static struct snapshot_head
head_of(const struct node *node)
{
	const struct lead *lead = &node->lead;

	return (struct snapshot_head){
		.node = node->setup.self,
		.incarnation = node->setup.durable.incarnation,
		.epoch = node->setup.epoch,
		.term = node->election.term,
		.leader = lead_id(lead),
		.leader_term = lead->beacon.term,
		.election_term = node->election.run_term,
		.is_electing = node->election.is_open,
		.events = node->look.events.count,
		.sent = node->counters.sent,
		.received = node->counters.received,
	};
}

/* Sends our marker of a snapshot to the peer, which is not to take anything
 * else before it has recorded. */
static void
marker_send(struct node *node, unsigned number, struct peer *p)
{
	struct snapshot_part *part = &node->look.snapshots.parts[number];
	uint8_t bytes[SNAPSHOT_NAME_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	assert(p->has_session);
	snapshot_name_encode(&w, &part->name);
	assert(!w.failed);
	peers_touch(node, p);
	p->snapshots.parts[number].marker = MARKER_UNSENT;
	if (channel_send(&p->channel, node->blocks, bytes, w.size))
		p->snapshots.parts[number].marker =
		    channel_last_sent(&p->channel);
	else
		part_fail(part, SNAPSHOT_FULL, p->setup.id);
	p->snapshots.marker = p->snapshots.parts[number].marker;
}

/* Begins to record what comes from the peer; the state of the session is that
 * of the record. */
static void
channel_begin(struct node *node, unsigned number, struct peer *p)
{
	struct snapshot_part *part = &node->look.snapshots.parts[number];
	struct peer_snapshot *ps = &p->snapshots.parts[number];

	*ps = (struct peer_snapshot){
		.session = session_name(&p->session),
		.sent = channel_last_sent(&p->channel),
		.delivered = channel_last_delivered(&p->channel),
		.stage = CHANNEL_OPEN,
		.is_up = p->link.is_up,
		.is_listed = true,
	};
	part->open++;
	marker_send(node, number, p);
}

/* True if there is room for the markers of another snapshot: half of the blocks
 * are for elections. Takes it from the bucket. */
static bool
may_record(struct node *node, nsec_t now)
{
	const struct blocks *pool = node->blocks;

	return now >= node->look.snapshots.declines_until &&
	       blocks_free_count(pool) >=
		   blocks_count(pool) / 2 + peers_sessions(node) &&
	       bucket_take(&node->look.snapshots.empty_at, now, RECORD_COST,
		   RECORD_BURST);
}

/* Records our state. */
static void
record(struct node *node, nsec_t now, unsigned number,
    const struct snapshot_name *name)
{
	struct snapshot_part *part = &node->look.snapshots.parts[number];

	part_free(node, number);
	*part = (struct snapshot_part){
		.name = *name,
		.at = now,
		.head = head_of(node),
	};
	node_trace(node, now, "snapshot %" PRIu32 " of %" PRIu32 " -> record",
	    name->number, name->initiator);
	for (struct peer *p = node->peers; p < peers_end(node); p++) {
		if (p->has_session)
			channel_begin(node, number, p);
	}
	if (part->open == 0 && part->outcome == SNAPSHOT_OPEN)
		part->outcome = SNAPSHOT_COMPLETE;
}

struct snapshot_name
snapshot_begin(struct node *node, nsec_t now)
{
	struct node_snapshots *s = &node->look.snapshots;
	struct snapshot_name name = {
		.initiator = node->setup.self,
		.incarnation = node->setup.durable.incarnation,
		.number = ++s->number,
	};
	unsigned number = part_of(node, now, name.initiator);

	if (number < SNAPSHOTS_MAX && may_record(node, now))
		record(node, now, number, &name);
	return name;
}

/* True if we have recorded or declined this snapshot, or a later one of this
 * initiator a moment ago. */
static bool
is_known(const struct snapshot_part *part, nsec_t now,
    const struct snapshot_name *name)
{
	if (!is_used(part) || part->name.initiator != name->initiator)
		return false;
	return snapshot_name_equal(&part->name, name) ||
	       (!is_later(name, &part->name) &&
		   nsec_since(now, part->at) <= KEPT);
}

/* We must not record later what we declined, after we took what others said:
 * so without space for the name we decline all, until nobody waits for it. */
void
snapshot_hear(struct node *node, nsec_t now, const struct snapshot_name *name)
{
	struct node_snapshots *s = &node->look.snapshots;
	unsigned number = part_of(node, now, name->initiator);
	struct snapshot_part *part;

	if (number == SNAPSHOTS_MAX) {
		s->declines_until = nsec_after(now, KEPT);
		return;
	}
	part = &s->parts[number];
	if (is_known(part, now, name))
		return;
	if (may_record(node, now)) {
		record(node, now, number, name);
		return;
	}
	part_free(node, number);
	*part = (struct snapshot_part){
		.name = *name,
		.at = now,
		.outcome = SNAPSHOT_BUSY,
		.culprit = node->setup.self,
	};
}

/* Keeps a message that was in transit. */
static void
transit_add(struct node *node, unsigned number, const struct peer *p,
    const struct snapshot_message *message)
{
	struct node_snapshots *s = &node->look.snapshots;

	if (s->messages_count == SNAPSHOT_TRANSIT_MAX) {
		part_fail(&s->parts[number], SNAPSHOT_FULL, p->setup.id);
		return;
	}
	s->messages[s->messages_count++] =
	    (struct transit){ .part = number, .message = *message };
	s->parts[number].head.messages++;
}

/* True if our part records what comes from the peer. */
static bool
is_recording(const struct node *node, unsigned number, const struct peer *p)
{
	const struct peer_snapshot *ps = &p->snapshots.parts[number];

	return is_used(&node->look.snapshots.parts[number]) && ps->is_listed &&
	       ps->stage == CHANNEL_OPEN &&
	       node->look.snapshots.parts[number].outcome == SNAPSHOT_OPEN;
}

static void
transit_add_to_all(struct node *node, const struct peer *p,
    const struct snapshot_message *message)
{
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		if (is_recording(node, i, p))
			transit_add(node, i, p, message);
	}
}

void
snapshot_take_marker(
    struct node *node, struct peer *p, const struct snapshot_name *name)
{
	unsigned number = part_find(node, name);
	struct snapshot_part *part;

	if (number < SNAPSHOTS_MAX && is_recording(node, number, p)) {
		part = &node->look.snapshots.parts[number];
		p->snapshots.parts[number].stage = CHANNEL_CLOSED;
		assert(part->open > 0);
		if (--part->open == 0)
			part->outcome = SNAPSHOT_COMPLETE;
	}
	/* To other snapshots it is a message like any other. */
	transit_add_to_all(node, p,
	    &(struct snapshot_message){
		.from = p->setup.id,
		.sequence = channel_last_delivered(&p->channel),
		.kind = SNAPSHOT_KIND_MARKER,
	    });
}

void
snapshot_take_message(
    struct node *node, const struct peer *p, const struct message *m)
{
	struct snapshot_message message = {
		.from = p->setup.id,
		.sequence = channel_last_delivered(&p->channel),
		.kind = SNAPSHOT_KIND_UNKNOWN,
	};

	if (m != NULL) {
		message.kind = m->kind;
		message.term = m->term;
		message.rank = m->rank.id;
		message.origin = m->origin;
		message.phase = m->phase;
	}
	transit_add_to_all(node, p, &message);
}

void
snapshot_on_session(struct node *node, nsec_t now, struct peer *p)
{
	assert(p->has_session);
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		struct snapshot_part *part = &node->look.snapshots.parts[i];

		if (!is_used(part) || part->outcome == SNAPSHOT_BUSY ||
		    nsec_since(now, part->at) > KEPT)
			continue;
		/* If the part has an earlier session with the peer, this one
		 * gets a marker only. */
		if (part->outcome == SNAPSHOT_OPEN &&
		    !p->snapshots.parts[i].is_listed)
			channel_begin(node, i, p);
		else
			marker_send(node, i, p);
	}
}

void
snapshot_reset(struct node *node, struct peer *p)
{
	assert(!p->has_session);
	p->snapshots.marker = 0;
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		struct peer_snapshot *ps = &p->snapshots.parts[i];

		ps->marker = 0;
		if (!is_recording(node, i, p))
			continue;
		ps->stage = CHANNEL_LOST;
		part_fail(
		    &node->look.snapshots.parts[i], SNAPSHOT_LOST, p->setup.id);
	}
}

/* True if the peer has not taken the marker with this number; 0: none. */
static bool
is_awaited(const struct peer *p, uint32_t marker)
{
	return marker != 0 && !channel_is_acknowledged(&p->channel, marker);
}

bool
snapshot_names(const struct peer *p)
{
	return is_awaited(p, p->snapshots.marker);
}

unsigned
snapshot_write(const struct node *node, const struct peer *p, struct writer *f)
{
	unsigned count = 0;

	for (unsigned i = 0; snapshot_names(p) && i < SNAPSHOTS_MAX; i++) {
		const struct snapshot_part *part =
		    &node->look.snapshots.parts[i];
		uint8_t bytes[SNAPSHOT_NAME_BYTES];
		struct writer w = writer_of(bytes, sizeof(bytes));

		if (!is_used(part) ||
		    !is_awaited(p, p->snapshots.parts[i].marker))
			continue;
		snapshot_name_encode(&w, &part->name);
		assert(!w.failed);
		frame_encode(f, &(struct packet_frame){
				    .type = FRAME_SNAPSHOT,
				    .bytes = bytes,
				    .size = w.size,
				});
		count++;
	}
	return count;
}

enum snapshot_outcome
snapshot_outcome_of(
    const struct node *node, const struct snapshot_name *name, node_id *culprit)
{
	unsigned number = part_find(node, name);
	nsec_t now = node->input.now;

	*culprit = node->setup.self;
	if (number == SNAPSHOTS_MAX)
		return now < node->look.snapshots.declines_until ||
			       part_of(node, now, name->initiator) ==
				   SNAPSHOTS_MAX
			   ? SNAPSHOT_BUSY
			   : SNAPSHOT_UNKNOWN;
	*culprit = node->look.snapshots.parts[number].culprit;
	return node->look.snapshots.parts[number].outcome;
}

node_id
snapshot_awaits(const struct node *node)
{
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		if (node->look.snapshots.parts[i].name.initiator !=
		    node->setup.self)
			continue;
		for (unsigned j = 0; j < node->peers_count; j++) {
			if (is_recording(node, i, &node->peers[j]))
				return node->peers[j].setup.id;
		}
	}
	return NODE_NONE;
}

/* The number of channels of a part. */
static unsigned
channels_count(const struct node *node, unsigned number)
{
	unsigned count = 0;

	for (const struct peer *p = node->peers; p < peers_end(node); p++)
		count += p->snapshots.parts[number].is_listed;
	return count;
}

/* What a part has of a peer. */
static struct snapshot_channel
channel_of(const struct peer *p, unsigned number)
{
	const struct peer_snapshot *ps = &p->snapshots.parts[number];

	return (struct snapshot_channel){
		.peer = p->setup.id,
		.session = ps->session,
		.stage = (enum channel_stage)ps->stage,
		.is_up = ps->is_up,
		.sent = ps->sent,
		.delivered = ps->delivered,
	};
}

/* The items of a part, one after the other: those from `from` on are written
 * while there is room. */
struct items {
	struct writer *w;
	uint64_t at;
	uint64_t from;
	bool is_full;
};

/* True if the next item, of `size` bytes, is to be written. */
static bool
items_take(struct items *items, size_t size)
{
	if (items->is_full || items->at++ < items->from)
		return false;
	items->is_full = items->w->capacity - items->w->size < size;
	items->at -= items->is_full;
	return !items->is_full;
}

uint64_t
snapshot_write_items(const struct node *node, const struct snapshot_name *name,
    uint64_t from, struct writer *w)
{
	const struct node_snapshots *s = &node->look.snapshots;
	unsigned number = part_find(node, name);
	struct items items = { .w = w, .from = from };
	struct snapshot_head head;

	assert(number < SNAPSHOTS_MAX);
	assert(s->parts[number].outcome == SNAPSHOT_COMPLETE);
	head = s->parts[number].head;
	head.channels = channels_count(node, number);
	if (items_take(&items, SNAPSHOT_HEAD_BYTES))
		snapshot_head_encode(w, &head);
	for (const struct peer *p = node->peers; p < peers_end(node); p++) {
		const struct snapshot_channel channel = channel_of(p, number);

		if (p->snapshots.parts[number].is_listed &&
		    items_take(&items, SNAPSHOT_CHANNEL_BYTES))
			snapshot_channel_encode(w, &channel);
	}
	for (unsigned i = 0; i < s->messages_count; i++) {
		if (s->messages[i].part == number &&
		    items_take(&items, SNAPSHOT_MESSAGE_BYTES))
			snapshot_message_encode(w, &s->messages[i].message);
	}
	assert(!w->failed);
	return items.is_full ? items.at : 0;
}

void
snapshot_check(const struct node *node)
{
	const struct node_snapshots *s = &node->look.snapshots;

	assert(s->messages_count <= SNAPSHOT_TRANSIT_MAX);
	for (unsigned i = 0; i < SNAPSHOTS_MAX; i++) {
		const struct snapshot_part *part = &s->parts[i];
		unsigned open = 0, messages = 0;

		if (part->outcome != SNAPSHOT_OPEN &&
		    part->outcome != SNAPSHOT_COMPLETE)
			continue;
		for (unsigned j = 0; j < node->peers_count; j++) {
			const struct peer_snapshot *ps =
			    &node->peers[j].snapshots.parts[i];

			open += ps->is_listed && ps->stage == CHANNEL_OPEN;
			assert(node->peers[j].has_session || ps->marker == 0);
		}
		for (unsigned j = 0; j < s->messages_count; j++)
			messages += s->messages[j].part == i;
		assert(part->open == open);
		assert(part->head.messages == messages);
		assert(!is_used(part) ||
		       (open == 0) == (part->outcome == SNAPSHOT_COMPLETE));
	}
}
