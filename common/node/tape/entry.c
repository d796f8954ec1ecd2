/* SPDX-License-Identifier: ISC */
#include "common/node/tape/entry.h"

#include <string.h>

/* Bits of a peer's setup. */
#define PEER_IS_REMOTE     1
#define PEER_IS_CONFIGURED 2

/* Bits of choices, and of what else is yes or no. */
#define SETUP_STARTERS_ONLY 1
#define SETUP_NO_WAKEUP     2
#define SETUP_ANY_LEADER    4
#define SETUP_HAS_GROUP     8
#define SETUP_DISCOVERS     16
#define SETUP_HAS_ADDRESSES 32

/* Bytes of a setup, at most: for each peer, and for the rest but a document. */
#define SETUP_PEER_BYTES ((size_t)16)
#define SETUP_BYTES      512

static void
write_document(struct writer *w, const uint8_t *document, size_t size)
{
	write_u32(w, (uint32_t)size);
	if (size > 0)
		write_bytes(w, document, size);
}

static void
write_name(struct writer *w, const char *text, size_t capacity)
{
	size_t size = strnlen(text, capacity - 1);

	write_u8(w, (uint8_t)size);
	write_bytes(w, text, size);
}

static void
write_peers(struct writer *w, const struct node_setup *s)
{
	write_u16(w, (uint16_t)s->peers_count);
	for (unsigned i = 0; i < s->peers_count; i++) {
		const struct peer_setup *p = &s->peers[i];

		write_u32(w, p->id);
		write_u32(w, (uint32_t)p->priority);
		write_u8(w, (uint8_t)p->role);
		write_u8(
		    w, (uint8_t)((p->is_remote ? PEER_IS_REMOTE : 0) |
				 (p->is_configured ? PEER_IS_CONFIGURED : 0)));
	}
}

static void
write_side(struct writer *w, const unsigned *order, unsigned count)
{
	write_u16(w, (uint16_t)count);
	for (unsigned i = 0; i < count; i++)
		write_u16(w, (uint16_t)order[i]);
}

static unsigned
setup_flags(const struct node_setup *s)
{
	return (s->choices.starters_only ? SETUP_STARTERS_ONLY : 0) |
	       (s->choices.no_wakeup ? SETUP_NO_WAKEUP : 0) |
	       (s->choices.any_leader ? SETUP_ANY_LEADER : 0) |
	       (s->has_group ? SETUP_HAS_GROUP : 0) |
	       (s->discovery.is_on ? SETUP_DISCOVERS : 0) |
	       (s->discovery.has_addresses ? SETUP_HAS_ADDRESSES : 0);
}

static void
write_setup(struct writer *w, const struct node_setup *s)
{
	write_u32(w, s->self);
	write_u32(w, (uint32_t)s->priority);
	write_u8(w, (uint8_t)s->role);
	write_u8(w, (uint8_t)s->guarantee);
	write_u8(w, (uint8_t)s->topology);
	write_u8(w, (uint8_t)s->prefer);
	write_u8(w, (uint8_t)s->preempt);
	write_u64(w, s->preempt_after);
	write_u64(w, s->timing.heartbeat);
	write_u32(w, s->timing.misses);
	write_u64(w, s->timing.startup);
	write_u64(w, s->timing.lease);
	write_name(w, s->algorithm->name, RECORD_NAME_MAX);
	write_u32(w, s->choices.diameter);
	write_u8(w, s->choices.variant);
	write_u8(w, (uint8_t)setup_flags(s));
	write_u64(w, s->discovery.forget);
	write_name(w, s->discovery.name, JOINER_NAME_MAX);
	config_id_encode(w, &s->config_id);
	write_u8(w, (uint8_t)s->state_health);
	write_peers(w, s);
	write_side(w, s->ring.right, s->ring.right_count);
	write_side(w, s->ring.left, s->ring.left_count);
	write_document(w, s->document, s->document_size);
}

static void
write_reason(struct writer *w, const char *text)
{
	char reason[STANDBY_REASON_MAX + 1] = { 0 };

	memcpy(reason, text, strnlen(text, sizeof(reason) - 1));
	write_bytes(w, reason, sizeof(reason));
}

static void
write_standby(struct writer *w, const struct standby *standby)
{
	write_u8(w, (uint8_t)standby->cause);
	write_u8(w, standby->is_on);
	if (!standby->is_on)
		return;
	write_u64(w, standby->age);
	write_u64(w, standby->left);
	write_reason(w, standby->reason);
}

/* The core reads of a sealed datagram what is in clear, and what a key says. */
static void
write_datagram(struct writer *w, const struct entry *in)
{
	uint8_t clear[PACKET_CLEAR_BYTES] = { 0 };

	if (in->size > 0)
		memcpy(clear, in->bytes,
		    in->size < sizeof(clear) ? in->size : sizeof(clear));
	write_u64(w, in->age);
	write_u32(w, in->peer);
	write_u16(
	    w, (uint16_t)(in->size > PACKET_MAX ? PACKET_MAX + 1 : in->size));
	write_bytes(w, clear, sizeof(clear));
}

void
entry_write(struct writer *w, const struct entry *in)
{
	switch ((int)in->kind) {
	case TAPE_RECEIVE:
		write_datagram(w, in);
		break;
	case TAPE_REFUSED:
		write_u32(w, in->peer);
		break;
	case TAPE_RESIGN:
		write_u32(w, in->to);
		write_reason(w, in->reason);
		break;
	case TAPE_TAKE_BACK:
		write_u64(w, in->until);
		break;
	case TAPE_STANDBY:
		write_standby(w, in->standby);
		break;
	case TAPE_KEYS:
	case TAPE_PERSISTED:
	case TAPE_CARRIER:
	case TAPE_FILE:
		write_u8(w, in->is_set);
		break;
	case TAPE_ANNOUNCE:
	case TAPE_CHANGE:
		write_setup(w, in->setup);
		break;
	case TAPE_PULL:
		pull_encode(w, in->pull);
		break;
	case TAPE_PROPOSE:
	case TAPE_REFUSE:
		write_u8(w, in->config_id != NULL);
		if (in->config_id != NULL)
			config_id_encode(w, in->config_id);
		write_document(w, in->document, in->document_size);
		break;
	default:
		break;
	}
}

size_t
entry_size(const struct entry *in)
{
	size_t size = in->document_size;

	if (in->pull != NULL)
		size += PULL_BYTES + sizeof(in->pull->path);
	if (in->setup != NULL)
		size += SETUP_BYTES +
			SETUP_PEER_BYTES * in->setup->peers_count +
			in->setup->document_size;
	return size;
}

void
entry_write_checkpoint(struct writer *w, const struct checkpoint *checkpoint,
    const char *algorithm)
{
	write_u8(w, TAPE_CHECKPOINT);
	write_u64(w, checkpoint->now);
	write_u64(w, checkpoint->base);
	write_u8(w, (uint8_t)checkpoint->topology);
	write_name(w, algorithm, RECORD_NAME_MAX);
	write_document(w, checkpoint->document, checkpoint->document_size);
	write_document(w, checkpoint->proposal, checkpoint->proposal_size);
}

/* What was read is out of its range: nothing more is read. */
static void
fail(struct reader *r)
{
	r->failed = true;
	r->left = 0;
}

/* A number below `limit`. */
static unsigned
read_below(struct reader *r, unsigned number, unsigned limit)
{
	if (number < limit)
		return number;
	fail(r);
	return 0;
}

/* NULL for none; *size is its size. */
static const uint8_t *
read_document(struct reader *r, size_t *size)
{
	*size = read_u32(r);
	if (*size == 0 || *size > DOCUMENT_MAX) {
		if (*size != 0)
			fail(r);
		*size = 0;
		return NULL;
	}
	return read_run(r, *size);
}

static void
read_name(struct reader *r, char *text, size_t capacity)
{
	size_t size = read_u8(r);

	text[0] = '\0';
	if (size >= capacity) {
		fail(r);
		return;
	}
	read_bytes(r, text, size);
	text[size] = '\0';
}

static void
read_config_id(struct reader *r, struct config_id *config_id)
{
	if (!config_id_decode(r, config_id))
		fail(r);
}

bool
entry_read_checkpoint(struct reader *r, struct checkpoint *checkpoint)
{
	*checkpoint = (struct checkpoint){ .now = 0 };
	if (read_u8(r) != TAPE_CHECKPOINT)
		return false;
	checkpoint->now = read_u64(r);
	checkpoint->base = read_u64(r);
	checkpoint->topology =
	    (enum topology)read_below(r, read_u8(r), TOPOLOGY_GRAPH + 1);
	read_name(r, checkpoint->algorithm, sizeof(checkpoint->algorithm));
	checkpoint->document = read_document(r, &checkpoint->document_size);
	checkpoint->proposal = read_document(r, &checkpoint->proposal_size);
	return !r->failed;
}

static unsigned
read_side(struct reader *r, unsigned *order, unsigned peers_count)
{
	unsigned count = read_below(r, read_u16(r), peers_count + 1);

	for (unsigned i = 0; i < count; i++)
		order[i] = read_below(r, read_u16(r), peers_count);
	return count;
}

static void
read_peers(struct reader *r, struct entry_room *room)
{
	unsigned count = read_below(r, read_u16(r), NODES_MAX);

	room->setup.peers = room->peers;
	room->setup.peers_count = count;
	for (unsigned i = 0; i < count; i++) {
		struct peer_setup *p = &room->peers[i];
		unsigned flags;

		p->id = read_u32(r);
		p->priority = (int32_t)read_u32(r);
		p->role =
		    (enum role)read_below(r, read_u8(r), ROLE_OBSERVER + 1);
		flags = read_u8(r);
		p->is_remote = flags & PEER_IS_REMOTE;
		p->is_configured = flags & PEER_IS_CONFIGURED;
	}
}

static void
read_flags(struct node_setup *s, unsigned flags)
{
	s->choices.starters_only = flags & SETUP_STARTERS_ONLY;
	s->choices.no_wakeup = flags & SETUP_NO_WAKEUP;
	s->choices.any_leader = flags & SETUP_ANY_LEADER;
	s->has_group = flags & SETUP_HAS_GROUP;
	s->discovery.is_on = flags & SETUP_DISCOVERS;
	s->discovery.has_addresses = flags & SETUP_HAS_ADDRESSES;
}

static void
read_setup(struct reader *r, struct entry_room *room)
{
	struct node_setup *s = &room->setup;

	s->self = read_u32(r);
	s->priority = (int32_t)read_u32(r);
	s->role = (enum role)read_below(r, read_u8(r), ROLE_OBSERVER + 1);
	s->guarantee =
	    (enum guarantee)read_below(r, read_u8(r), GUARANTEE_QUORUM + 1);
	s->topology =
	    (enum topology)read_below(r, read_u8(r), TOPOLOGY_GRAPH + 1);
	s->prefer = (enum prefer)read_below(r, read_u8(r), PREFER_LOWEST + 1);
	s->preempt = (enum preempt)read_below(r, read_u8(r), PREEMPT_AFTER + 1);
	s->preempt_after = read_u64(r);
	s->timing.heartbeat = read_u64(r);
	s->timing.misses = read_u32(r);
	s->timing.startup = read_u64(r);
	s->timing.lease = read_u64(r);
	read_name(r, room->algorithm, sizeof(room->algorithm));
	s->choices.diameter = read_u32(r);
	s->choices.variant = read_u8(r);
	read_flags(s, read_u8(r));
	s->discovery.forget = read_u64(r);
	read_name(r, s->discovery.name, sizeof(s->discovery.name));
	read_config_id(r, &s->config_id);
	s->state_health = (enum state_health)read_below(
	    r, read_u8(r), STATE_HEALTH_CHANGED + 1);
	read_peers(r, room);
	s->ring.right = room->right;
	s->ring.right_count = read_side(r, room->right, s->peers_count);
	s->ring.left = room->left;
	s->ring.left_count = read_side(r, room->left, s->peers_count);
	s->document = read_document(r, &s->document_size);
}

/* True if the host of a node may say this of it. */
static bool
standby_is_input(const struct standby *standby)
{
	return standby->cause != STANDBY_RESIGNED &&
	       standby->age <= STANDBY_MAX && standby->left > 0 &&
	       (standby->left <= STANDBY_MAX || standby->left == NSEC_NEVER);
}

static void
read_reason(struct reader *r, char reason[STANDBY_REASON_MAX + 1])
{
	read_bytes(r, reason, STANDBY_REASON_MAX + 1);
	reason[STANDBY_REASON_MAX] = '\0';
	if (!standby_reason_is_valid(reason, strlen(reason)))
		fail(r);
}

static void
read_standby(struct reader *r, struct standby *standby)
{
	standby->cause =
	    (enum standby_cause)read_below(r, read_u8(r), STANDBY_CAUSES);
	standby->is_on = read_u8(r);
	if (!standby->is_on)
		return;
	standby->age = read_u64(r);
	standby->left = read_u64(r);
	read_reason(r, standby->reason);
	if (!standby_is_input(standby))
		fail(r);
}

static void
read_datagram(struct reader *r, struct entry *in)
{
	in->age = read_u64(r);
	in->peer = read_u32(r);
	in->size = read_below(r, read_u16(r), PACKET_MAX + 2);
	in->bytes = read_run(r, PACKET_CLEAR_BYTES);
}

static void
read_proposal(struct reader *r, struct entry *in, struct entry_room *room)
{
	if (read_u8(r)) {
		read_config_id(r, &room->config_id);
		in->config_id = &room->config_id;
	}
	in->document = read_document(r, &in->document_size);
}

static void
read_acts(struct reader *r, struct entry *in)
{
	in->count = read_u32(r);
	in->is_set = read_u8(r);
	in->digest = read_u64(r);
}

/* Reads what an entry has beside its time. False for a kind that is none. */
static bool
read_arguments(struct reader *r, struct entry *in, struct entry_room *room)
{
	switch (in->kind) {
	case TAPE_TICK:
	case TAPE_ELECT:
	case TAPE_STOP:
	case TAPE_HAND_OUT:
	case TAPE_DECLARE_DEAD:
	case TAPE_SNAPSHOT:
		return true;
	case TAPE_RECEIVE:
		read_datagram(r, in);
		return true;
	case TAPE_REFUSED:
		in->peer = read_u32(r);
		return true;
	case TAPE_RESIGN:
		in->to = read_u32(r);
		read_reason(r, room->standby.reason);
		in->reason = room->standby.reason;
		return true;
	case TAPE_TAKE_BACK:
		in->until = read_u64(r);
		return true;
	case TAPE_STANDBY:
		read_standby(r, &room->standby);
		in->standby = &room->standby;
		return true;
	case TAPE_KEYS:
	case TAPE_PERSISTED:
	case TAPE_CARRIER:
	case TAPE_FILE:
		in->is_set = read_u8(r);
		return true;
	case TAPE_ANNOUNCE:
	case TAPE_CHANGE:
		read_setup(r, room);
		in->setup = &room->setup;
		return true;
	case TAPE_PULL:
		in->pull = &room->pull;
		return pull_read(r, &room->pull) && room->pull.at == 0;
	case TAPE_PROPOSE:
	case TAPE_REFUSE:
		read_proposal(r, in, room);
		return in->kind == TAPE_PROPOSE || in->config_id != NULL;
	case TAPE_ACTS:
		read_acts(r, in);
		return true;
	case TAPE_CHECKPOINT:
	case TAPE_OPENED:
	case TAPE_PLAIN:
	case TAPE_DRAWN:
	case TAPE_KEY_ID:
	case TAPE_SAME:
	case TAPE_KINDS:
		break;
	}
	return false;
}

bool
entry_read(struct reader *r, struct entry *in, struct entry_room *room)
{
	memset(in, 0, sizeof(*in));
	memset(room, 0, sizeof(*room));
	in->kind = (enum tape_kind)read_below(r, read_u8(r), TAPE_KINDS);
	in->now = read_u64(r);
	return !r->failed && read_arguments(r, in, room) && !r->failed;
}
