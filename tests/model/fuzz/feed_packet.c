/* SPDX-License-Identifier: ISC */
/* Bytes that a decoder takes must be encoded to the same bytes again. */
#include "tests/model/fuzz/feed.h"

#include <string.h>

#include "common/node/event.h"
#include "common/wire/announce.h"
#include "common/wire/config_id.h"
#include "common/wire/group.h"
#include "common/wire/label.h"
#include "common/wire/packet.h"
#include "common/wire/snapshot.h"
#include "common/wire/vote.h"
#include "daemon/history/assembly.h"

/* Asserts that the bytes read up to `r` are those in `w`. */
static void
check_same(const uint8_t *bytes, const struct reader *r, const struct writer *w)
{
	assert(!r->failed);
	assert(!w->failed);
	assert(r->at == bytes + w->size);
	assert(memcmp(bytes, w->start, w->size) == 0);
}

static void
feed_head(const uint8_t *bytes, size_t size)
{
	uint8_t again[PACKET_CLEAR_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct packet_head head;

	if (!packet_head_decode(&r, &head))
		return;
	packet_head_encode(&w, &head);
	check_same(bytes, &r, &w);
}

/* Zeros fill up a handshake, and the decoder does not read them. */
static void
feed_handshake(const uint8_t *bytes, size_t size)
{
	uint8_t again[HANDSHAKE_SEALED_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct handshake h;

	if (!handshake_decode(&r, &h))
		return;
	handshake_encode(&w, &h);
	assert(w.size == HANDSHAKE_SEALED_BYTES);
	w.size = (size_t)(r.at - bytes);
	check_same(bytes, &r, &w);
}

static void
feed_body(const uint8_t *bytes, size_t size)
{
	uint8_t again[BODY_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct body body;

	if (!body_decode(&r, &body))
		return;
	body_encode(&w, &body);
	check_same(bytes, &r, &w);
}

static void
feed_frames(const uint8_t *bytes, size_t size)
{
	uint8_t again[PACKET_SEALED_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct packet_frame f;

	if (size > sizeof(again))
		return;
	while (!reader_at_end(&r)) {
		if (!frame_decode(&r, &f))
			return;
		assert(f.size <= size);
		frame_encode(&w, &f);
		check_same(bytes, &r, &w);
	}
}

static void
feed_beacon(const uint8_t *bytes, size_t size)
{
	uint8_t again[BEACON_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct beacon beacon;

	if (!beacon_decode(&r, &beacon))
		return;
	assert(beacon.leader.id <= NODE_ID_MAX);
	beacon_encode(&w, &beacon);
	check_same(bytes, &r, &w);
}

static void
feed_message(const uint8_t *bytes, size_t size)
{
	uint8_t again[MESSAGE_BYTES_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct message m;

	if (!message_decode(&r, &m))
		return;
	assert(m.kind < MESSAGE_KINDS_MAX);
	message_encode(&w, &m);
	check_same(bytes, &r, &w);
}

static void
feed_request(const uint8_t *bytes, size_t size)
{
	uint8_t again[VOTE_REQUEST_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct vote_request request;

	if (!vote_request_decode(&r, &request))
		return;
	assert(!request.is_prevote || !request.admits);
	assert(request.term != 0 && request.term <= TERM_MAX);
	vote_request_encode(&w, &request);
	check_same(bytes, &r, &w);
}

static void
feed_vote(const uint8_t *bytes, size_t size)
{
	uint8_t again[VOTE_RESPONSE_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct vote_response vote;

	if (!vote_response_decode(&r, &vote))
		return;
	assert(vote.term != 0 && vote.term <= TERM_MAX);
	assert(vote.promised <= TERM_MAX);
	assert(vote.denial < DENIALS);
	assert(vote.rival.id <= NODE_ID_MAX);
	assert(vote.rival_term <= TERM_MAX);
	assert((vote.rival.id == NODE_NONE) == (vote.rival_term == 0));
	vote_response_encode(&w, &vote);
	check_same(bytes, &r, &w);
}

static void
feed_release(const uint8_t *bytes, size_t size)
{
	uint8_t again[RELEASE_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct release release;

	if (!release_decode(&r, &release))
		return;
	assert(release.term != 0 && release.term <= TERM_MAX);
	release_encode(&w, &release);
	check_same(bytes, &r, &w);
}

static void
feed_lease_left(const uint8_t *bytes, size_t size)
{
	uint8_t again[LEASE_LEFT_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct lease_left lease_left;

	if (!lease_left_decode(&r, &lease_left))
		return;
	lease_left_encode(&w, &lease_left);
	check_same(bytes, &r, &w);
}

static void
feed_members(const uint8_t *bytes, size_t size)
{
	uint8_t again[MEMBERS_BYTES_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct members members;

	if (!members_decode(&r, &members))
		return;
	members_encode(&w, &members);
	assert(w.size == size);
	check_same(bytes, &r, &w);
}

static void
feed_will(const uint8_t *bytes, size_t size)
{
	uint8_t again[WILL_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct will will;

	if (!will_decode(&r, &will))
		return;
	assert(will.term <= TERM_MAX);
	will_encode(&w, &will);
	check_same(bytes, &r, &w);
}

static void
feed_config_id(const uint8_t *bytes, size_t size)
{
	uint8_t again[CONFIG_ADVERT_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct config_advert told;

	if (!config_advert_decode(&r, &told))
		return;
	assert(told.config_id.config_version <= CONFIG_VERSION_MAX);
	assert(told.size <= DOCUMENT_MAX);
	config_advert_encode(&w, &told);
	check_same(bytes, &r, &w);
}

static void
feed_ask(const uint8_t *bytes, size_t size)
{
	uint8_t again[CONFIG_ASK_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct config_ask ask;

	if (!config_ask_decode(&r, &ask))
		return;
	assert(ask.offset < DOCUMENT_MAX);
	config_ask_encode(&w, &ask);
	check_same(bytes, &r, &w);
}

static void
feed_piece(const uint8_t *bytes, size_t size)
{
	uint8_t again[PIECE_BYTES + PIECE_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct config_piece piece;

	if (!config_piece_decode(&r, &piece))
		return;
	assert(piece.offset < DOCUMENT_MAX);
	assert(piece.bytes + piece.size == bytes + size);
	config_piece_encode(&w, &piece);
	check_same(bytes, &r, &w);
}

static void
feed_standby(const uint8_t *bytes, size_t size)
{
	uint8_t again[STANDBY_BYTES + STANDBY_REASON_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct standby standby;

	if (!standby_decode(&r, &standby))
		return;
	assert(standby.left > 0 && standby.age <= STANDBY_MAX);
	assert(reader_at_end(&r));
	standby_encode(&w, &standby);
	check_same(bytes, &r, &w);
}

static void
feed_announce(const uint8_t *bytes, size_t size)
{
	uint8_t again[ANNOUNCE_SEALED_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct announce i;

	if (!announce_decode(&r, &i))
		return;
	assert(i.name[0] != '\0');
	announce_encode(&w, &i);
	check_same(bytes, &r, &w);
}

static void
feed_tree(const uint8_t *bytes, size_t size)
{
	uint8_t again[TREE_WORD_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct tree_word word;

	if (!tree_word_decode(&r, &word))
		return;
	assert(word.label.epoch <= EPOCH_MAX);
	assert(word.label.level <= LEVEL_MAX);
	assert(!word.is_parent || !word.is_child);
	tree_word_encode(&w, &word);
	check_same(bytes, &r, &w);
}

static void
feed_group(const uint8_t *bytes, size_t size)
{
	uint8_t again[PACKET_SEALED_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct group_body b;
	unsigned count = 0, turn;
	uint32_t echo;

	if (size > sizeof(again) || !group_body_decode(&r, &b))
		return;
	for (unsigned place = 0; place < NODES_MAX; place++) {
		if (!group_find(&b, place, &echo, &turn))
			continue;
		assert(turn == count);
		count++;
	}
	assert(count == group_count(&b));
	if (b.timestamp == 0)
		return;
	group_body_encode(&w, &b);
	check_same(bytes, &r, &w);
}

static void
feed_group_key(const uint8_t *bytes, size_t size)
{
	uint8_t again[GROUP_KEY_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct group_key key;

	if (!group_key_decode(&r, &key))
		return;
	assert(key.first > 0);
	group_key_encode(&w, &key);
	check_same(bytes, &r, &w);
}

static void
feed_group_heard(const uint8_t *bytes, size_t size)
{
	uint8_t again[GROUP_HEARD_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct group_heard heard;

	if (!group_heard_decode(&r, &heard))
		return;
	group_heard_encode(&w, &heard);
	check_same(bytes, &r, &w);
}

static void
feed_name(const uint8_t *bytes, size_t size)
{
	uint8_t again[SNAPSHOT_NAME_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct snapshot_name name;

	if (!snapshot_name_decode(&r, &name))
		return;
	snapshot_name_encode(&w, &name);
	check_same(bytes, &r, &w);
}

static void
feed_pull(const uint8_t *bytes, size_t size)
{
	uint8_t again[PULL_BYTES + 4 * PULL_PATH_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct pull pull;

	if (!pull_decode(&r, &pull))
		return;
	pull_encode(&w, &pull);
	check_same(bytes, &r, &w);
}

static void
feed_pulled(const uint8_t *bytes, size_t size)
{
	uint8_t again[PACKET_SEALED_MAX];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct pulled pulled;

	if (size > sizeof(again) || !pulled_decode(&r, &pulled))
		return;
	pulled_encode(&w, &pulled);
	check_same(bytes, &r, &w);
}

static void
feed_event(const uint8_t *bytes, size_t size)
{
	uint8_t again[EVENT_BYTES];
	struct reader r = reader_of(bytes, size);
	struct writer w = writer_of(again, sizeof(again));
	struct event e;

	if (!event_decode(&r, &e))
		return;
	event_encode(&w, &e);
	check_same(bytes, &r, &w);
}

/* The parts of a snapshot: each answer has two bytes of its size. What is
 * complete can be judged. */
static void
feed_assembly(const uint8_t *bytes, size_t size)
{
	const struct snapshot_name name = { 1, 1, 1 };
	struct assembly *c = assembly_new(&name);
	struct reader r = reader_of(bytes, size);
	char fault[ASSEMBLY_FAULT_MAX];
	struct pulled pulled = { .outcome = SNAPSHOT_COMPLETE };

	assert(c != NULL);
	while (r.left > 0 && assembly_next(c, &pulled.pull)) {
		uint16_t bits = read_u16(&r);

		assembly_asked(c, &pulled.pull);
		pulled.size = bits & 0x3ff;
		if (pulled.size > r.left)
			pulled.size = r.left;
		pulled.first = pulled.pull.from + (bits >> 14 & 1);
		pulled.next = bits >> 15;
		assembly_take(c, &pulled, read_run(&r, pulled.size));
	}
	if (c->outcome == SNAPSHOT_COMPLETE) {
		assembly_is_consistent(c, fault);
		assembly_keeps_promises(c, fault);
		assembly_leader(c);
	}
	assembly_free(c);
}

void
feed_packet(const uint8_t *bytes, size_t size)
{
	static void (*const feeds[])(const uint8_t *, size_t) = { feed_head,
		feed_handshake, feed_body, feed_frames, feed_beacon,
		feed_message, feed_request, feed_vote, feed_release,
		feed_lease_left, feed_will, feed_members, feed_config_id,
		feed_ask, feed_piece, feed_standby, feed_announce, feed_tree,
		feed_group, feed_group_key, feed_group_heard, feed_name,
		feed_pull, feed_pulled, feed_event, feed_assembly };

	if (size == 0)
		return;
	feeds[bytes[0] % (sizeof(feeds) / sizeof(feeds[0]))](
	    bytes + 1, size - 1);
}
