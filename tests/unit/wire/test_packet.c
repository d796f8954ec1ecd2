/* SPDX-License-Identifier: ISC */
/* The wire layout of datagrams, byte for byte, and which are refused. */
#include "tests/lib/codec.h"
#include "tests/unit/group.h"

#include <string.h>

#include "common/wire/packet.h"

static const struct packet_head head = {
	.version = 0x5a,
	.type = PACKET_SESSION,
	.key_id = 0x6e,
	.flags = PACKET_PING,
	.cluster_tag = 0x042d9853,
	.source = 3,
	.destination = NODE_ID_MAX,
	.incarnation = UINT64_C(0x0102030405060708),
	.number = UINT64_C(0x1112131415161718),
};

static const uint8_t golden_head[PACKET_CLEAR_BYTES] = {
	0x5a, 0x03, 0x6e, 0x01, /* version, type, key id, flags */
	0x04, 0x2d, 0x98, 0x53, /* cluster tag */
	0x00, 0x00, 0x00, 0x03, /* source */
	0x7f, 0xff, 0xff, 0xff, /* destination */
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* incarnation */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* number */
};

static const struct body body = {
	.incarnation = UINT64_C(0x0102030405060708),
	.ack = 0x11121314,
	.sack = 0x21222324,
	.timestamp = 0x31323334,
	.echo = 0x41424344,
	.heartbeat_us = 100000,
	.watch = WATCH_WANTED | WATCH_GRANTED,
	.restarts = 5,
	.flags = BODY_HEARD | BODY_DUPLICATE | BODY_ELIGIBLE | BODY_CONTENDER,
	.config_tag = 0x51525354,
	.second_key_id = 0x61,
	.frames_count = 0x0203,
};

static const uint8_t golden_body[BODY_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* incarnation */
	0x11, 0x12, 0x13, 0x14,                         /* ack */
	0x21, 0x22, 0x23, 0x24,                         /* sack */
	0x31, 0x32, 0x33, 0x34,                         /* timestamp */
	0x41, 0x42, 0x43, 0x44,                         /* echo */
	0x00, 0x01, 0x86, 0xa0,                         /* heartbeat */
	0x2b,                                           /* restarts, watch */
	0x0f,                                           /* flags */
	0x51, 0x52, 0x53, 0x54,                         /* configuration */
	0x61,                                           /* second key id */
	0x02, 0x03,                                     /* frames */
};

static const struct beacon beacon = {
	.term = UINT64_C(0x0102030405060708),
	.leader = { .is_eligible = true, .priority = 5, .id = 0x1234 },
	.incarnation = UINT64_C(0x1112131415161718),
	.number = UINT64_C(0x2122232425262728),
	.reason = { REASON_DIED, 4 },
	.hops = 2,
};

static const uint8_t golden_beacon[BEACON_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,       /* term */
	0x01, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x12, 0x34, /* leader */
	0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,       /* incarnation */
	0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,       /* number */
	0x02, 0x00, 0x00, 0x00, 0x04,                         /* reason */
	0x00, 0x02,                                           /* hops */
};

static const uint8_t golden_will[WILL_BYTES] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* term */
};

static const struct will sample_will = { UINT64_C(0x0102030405060708) };

/* Runs of one letter, so that each field shows its place. */
static const struct handshake sample_handshake = {
	.salt = "ssssssssssssssss",
	.echo = "eeeeeeeeeeeeeeee",
	.instance = "iiiiiiiiiiiiiiii",
	.config_id = { .config_term = UINT64_C(0x3132333435363738),
	    .config_version = 7,
	    .revision = 5,
	    .digest = "dddddddddddddddd" },
	.verdict = VERDICT_STALE,
	.known = UINT64_C(0x0102030405060708),
	.is_quorum = true,
	.exchanges = true,
	.versions = { 2, 9 },
	.release = 0x00020304,
};

/* The rest of it is zeros. */
static const uint8_t golden_handshake[HANDSHAKE_SEALED_BYTES] =
    "ssssssssssssssss"
    "eeeeeeeeeeeeeeee"
    "iiiiiiiiiiiiiiii"
    "12345678\0\0\0\7dddddddddddddddd"
    "\x01\x01\x02\x03\x04\x05\x06\x07\x08\x03\x02\x09"
    "\0\0\0\5\0\2\3\4";

#define HANDSHAKE_VERDICT_AT  (3 * SALT_BYTES + 12 + SALT_BYTES)
#define HANDSHAKE_BITS_AT     (HANDSHAKE_VERDICT_AT + 1 + 8)
#define HANDSHAKE_VERSIONS_AT (HANDSHAKE_BITS_AT + 1)
#define HANDSHAKE_REVISION_AT (HANDSHAKE_VERSIONS_AT + 2)

CODEC(packet_head);
CODEC(body);
CODEC(beacon);
CODEC(will);

static const struct codec codecs[] = {
	CODEC_ROW(packet_head, head, golden_head),
	CODEC_ROW(body, body, golden_body),
	CODEC_ROW(beacon, beacon, golden_beacon),
	CODEC_ROW(will, sample_will, golden_will),
};
#define CODECS (sizeof(codecs) / sizeof(codecs[0]))

static const struct codec *const body_codec = &codecs[1];
static const struct codec *const beacon_codec = &codecs[2];
static const struct codec *const will_codec = &codecs[3];

TEST(packets_are_encoded_like_this)
{
	codecs_stand(codecs, CODECS);
}

/* A later version may use the zeros at its end. */
TEST(handshake_is_encoded_like_this_and_may_be_shorter)
{
	const size_t least = HANDSHAKE_REVISION_AT + 8;
	uint8_t bytes[HANDSHAKE_SEALED_BYTES];
	struct handshake h;

	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct reader r = reader_of(golden_handshake, size);
		struct writer w = writer_of(bytes, sizeof(bytes));
		bool ok = handshake_decode(&r, &h);

		assert_int_equal(ok, size >= least);
		handshake_encode(&w, ok ? &h : &sample_handshake);
		assert_false(w.failed);
		assert_int_equal(w.size, sizeof(bytes));
		assert_memory_equal(bytes, golden_handshake, sizeof(bytes));
	}
}

TEST(members_are_encoded_like_this)
{
	static const uint8_t golden[] = { 0x01, 0x02, 0x81, 0x40 };
	uint8_t bytes[MEMBERS_BYTES_MAX + 1] = { 0 };
	struct writer w = writer_of(bytes, sizeof(golden));
	struct members members = { 0x0102, 2, golden + 2 };

	members_encode(&w, &members);
	assert_memory_equal(bytes, golden, sizeof(golden));
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct reader r = reader_of(bytes, size);
		bool ok = size >= 2 && size <= MEMBERS_BYTES_MAX;

		assert_int_equal(members_decode(&r, &members), ok);
		assert_true(!ok || members.size == size - 2);
		assert_true(!ok || members.agree == 0x0102);
	}
}

TEST(wills_and_heartbeats_that_cannot_be_are_refused)
{
	const struct codec_row rows[] = {
		{ will_codec, 0, 8, 0, true },
		{ will_codec, 0, 8, 1, true },
		{ will_codec, 0, 8, TERM_MAX, true },
		{ will_codec, 0, 8, TERM_MAX + UINT64_C(1), false },
		{ will_codec, 0, 8, UINT64_MAX, false },
		{ body_codec, 24, 4, 0, false }, /* a beat without a pause */
		{ body_codec, 24, 4, 1, true },
	};

	codec_rows_stand(rows, sizeof(rows) / sizeof(rows[0]));
}

TEST(frames_are_encoded_like_this)
{
	static const uint8_t golden[] = {
		0x01, 0x00, 0x03, 0x01, 0x02, 0x03, 0x04, 'm', 's', 'g', /**/
		0x02, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 'p',           /**/
	};
	const struct packet_frame message = { FRAME_MESSAGE, 0x01020304,
		(const uint8_t *)"msg", 3 };
	const struct packet_frame sign = { FRAME_BEACON, 0,
		(const uint8_t *)"p", 1 };
	uint8_t bytes[sizeof(golden)];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r = reader_of(golden, sizeof(golden));
	struct packet_frame f;

	frame_encode(&w, &message);
	assert_int_equal(w.size, FRAME_BYTES + 3);
	frame_encode(&w, &sign);
	assert_false(w.failed);
	assert_memory_equal(bytes, golden, sizeof(bytes));
	assert_true(frame_decode(&r, &f));
	assert_int_equal(f.type, FRAME_MESSAGE);
	assert_int_equal(f.sequence, 0x01020304);
	assert_int_equal(f.size, 3);
	assert_memory_equal(f.bytes, "msg", 3);
	assert_true(frame_decode(&r, &f));
	assert_int_equal(f.type, FRAME_BEACON);
	assert_int_equal(f.size, 1);
	assert_true(reader_at_end(&r));
}

TEST(sizes_are_those_of_the_format)
{
	assert_int_equal(PACKET_CLEAR_BYTES, 32);
	assert_int_equal(PACKET_HEAD_BYTES, 48);
	assert_int_equal(HANDSHAKE_BYTES, 192);
	assert_int_equal(HANDSHAKE_SEALED_AT, 72);
	assert_int_equal(BODY_BYTES, 37);
	assert_int_equal(FRAME_BYTES, 7);
	assert_int_equal(BEACON_BYTES, 45);
	assert_int_equal(CONFIG_ID_BYTES, 32);
	assert_int_equal(CONFIG_ADVERT_BYTES, 36);
	assert_int_equal(PACKET_WILL_BYTES, 56);
	assert_int_equal(PACKET_MAX, 1200);
}

/* Types 1, 2 and 7 of version 2; 8 of version 7; 3, 5 and 6 of any; nothing
 * else. */
TEST(other_versions_of_handshakes_and_other_types_are_refused)
{
	for (unsigned version = 0; version <= UINT8_MAX; version++)
		for (unsigned type = 0; type <= UINT8_MAX; type++) {
			uint8_t bytes[PACKET_CLEAR_BYTES];
			struct reader r = reader_of(bytes, sizeof(bytes));
			bool is_known =
			    type <= 2 || type == 7 ? version == 2 && type > 0
			    : type == 8            ? version == 7
					: version > 0 && type <= 6 && type != 4;
			struct packet_head h;

			memcpy(bytes, golden_head, sizeof(bytes));
			bytes[0] = (uint8_t)version;
			bytes[1] = (uint8_t)type;
			assert_int_equal(packet_head_decode(&r, &h), is_known);
			if (is_known)
				assert_true(
				    h.type == type && h.version == version);
		}
}

/* The version of a session: the highest that both speak, or none. */
TEST(session_has_the_highest_common_version)
{
	static const struct {
		struct versions a, b;
		uint8_t common;
	} rows[] = {
		{ { 2, 2 }, { 2, 2 }, 2 },
		{ { 2, 2 }, { 2, 3 }, 2 },
		{ { 2, 3 }, { 2, 3 }, 3 },
		{ { 2, 3 }, { 3, 4 }, 3 },
		{ { 1, 9 }, { 4, 5 }, 5 },
		{ { 2, 2 }, { 3, 3 }, 0 },
		{ { 2, 3 }, { 4, 9 }, 0 },
		{ { 255, 255 }, { 1, 255 }, 255 },
		{ { 255, 255 }, { 1, 254 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
		    versions_common(&rows[i].a, &rows[i].b), rows[i].common);
		assert_int_equal(
		    versions_common(&rows[i].b, &rows[i].a), rows[i].common);
	}
}

TEST(range_of_versions_without_sense_is_refused)
{
	for (unsigned lowest = 0; lowest <= UINT8_MAX; lowest++)
		for (unsigned highest = 0; highest <= UINT8_MAX; highest++) {
			uint8_t bytes[HANDSHAKE_SEALED_BYTES];
			struct reader r = reader_of(bytes, sizeof(bytes));
			struct handshake h;

			memcpy(bytes, golden_handshake, sizeof(bytes));
			bytes[HANDSHAKE_VERSIONS_AT] = (uint8_t)lowest;
			bytes[HANDSHAKE_VERSIONS_AT + 1] = (uint8_t)highest;
			assert_int_equal(handshake_decode(&r, &h),
			    lowest > 0 && lowest <= highest);
		}
}

TEST(values_out_of_range_are_refused)
{
	for (unsigned value = 0; value <= UINT8_MAX; value++) {
		uint8_t v = (uint8_t)value;
		uint8_t bytes[HANDSHAKE_SEALED_BYTES] = { 0 };
		struct reader r = reader_of(bytes, sizeof(bytes));
		struct handshake h;

		assert_true(
		    codec_takes(body_codec, 29, 1, v)); /* each flag is known */
		/* A leader is eligible: bit 0 of its rank. */
		assert_int_equal(
		    codec_takes(beacon_codec, 8, 1, v), v == 1 || v == 3);
		assert_int_equal(codec_takes(beacon_codec, 13, 1, v), v < 0x80);
		assert_int_equal(
		    codec_takes(beacon_codec, 33, 1, v), v < REASON_KINDS);
		assert_int_equal(codec_takes(beacon_codec, 34, 1, v), v < 0x80);
		assert_int_equal(
		    codec_takes(beacon_codec, 38, 1, v), v < NODES_MAX >> 8);
		memset(bytes + HANDSHAKE_VERSIONS_AT, 2, 2);
		bytes[HANDSHAKE_VERDICT_AT] = v;
		assert_int_equal(handshake_decode(&r, &h), v < VERDICTS);
		bytes[HANDSHAKE_VERDICT_AT] = 0;
		bytes[HANDSHAKE_BITS_AT] = v;
		r = reader_of(bytes, sizeof(bytes));
		assert_int_equal(handshake_decode(&r, &h), v < 4);
		bytes[HANDSHAKE_BITS_AT] = 0;
		bytes[HANDSHAKE_REVISION_AT] = v;
		r = reader_of(bytes, sizeof(bytes));
		assert_int_equal(handshake_decode(&r, &h), v < 0x80);
	}
}

TEST(beacon_without_a_leader_names_no_eligible_node)
{
	struct beacon none = { .term = 9 }, p;
	uint8_t bytes[BEACON_BYTES];

	for (int stands = 0; stands <= 1; stands++) {
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r = reader_of(bytes, sizeof(bytes));

		none.leader.is_eligible = stands;
		beacon_encode(&w, &none);
		assert_int_equal(beacon_decode(&r, &p), !stands);
	}
}

/* A token is a term of this leader, the present one at the latest. */
TEST(tokens_that_no_lead_has_are_refused)
{
	struct beacon p = { .term = 9, .leader.id = 3, .token = 9 };
	uint8_t bytes[TOKEN_BYTES];

	for (uint8_t token = 0; token <= 10; token++) {
		struct writer w = writer_of(bytes, sizeof(bytes));
		struct reader r = reader_of(bytes, sizeof(bytes));

		write_u64(&w, token);
		p.leader.id = 3;
		assert_int_equal(
		    token_decode(&r, &p), token != 0 && token <= 9);
		r = reader_of(bytes, sizeof(bytes));
		p.leader.id = NODE_NONE;
		assert_false(token_decode(&r, &p));
		r = reader_of(bytes, sizeof(bytes) - 1);
		p.leader.id = 3;
		assert_false(token_decode(&r, &p));
	}
}

static bool
frame_decodes(uint8_t type, uint32_t sequence, size_t size, size_t given)
{
	static const uint8_t zeros[64];
	uint8_t bytes[FRAME_BYTES + sizeof(zeros)];
	struct writer w = writer_of(bytes, sizeof(bytes));
	struct reader r = reader_of(bytes, FRAME_BYTES + given);
	struct packet_frame f = { type, sequence, zeros, size };

	frame_encode(&w, &f);
	return frame_decode(&r, &f);
}

TEST(frames_that_make_no_sense_are_refused)
{
	assert_true(frame_decodes(FRAME_MESSAGE, 1, 35, 35));
	assert_true(frame_decodes(FRAME_MESSAGE, 1, 0, 0));
	assert_true(frame_decodes(FRAME_BEACON, 0, 39, 40));
	/* Messages have numbers, all other frames have not. */
	assert_false(frame_decodes(FRAME_MESSAGE, 0, 35, 35));
	for (uint8_t type = FRAME_BEACON; type <= FRAME_FILE; type++) {
		if (type == 8) /* is not used */
			continue;
		assert_true(frame_decodes(type, 0, 39, 39));
		assert_false(frame_decodes(type, 1, 39, 39));
		assert_false(frame_decodes(type, 0, 39, 38));
	}
	/* The length is more than what is left. */
	assert_false(frame_decodes(FRAME_MESSAGE, 1, 35, 34));
	for (unsigned type = 0; type <= UINT8_MAX; type++) {
		if (type >= FRAME_MESSAGE && type <= FRAME_FILE && type != 8)
			continue;
		assert_false(frame_decodes((uint8_t)type, 0, 1, 1));
		assert_false(frame_decodes((uint8_t)type, 1, 1, 1));
	}
}
