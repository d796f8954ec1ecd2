/* SPDX-License-Identifier: ISC */
#include "tests/model/fuzz/feed_word.h"

#include "common/wire/packet.h"
#include "common/wire/vote.h"
#include "tests/lib/member.h"

struct rank
feed_rank(struct reader *r)
{
	uint8_t bits = read_u8(r);

	return (struct rank){
		.is_eligible = bits & 1,
		.is_contender = bits & 2,
		.priority = (int32_t)(bits >> 2 & 3) - 1,
		.id = bits & 0x80 ? read_u32(r) & NODE_ID_MAX : bits >> 4 & 7,
	};
}

uint64_t
feed_term(struct reader *r, uint64_t near)
{
	uint8_t bits = read_u8(r);

	if (bits & 0x80)
		return read_u64(r);
	return near + bits % 8 - 2;
}

/* Draws the present time, or any time at all. */
static nsec_t
feed_sent(struct reader *r, nsec_t now)
{
	uint8_t ago = read_u8(r);

	return ago & 0x80 ? read_u64(r) : now - ago * MSEC;
}

static void
feed_request(struct reader *r, const struct feed_honest *h, struct writer *w)
{
	struct vote_request c = { .lease = h->lease,
		.config_id = h->config_id };
	uint8_t bits;

	c.term = feed_term(r, h->term);
	c.sent = feed_sent(r, h->now);
	bits = read_u8(r);
	c.is_prevote = bits & 1;
	if (bits & 0x80)
		c.lease = 1 + read_u16(r) * MSEC;
	if (bits & 0x40)
		c.config_id = (struct config_id){ .config_term = read_u8(r),
			.config_version = read_u8(r) };
	vote_request_encode(w, &c);
}

static void
feed_vote(struct reader *r, const struct feed_honest *h, struct writer *w)
{
	uint8_t bits = read_u8(r);
	struct vote_response v = { .is_prevote = bits & 1 };

	v.term = feed_term(r, h->term);
	v.sent = feed_sent(r, h->now);
	v.config_tag = config_tag(&h->config_id);
	v.denial = (enum denial)((bits >> 1 & 7) % DENIALS);
	if (bits & 0x10)
		v.promised = feed_term(r, h->term);
	if (bits & 0x20)
		v.wait_ms = read_u32(r);
	if (bits & 0x80)
		v.config_tag = read_u32(r);
	if (bits & 0x40) {
		v.rival = feed_rank(r);
		v.rival_term = feed_term(r, h->term);
	}
	vote_response_encode(w, &v);
}

static void
feed_release(struct reader *r, const struct feed_honest *h, struct writer *w)
{
	struct release release = { .term = feed_term(r, h->term) };

	release_encode(w, &release);
}

static void
feed_lease_left(struct reader *r, const struct feed_honest *h, struct writer *w)
{
	uint8_t bits = read_u8(r);
	struct lease_left t = {
		.timestamp = h->timestamp,
		.valid_us = (uint32_t)(SEC / USEC),
	};

	if (bits & 1)
		t.timestamp = read_u32(r);
	if (bits & 2)
		t.valid_us = read_u32(r);
	lease_left_encode(w, &t);
}

/* Draws any size, mostly that of three nodes. */
static void
feed_members(struct reader *r, const struct feed_honest *h, struct writer *w)
{
	uint8_t bits = read_u8(r);
	uint8_t rest[4] = { 0 };
	struct members members = {
		.agree = bits >> 4, .size = 1, .bits = rest
	};

	(void)h;
	rest[0] = bits & 7;
	if (bits & 8)
		members.size = read_u8(r) % (sizeof(rest) + 1);
	members_encode(w, &members);
}

void
feed_word(struct reader *r, unsigned kind, const struct feed_honest *h,
    struct writer *w)
{
	static void (*const words[])(struct reader *,
	    const struct feed_honest *, struct writer *) = { feed_request,
		feed_vote, feed_release, feed_lease_left, feed_members };
	uint8_t bytes[VOTE_REQUEST_BYTES];
	struct writer word = writer_of(bytes, sizeof(bytes));
	struct packet_frame f = { .bytes = bytes };

	assert(kind < sizeof(words) / sizeof(words[0]));
	words[kind](r, h, &word);
	assert(!word.failed);
	f.type = (uint8_t)(FRAME_VOTE_REQUEST + kind);
	f.size = word.size;
	frame_encode(w, &f);
}

struct reason
feed_reason(struct reader *r)
{
	return (struct reason){
		.kind = (enum reason_kind)(read_u8(r) % REASON_KINDS),
		.node = read_u8(r),
	};
}

void
feed_beacon(struct reader *r, uint64_t near, struct writer *w)
{
	struct beacon p = {
		.term = feed_term(r, near),
		.leader = feed_rank(r),
		.incarnation = read_u8(r),
		.number = read_u16(r),
		.reason = feed_reason(r),
		.hops = read_u16(r),
	};

	p.leader.is_eligible = p.leader.id != NODE_NONE;
	member_write_beacon(w, &p);
}
