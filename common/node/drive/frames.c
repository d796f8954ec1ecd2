/* SPDX-License-Identifier: ISC */
/*
 * The frames of datagrams that are authentic. Messages go to the channel, which
 * puts them in order; the rest is for receive.c, but for words that change
 * nothing which others rely on (PROTOCOL.md, Frames).
 */

#include "common/node/drive/frames.h"

#include "common/node/look/pulls.h"
#include "common/node/look/snapshot.h"

/* True for the size of a message of the algorithm with its tag. */
static bool
message_has_size(size_t size)
{
	return size >= TAGGED_BYTES && size <= TAGGED_BYTES_MAX &&
	       (size - TAGGED_BYTES) % 4 == 0;
}

/* The same of a message or a marker. */
static bool
frame_has_size(const struct packet_frame *f)
{
	return message_has_size(f->size) || f->size == SNAPSHOT_NAME_BYTES;
}

/* Reads what the sender says of its host. */
static bool
host_frame_read(
    const struct packet_frame *f, struct reader *r, struct delivery *d)
{
	if (f->type == FRAME_STANDBY)
		return d->has_standby = standby_decode(r, &d->standby);
	return d->has_older_file = read_u8(r) == 1;
}

/* Reads a frame that is no message. `may_admit`: a vote request may admit our
 * voter. False if the frame is out of its range; then *d is as it was. */
static bool
state_frame_read(
    const struct packet_frame *f, bool may_admit, struct delivery *d)
{
	struct reader r = reader_of(f->bytes, f->size);
	struct delivery got = *d;
	bool ok = false;

	switch (f->type) {
	case FRAME_BEACON:
		ok = got.has_beacon = beacon_decode(&r, &got.beacon);
		break;
	case FRAME_TOKEN:
		ok = got.has_beacon && token_decode(&r, &got.beacon);
		break;
	case FRAME_VOTE_REQUEST:
		ok = got.has_request = vote_request_decode(&r, &got.request) &&
				       (may_admit || !got.request.admits);
		break;
	case FRAME_VOTE_RESPONSE:
		ok = got.has_vote = vote_response_decode(&r, &got.vote);
		break;
	case FRAME_RELEASE:
		ok = got.has_release = release_decode(&r, &got.release);
		break;
	case FRAME_LEASE_LEFT:
		ok = got.has_lease_left =
		    lease_left_decode(&r, &got.lease_left);
		break;
	case FRAME_MEMBERS:
		ok = got.has_members = members_decode(&r, &got.members);
		break;
	case FRAME_CONFIG:
		ok = got.has_advert = config_advert_decode(&r, &got.advert);
		break;
	case FRAME_ASK:
		ok = got.has_ask = config_ask_decode(&r, &got.ask);
		break;
	case FRAME_PIECE:
		ok = got.has_piece = config_piece_decode(&r, &got.piece);
		break;
	case FRAME_STANDBY:
	case FRAME_FILE:
		ok = host_frame_read(f, &r, &got);
		break;
	case FRAME_TREE:
		ok = got.has_tree = tree_word_decode(&r, &got.tree);
		break;
	case FRAME_GROUP_KEY:
		ok = got.has_group_key = group_key_decode(&r, &got.group_key);
		break;
	case FRAME_GROUP_HEARD:
		ok = got.has_group_heard =
		    group_heard_decode(&r, &got.group_heard);
		break;
	}
	if (!ok || !reader_at_end(&r))
		return false;
	*d = got;
	return true;
}

/* Reads a name, before anything else of the datagram counts. False if it is
 * none, or one more than there may be. */
static bool
name_read(struct node *node, nsec_t now, const struct packet_frame *f,
    unsigned *names)
{
	struct reader r = reader_of(f->bytes, f->size);
	struct snapshot_name name;

	if (++*names > SNAPSHOTS_MAX || !snapshot_name_decode(&r, &name) ||
	    !reader_at_end(&r))
		return false;
	snapshot_hear(node, now, &name);
	return true;
}

/* Reads a pull or an answer. False if it is none. */
static bool
word_pull(struct node *node, struct peer *p, const struct packet_frame *f)
{
	struct reader r = reader_of(f->bytes, f->size);
	struct pulled pulled;
	struct pull pull;

	if (f->type == FRAME_PULL) {
		if (!pull_decode(&r, &pull))
			return false;
		pulls_take(node, p, &pull);
		return true;
	}
	if (!pulled_decode(&r, &pulled))
		return false;
	pulls_take_answer(node, p, &pulled);
	return true;
}

/* Reads a frame that says something at once; `names` counts names. *is_one: it
 * is such a frame. False if it cannot be read. */
static bool
word_read(struct node *node, nsec_t now, struct peer *p,
    const struct packet_frame *f, unsigned *names, bool *is_one)
{
	*is_one = true;
	switch (f->type) {
	case FRAME_SNAPSHOT:
		return name_read(node, now, f, names);
	case FRAME_PULL:
	case FRAME_PULLED:
		return word_pull(node, p, f);
	default:
		*is_one = false;
		return true;
	}
}

enum drop
frames_read(struct node *node, nsec_t now, struct peer *p, struct reader *r,
    struct delivery *d, bool *overflowed)
{
	unsigned names = 0;

	assert(p->has_session);
	for (unsigned i = 0; i < d->body.frames_count; i++) {
		struct packet_frame f;
		bool is_word;

		if (!frame_decode(r, &f) ||
		    !word_read(node, now, p, &f, &names, &is_word))
			return DROP_FORMAT;
		if (is_word)
			continue;
		if (f.type != FRAME_MESSAGE) {
			if (!state_frame_read(&f, true, d))
				return DROP_FORMAT;
			continue;
		}
		if (!frame_has_size(&f))
			return DROP_FORMAT;
		if (channel_receive(&p->channel, node->blocks, f.sequence,
			f.bytes, f.size) == ARRIVAL_OVERFLOW)
			*overflowed = true;
	}
	return reader_at_end(r) ? DROP_NONE : DROP_FORMAT;
}

/* A message to several peers, of which we are the one with this number: it is a
 * message of our session. */
static enum drop
several_read(struct node *node, struct peer *p, const struct packet_frame *f,
    unsigned count, unsigned turn, bool *overflowed)
{
	struct reader r = reader_of(f->bytes, f->size);
	const uint8_t *numbers = read_run(&r, 2 * (size_t)count), *bytes;
	size_t size = r.left;
	struct reader own;

	assert(turn < count);
	if (r.failed || !message_has_size(size))
		return DROP_FORMAT;
	own = reader_of(numbers + 2 * (size_t)turn, 2);
	bytes = read_run(&r, size);
	if (channel_receive(&p->channel, node->blocks, read_u16(&own), bytes,
		size) == ARRIVAL_OVERFLOW)
		*overflowed = true;
	return DROP_NONE;
}

enum drop
frames_read_group(struct node *node, struct peer *p, struct reader *r,
    const struct group_body *g, unsigned turn, struct delivery *d,
    bool *overflowed)
{
	unsigned count = group_count(g);

	for (unsigned i = 0; i < g->frames_count; i++) {
		struct packet_frame f;
		bool ok;

		if (!frame_decode(r, &f))
			return DROP_FORMAT;
		switch (f.type) {
		case FRAME_BEACON:
		case FRAME_TOKEN:
		case FRAME_MEMBERS:
		case FRAME_LEASE_LEFT:
		case FRAME_VOTE_REQUEST:
			ok = state_frame_read(&f, false, d);
			break;
		case FRAME_SEVERAL:
			ok = several_read(node, p, &f, count, turn,
				 overflowed) == DROP_NONE;
			break;
		default:
			ok = false;
		}
		if (!ok)
			return DROP_FORMAT;
	}
	return reader_at_end(r) ? DROP_NONE : DROP_FORMAT;
}
