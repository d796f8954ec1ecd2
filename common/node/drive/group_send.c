/* SPDX-License-Identifier: ISC */
/* Datagrams for several peers: what is in them (PROTOCOL.md, Group
 * datagrams). */
#include "common/node/drive/group_send.h"

#include "common/node/drive/body.h"
#include "common/node/peer/keys.h"
#include "common/node/peer/timestamps.h"
#include "common/node/vote/vote.h"
#include "common/node/watch/group.h"

#define NUMBER_BYTES 2 /* of a message, for each receiver */

/* The frames of any group datagram, at most, but for the list of members. */
#define FRAMES_MAX                                                             \
	(5 * FRAME_BYTES + BEACON_BYTES + TOKEN_BYTES + 2 + LEASE_LEFT_BYTES + \
	    VOTE_REQUEST_BYTES)

/* The receivers of a group datagram. */
struct receivers {
	uint8_t places[NODES_MAX / 8];
	uint8_t echoes[PACKET_SEALED_MAX];
	uint8_t numbers[PACKET_SEALED_MAX]; /* of the message */
	struct writer echo;
	struct writer number;
	unsigned count;
	nsec_t held; /* the longest time for which we held an echo */
	struct vote_request request;
	bool has_request;       /* a receiver is to have it */
	const uint8_t *message; /* to all of them */
	size_t message_size;    /* 0: a heartbeat, or a question */
};

static void
frame_write(struct writer *f, enum frame_type type, const struct writer *w)
{
	assert(!w->failed);
	body_write_frame(f, type, 0, w->start, w->size);
}

unsigned
group_write(
    const struct node *node, nsec_t now, const struct peer *p, struct writer *f)
{
	uint8_t bytes[GROUP_KEY_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct group_heard heard;
	struct group_key key;
	unsigned count = 0;

	if (group_tells_key(node, now, p, &key)) {
		group_key_encode(&w, &key);
		frame_write(f, FRAME_GROUP_KEY, &w);
		count++;
	}
	seal_wipe(&key, sizeof(key));
	seal_wipe(bytes, sizeof(bytes));
	if (group_tells_heard(p, &heard)) {
		w = writer_of(bytes, sizeof(bytes));
		group_heard_encode(&w, &heard);
		frame_write(f, FRAME_GROUP_HEARD, &w);
		count++;
	}
	return count;
}

/* The number of receivers that fit into one datagram. */
static unsigned
receivers_max(const struct node *node, size_t message_size)
{
	size_t places = (node->peers_count + 1 + 7) / 8;
	size_t used = GROUP_BODY_BYTES + FRAMES_MAX + 2 * places;
	size_t each = GROUP_ECHO_BYTES;

	if (message_size > 0) {
		each += NUMBER_BYTES;
		used += FRAME_BYTES + message_size;
	}
	assert(used < PACKET_SEALED_MAX);
	return (unsigned)((PACKET_SEALED_MAX - used) / each);
}

static void
receivers_add(
    struct receivers *r, struct node *node, nsec_t now, struct peer *p)
{
	struct vote_request request;
	nsec_t held = nsec_since(now, timestamps_heard(p));

	r->places[p->place / 8] |= (uint8_t)(1 << p->place % 8);
	write_u32(&r->echo, timestamps_echo_taken(p, now));
	write_u16(&r->number, (uint16_t)group_sequence(p));
	r->count++;
	if (held > r->held)
		r->held = held;
	timestamps_sent(node, now, p);
	if (r->message_size > 0 || !nominee_request_of(node, now, p, &request))
		return;
	r->request = request;
	r->has_request = true;
	nominee_on_sent(p);
}

/* Adds those that are still to get this, in the order of ids, as many as
 * fit. */
static void
receivers_fill(struct receivers *r, struct node *node, nsec_t now)
{
	unsigned limit;
	struct peer *p;

	r->echo = writer_of(r->echoes, sizeof(r->echoes));
	r->number = writer_of(r->numbers, sizeof(r->numbers));
	r->message_size = group_message(node, &r->message);
	limit = receivers_max(node, r->message_size);
	while (r->count < limit && (p = group_next_receiver(node)) != NULL)
		receivers_add(r, node, now, p);
	assert(!r->echo.failed);
	assert(!r->number.failed);
}

static unsigned
request_write(const struct receivers *r, struct writer *f)
{
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer w = writer_of(bytes, sizeof(bytes));

	if (!r->has_request)
		return 0;
	vote_request_encode(&w, &r->request);
	frame_write(f, FRAME_VOTE_REQUEST, &w);
	return 1;
}

static unsigned
message_write(const struct receivers *r, struct writer *f)
{
	uint8_t bytes[PACKET_SEALED_MAX];
	struct writer w = writer_of(bytes, sizeof(bytes));

	if (r->message_size == 0)
		return 0;
	write_bytes(&w, r->numbers, r->number.size);
	write_bytes(&w, r->message, r->message_size);
	frame_write(f, FRAME_SEVERAL, &w);
	return 1;
}

/* Writes the part to be sealed; returns its size. */
static size_t
plain_write(
    struct node *node, nsec_t now, const struct receivers *r, uint8_t *plain)
{
	uint8_t frames[PACKET_SEALED_MAX];
	struct writer f = writer_of(frames, sizeof(frames));
	struct writer w = writer_of(plain, PACKET_SEALED_MAX);
	struct body all = body_for_all(node, now);
	struct group_body body = {
		.timestamp = all.timestamp,
		.heartbeat_us = all.heartbeat_us,
		.flags = all.flags,
		.watch = all.watch,
		.config_tag = all.config_tag,
		.second_key_id = all.second_key_id,
		.places_size = (node->peers_count + 1 + 7) / 8,
		.places = r->places,
		.echoes = r->echoes,
	};
	unsigned count = body_write_beacon_to_all(node, now, r->held, &f);

	count += request_write(r, &f);
	count += message_write(r, &f);
	body.frames_count = (uint16_t)count;
	group_body_encode(&w, &body);
	write_bytes(&w, frames, f.size);
	assert(!f.failed);
	assert(!w.failed);
	return w.size;
}

static void
datagram_build(struct node *node, nsec_t now, const struct receivers *r,
    struct action *action)
{
	struct packet_head head = keys_head(node, NODE_NONE, PACKET_GROUP);
	size_t size =
	    plain_write(node, now, r, action->datagram + PACKET_HEAD_BYTES);

	group_seal(node, &head, action->datagram, size);
	action->kind = ACTION_GROUP;
	action->size = PACKET_HEAD_BYTES + size;
	node->counters.sent++;
	node->counters.heartbeats += r->message_size == 0;
}

bool
group_act(struct node *node, nsec_t now, struct action *action)
{
	while (group_is_due(node)) {
		struct receivers r = { .count = 0 };
		bool is_first = !group_has_begun(node), is_sent;

		receivers_fill(&r, node, now);
		/* A question may have no receivers. */
		is_sent = r.count > 0 || (r.message_size == 0 && is_first);
		if (is_sent)
			datagram_build(node, now, &r, action);
		group_sent(node);
		if (is_sent)
			return true;
	}
	return false;
}
